/** The service's rules over a store: permission → transaction → path → shape → replay → precondition → rule → audit. */

import { entityTag, isMatch, taggedRead } from "../schemas/entity-tag.ts";
import { type OperationName, operationRow, operations, type OperationRow } from "../schemas/operations.ts";
import { MAX_MUTATION_ID } from "../schemas/words.ts";
import { type CallOptions, type RequestContext, type FullService, ServiceError } from "../service.ts";
import { insertAudit } from "../store/audit.ts";
import type { Store } from "../store/store.ts";
import type { NewId } from "./ids.ts";
import { findPathRecords } from "./path-records.ts";
import { forbidden, preconditionFailed, invalid } from "./refuse.ts";
import { type Mutation, mutationFrom, storeResponse, findStoredResponse } from "./replay.ts";
import { rules } from "./rules.ts";
import type { Actor, RuleContext } from "./rule.ts";
import { MAX_PROBLEMS } from "../schemas/error-body.ts";
import type { Schema } from "../schemas/schema.ts";
import type { ShapeProblem } from "../schemas/shape.ts";

export type EngineOptions = {
  store: Store;
  now: () => Date;
  newId: NewId;
};

type AnyRule = (world: RuleContext, input: AnyInput) => Promise<unknown>;

/** One request: who asks for what, and what came with it. */
type Request = {
  name: OperationName;
  row: OperationRow;
  actor: Actor;
  context: RequestContext;
  parameters: Record<string, string>;
  /** The body and the query as they were read, or why they can't be. */
  read: { body?: unknown; query?: unknown } | ServiceError;
  rule: AnyRule;
  /** Reads what an If-Match speaks of. */
  readTagged: AnyRule | undefined;
  /** Whether the actor may see the entity tag that the target has now. */
  mayReadTagged: boolean;
};

/**
 * @returns `as(actor)`: the whole service for one actor, who can reach one organization and only what is permitted.
 * A context belongs to one request.
 */
export function createEngine(options: EngineOptions): { as(actor: Actor, context?: RequestContext): FullService } {
  const operationNames = Object.keys(operations) as OperationName[];
  return {
    as(actor, context = {}) {
      const answerOf = (name: OperationName) => (input: AnyInput, call?: CallOptions) =>
        answer(options, { actor, context: { ...context, ...call }, name, input });
      return Object.fromEntries(operationNames.map((name) => [name, answerOf(name)])) as unknown as FullService;
    },
  };
}

async function answer(
  options: EngineOptions,
  call: { actor: Actor; context: RequestContext; name: OperationName; input: AnyInput },
): Promise<unknown> {
  const { actor, context, name, input } = call;
  const row = operationRow(name);
  const afterwards: (() => Promise<void>)[] = [];
  const afterRefusal: ((tx: RuleContext["tx"]) => Promise<void>)[] = [];
  if (row.permission !== null && !isPermitted(actor, row)) {
    throw withMutationId(forbidden(row.permission), input);
  }
  const { body: _body, query: _query, ...path } = input;
  const parameters = path as Record<string, string>;
  // Loaded and read before the transaction begins, which then waits for nothing but the database.
  const read = context.unreadable ?? (await readRequest(name, input, context));
  const rule = await loadRule(name);
  const tagged = row.method !== "GET" && context.ifMatch !== undefined ? taggedRead(name) : undefined;
  const readTagged = tagged && (await loadRule(tagged));
  const mayReadTagged = tagged !== undefined && isPermitted(actor, operationRow(tagged));
  const transact = <T>(work: (tx: RuleContext["tx"]) => Promise<T>) =>
    row.method === "GET" ? options.store.read(work) : options.store.write(work);
  let now: string | undefined;
  const run = (tx: RuleContext["tx"]) =>
    apply(
      { name, row, actor, context, parameters, read, rule, readTagged, mayReadTagged },
      {
        tx,
        actor,
        // A read does not ask, and the first time that is written out takes V8 a look at the time zone.
        get now() {
          return (now ??= options.now().toISOString());
        },
        newId: options.newId,
        afterCommit: (task) => afterwards.push(task),
        afterRefusal: (task) => afterRefusal.push(task),
      },
    );
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

function isPermitted(actor: Actor, { permission }: OperationRow): boolean {
  return permission === null || actor.permissions.has(permission);
}

async function apply(request: Request, world: RuleContext): Promise<unknown> {
  const { name, row, actor, context, parameters, read, rule, readTagged, mayReadTagged } = request;
  const mutation = mutationIn(request);
  const earlier = async (by: Mutation["by"]) => (mutation?.by === by ? findStoredResponse(world, mutation) : undefined);

  // The answer to a deletion is given again after its target has gone, and before anybody misses it.
  const byKey = await earlier("Idempotency-Key");
  if (byKey) return replay(byKey, context);
  const records = await findPathRecords(world.tx, actor.organizationId, parameters);
  if (read instanceof ServiceError) throw read;
  const byId = await earlier("clientMutationId");
  if (byId) return replay(byId, context);

  const placed = Object.assign(world, records);
  if (readTagged && context.ifMatch !== undefined) {
    // In the transaction of the write: what is compared is what is changed.
    const tag = entityTag(JSON.stringify(await readTagged(placed, parameters)));
    if (!isMatch(context.ifMatch, tag)) throw preconditionFailed(mayReadTagged ? tag : undefined);
  }
  const result = await rule(placed, { ...parameters, ...read });
  if (mutation) await storeResponse(world, mutation, result);
  if (row.method !== "GET") {
    await insertAudit(world.tx, {
      at: world.now,
      orgId: actor.organizationId,
      tokenId: actor.tokenId ?? null,
      operation: name,
      target: row.path.replace(/:(\w+)/g, (_match, parameter: string) => parameters[parameter] ?? ""),
      clientMutationId: mutation?.key.clientMutationId ?? null,
      requestId: context.requestId ?? null,
    });
  }
  return result;
}

const loaded = new Map<OperationName, Promise<AnyRule>>();

function loadRule(name: OperationName): Promise<AnyRule> {
  const rule = loaded.get(name) ?? (rules[name]() as unknown as Promise<AnyRule>);
  loaded.set(name, rule);
  return rule;
}

/** What makes a write repeatable; only one that can be read has it. */
function mutationIn({ name, row, actor, context, parameters, read }: Request): Mutation | undefined {
  if (row.method === "GET" || read instanceof ServiceError) return undefined;
  const request = { orgId: actor.organizationId, operation: name, parameters, body: read.body };
  return mutationFrom(request, context.idempotencyKey);
}

/** A kept answer; null stands for that of an operation without one. */
function replay({ answer: kept }: { answer: unknown }, context: RequestContext): unknown {
  context.onReplay?.();
  return kept ?? undefined;
}

/** Every refusal of a request that carried a mutation id echoes it (R106). What is longer is none. */
function withMutationId(error: ServiceError, input: AnyInput): ServiceError {
  const id = (input.body as { clientMutationId?: unknown } | undefined)?.clientMutationId;
  return typeof id === "string" && id.length <= MAX_MUTATION_ID
    ? new ServiceError(error.status, { ...error.body, clientMutationId: id })
    : error;
}

const noTransaction = new Proxy({} as RuleContext["tx"], {
  get(_target, member) {
    throw new Error(`a constant operation must not touch the store (${String(member)})`);
  },
});

export type AnyInput = { body?: unknown; query?: unknown } & Record<string, unknown>;

/**
 * Read before the transaction begins, which then waits for nothing but the database; a refusal is told later, when it is
 * its turn. What reads is loaded only for an operation that has something to read.
 *
 * @returns the body and the query as they were read, or everything that is wrong with them
 */
export async function readRequest(
  name: OperationName,
  { query, body }: AnyInput,
  { ifMatch }: RequestContext,
): Promise<{ body?: unknown; query?: unknown } | ServiceError> {
  const row = operationRow(name);
  const parsed: { body?: unknown; query?: unknown } = {};
  const problems: ShapeProblem[] = [];
  const read = async (part: "query" | "body", schema: Schema, value: unknown) => {
    const { readShape } = await import("../schemas/shape.ts");
    const shape = readShape(schema, value, MAX_PROBLEMS + 1);
    if (shape.ok) parsed[part] = shape.value;
    else problems.push(...shape.problems);
  };
  // An absent query means what its row says: the schemas take a good part of a short command's time.
  if (row.query && Object.keys(query ?? {}).length === 0) parsed.query = { ...row.emptyQuery };
  else if (row.query) await read("query", await row.query(), query);
  else problems.push(...Object.keys(query ?? {}).map((path) => ({ path, message: "is not a known parameter" })));
  if (row.body) await read("body", await row.body(), body);
  else if (body !== undefined) problems.push({ path: "", message: "must be empty" });
  // A guard that guards nothing would be worse than none.
  if (ifMatch !== undefined && row.method !== "GET" && !taggedRead(name)) {
    problems.push({ path: "If-Match", message: "can't be checked here: what is changed has no entity tag" });
  }
  return problems.length > 0 ? invalid(problems) : parsed;
}
