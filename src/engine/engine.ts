/** The service's rules over a store: permission → transaction → path → shape → replay → rule → audit. */

import { type OperationName, operationRow, operations, type OperationRow } from "../schemas/operations.ts";
import { type Service, ServiceError } from "../service.ts";
import { insertAudit } from "../store/mutations.ts";
import type { Store } from "../store/store.ts";
import type { NewId } from "./ids.ts";
import { findPathRecords } from "./path-records.ts";
import { forbidden, invalid } from "./refuse.ts";
import { mutationOf, remember, replayed } from "./replay.ts";
import { rules } from "./rules.ts";
import type { Actor, World } from "./world.ts";

export type EngineOptions = {
  store: Store;
  now: () => Date;
  newId: NewId;
  /** Told when a request was answered from memory and nothing was done again. */
  onReplay?: () => void;
};

type AnyInput = { body?: unknown; query?: unknown } & Record<string, unknown>;
type AnyRule = (world: World, input: AnyInput) => Promise<unknown>;

/** @returns `as(actor)`: the whole service for one actor, who can reach one organization and only what is permitted */
export function createEngine(options: EngineOptions): { as(actor: Actor): Service } {
  return {
    as(actor) {
      const operationNames = Object.keys(operations) as OperationName[];
      const entries = operationNames.map((name) => [name, (input: AnyInput) => answer(options, actor, name, input)]);
      return Object.fromEntries(entries) as Service;
    },
  };
}

async function answer(options: EngineOptions, actor: Actor, name: OperationName, input: AnyInput): Promise<unknown> {
  const row = operationRow(name);
  const afterwards: (() => Promise<void>)[] = [];
  const afterRefusal: ((tx: World["tx"]) => Promise<void>)[] = [];
  if (row.permission !== null && !actor.permissions.has(row.permission)) {
    throw withMutationId(forbidden(row.permission), input);
  }
  // Loaded before the transaction begins, which then waits for nothing but the database.
  const readers = await loadReaders(row, input);
  const rule = (await rules[name]()) as unknown as AnyRule;
  const transact = <T>(work: (tx: World["tx"]) => Promise<T>) =>
    row.method === "GET" ? options.store.read(work) : options.store.write(work);
  const run = (tx: World["tx"]) =>
    apply(options, name, { readers, rule }, input, {
      tx,
      actor,
      now: options.now().toISOString(),
      newId: options.newId,
      afterCommit: (task) => afterwards.push(task),
      afterRefusal: (task) => afterRefusal.push(task),
    });
  try {
    // A constant answer needs no store, so that it is given even where there is none yet.
    const result = row.constant ? await run(noTransaction) : await transact(run);
    for (const task of afterwards) await task();
    return result;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    for (const task of afterRefusal) await options.store.write(task);
    throw withMutationId(error, input);
  }
}

async function apply(
  options: EngineOptions,
  name: OperationName,
  { readers, rule }: { readers: Readers; rule: AnyRule },
  input: AnyInput,
  world: World,
): Promise<unknown> {
  const row = operationRow(name);
  const { body, query, ...path } = input;
  const parameters = path as Record<string, string>;
  const records = await findPathRecords(world.tx, world.actor.organizationId, parameters);
  const parsed: AnyInput = { ...parameters, ...readRequest(readers, { query, body }) };

  const mutation = mutationOf(world.actor.organizationId, name, parameters, parsed.body);
  const before = mutation && (await replayed(world, mutation));
  if (before) {
    options.onReplay?.();
    return before.answer;
  }
  const result = await rule({ ...world, ...records }, parsed);
  if (mutation) await remember(world, mutation, result);
  if (row.method !== "GET") {
    await insertAudit(world.tx, {
      at: world.now,
      orgId: world.actor.organizationId,
      tokenId: world.actor.tokenId ?? null,
      operation: name,
      target: row.path.replace(/:(\w+)/g, (_match, parameter: string) => parameters[parameter] ?? ""),
      clientMutationId: mutation?.key.clientMutationId ?? null,
    });
  }
  return result;
}

type Reader = (value: unknown) => unknown;
type Readers = { query?: Reader; body?: Reader };

/**
 * What reads the query and the body of a request. An absent query means what its row says, so that the schemas, which
 * take a good part of a short command's time, are loaded only for a request that has something to be read.
 */
async function loadReaders({ query, emptyQuery, body }: OperationRow, input: AnyInput): Promise<Readers> {
  const isEmpty = query !== undefined && input.query === undefined;
  const queryReader: Readers = isEmpty ? { query: () => ({ ...emptyQuery }) } : {};
  if ((!query || isEmpty) && !body) return queryReader;
  const { readShape } = await import("../schemas/shape.ts");
  const readerOf = async (schema: NonNullable<OperationRow["body"]>): Promise<Reader> => {
    const loaded = await schema();
    return (value) => {
      const shape = readShape(loaded, value);
      if (!shape.ok) throw invalid(shape.problems);
      return shape.value;
    };
  };
  return {
    ...(query && !isEmpty && { query: await readerOf(query) }),
    ...queryReader,
    ...(body && { body: await readerOf(body) }),
  };
}

/** The query and the body as their schemas read them: unknown members refused, defaults filled in. */
function readRequest(readers: Readers, { query, body }: AnyInput): { body?: unknown; query?: unknown } {
  return {
    ...(readers.query && { query: readers.query(query ?? {}) }),
    ...(readers.body && { body: readers.body(body) }),
  };
}

/** Every refusal of a request that carried a mutation id echoes it (R106). */
function withMutationId(error: ServiceError, input: AnyInput): ServiceError {
  const id = (input.body as { clientMutationId?: unknown } | undefined)?.clientMutationId;
  return typeof id === "string" ? new ServiceError(error.status, { ...error.body, clientMutationId: id }) : error;
}

const noTransaction = new Proxy({} as World["tx"], {
  get(_target, member) {
    throw new Error(`a constant operation must not touch the store (${String(member)})`);
  },
});
