/**
 * Runs each operation in these steps: permission → transaction → path → shape → replay → precondition → rule → audit. A
 * request with an Idempotency-Key and without a clientMutationId is replayed before the path is checked. A read begins its
 * rule before the path is checked, and reports its errors in the same order.
 */

import { entityTag, isMatch, taggedRead } from "../schemas/entity-tag.ts";
import { type OperationName, operationRow, type OperationRow } from "../schemas/operations.ts";
import { MAX_MUTATION_ID } from "../schemas/words.ts";
import { type RequestContext, ServiceError } from "../service.ts";
import { deleteAuditBefore, insertAudit } from "../store/audit.ts";
import { inOrganization, type OrgTx, type Store } from "../store/store.ts";
import type { NewId } from "./ids.ts";
import { findPathRecords } from "./path-records.ts";
import { resultOf, settled } from "../base/settled.ts";
import { forbidden, notFound, preconditionFailed, invalid } from "./refuse.ts";
import { deleteExpiredResponses, findStoredResponse, type Mutation, mutationFrom, storeResponse } from "./replay.ts";
import { rules } from "./rules.ts";
import type { Actor, RuleContext } from "./rule.ts";
import { MAX_PROBLEMS } from "../schemas/error-body.ts";
import type { Schema } from "../schemas/schema.ts";
import { requirePathParameters } from "../schemas/wire.ts";
import type { ShapeProblem } from "../schemas/shape.ts";

/** How long audit rows are kept. With 400 days, a yearly review finds the whole year. */
const AUDIT_RETENTION_MS = 400 * 24 * 60 * 60 * 1000;

/** Of so many writes of an organization, one deletes what has expired. The others are shorter by two statements. */
const WRITES_PER_DELETION = 16;

export type EngineOptions = {
  store: Store;
  now: () => Date;
  newId: NewId;
};

type AnyRule = (context: RuleContext & { records?: Promise<unknown> }, input: AnyInput) => Promise<unknown>;

type Request = {
  name: OperationName;
  row: OperationRow;
  actor: Actor;
  context: RequestContext;
  parameters: Record<string, string>;
  /** The parsed body and query, or the error that describes why they are invalid. */
  read: { body?: unknown; query?: unknown } | ServiceError;
  rule: AnyRule;
  /** Reads the record that If-Match refers to. Undefined if there is no entity tag to compare. */
  readTagged: AnyRule | undefined;
  /**
   * Whether the actor may read the record that If-Match refers to. Otherwise a 412 response omits the entity tag of the
   * record.
   */
  mayReadTagged: boolean;
};

export type Call = { actor: Actor; context: RequestContext; name: OperationName; input: AnyInput };

/**
 * Answers a call, limited to the organization and the permissions of the actor.
 *
 * @throws ServiceError if the operation refuses the request
 */
export async function answer(options: EngineOptions, call: Call): Promise<unknown> {
  const { actor, context, name, input } = call;
  const row = operationRow(name);
  const afterwards: (() => Promise<void>)[] = [];
  const afterRefusal: ((tx: OrgTx) => Promise<void>)[] = [];
  if (row.permission !== null && !isPermitted(actor, row)) {
    throw withMutationId(forbidden(row.permission), input);
  }
  requirePathParameters(row.path, input);
  const { body: _body, query: _query, ...path } = input;
  const parameters = path as Record<string, string>;
  // PostgreSQL refuses a query with the character U+0000. No id and no key contains this character.
  if (Object.values(parameters).some((value) => value.includes("\0")))
    throw withMutationId(notFound("no record has this path"), input);
  // The body and query are parsed before the transaction begins. The transaction then waits only for the database.
  const read = context.unreadable ?? (await readRequest(name, input, context));
  const rule = await loadRule(name);
  const tagged = row.method !== "GET" && context.ifMatch !== undefined ? taggedRead(name) : undefined;
  const readTagged = tagged && (await loadRule(tagged));
  const mayReadTagged = tagged !== undefined && isPermitted(actor, operationRow(tagged));
  const orgId = actor.organizationId;
  const write = <T>(work: (tx: OrgTx) => Promise<T>) =>
    options.store.write((tx) => work(inOrganization(tx, orgId)), orgId);
  const transact = <T>(work: (tx: OrgTx) => Promise<T>) =>
    row.method === "GET" ? options.store.read((tx) => work(inOrganization(tx, orgId)), true) : write(work);
  const now = options.now().toISOString();
  const run = (tx: OrgTx) => {
    // The store can run the transaction several times. Only the tasks of the last attempt must run.
    afterwards.length = 0;
    afterRefusal.length = 0;
    return (row.method === "GET" ? readRecords : apply)(
      { name, row, actor, context, parameters, read, rule, readTagged, mayReadTagged },
      {
        tx,
        actor,
        now,
        newId: options.newId,
        afterCommit: (task) => afterwards.push(task),
        afterRefusal: (task) => afterRefusal.push(task),
        contentHashes: new Map(),
      },
    );
  };
  try {
    // A constant response, such as the list of currencies, needs no store. So the operation works before a store
    // exists.
    const result = row.constant ? await run(noTransaction) : await transact(run);
    for (const task of afterwards) await task();
    return result;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    for (const task of afterRefusal) await write(task);
    throw withMutationId(error, input);
  }
}

function isPermitted(actor: Actor, { permission }: OperationRow): boolean {
  return permission === null || actor.permissions.has(permission);
}

/**
 * Runs a read. All its queries begin before the first has its result: on a database on another machine, they share a
 * round trip.
 */
async function readRecords({ parameters, read, rule }: Request, ruleContext: RuleContext): Promise<unknown> {
  const records = findPathRecords(ruleContext.tx, parameters);
  const answering =
    read instanceof ServiceError ? Promise.reject(read) : rule({ ...ruleContext, records }, { ...parameters, ...read });
  const [found, answered] = await Promise.all([settled(records), settled(answering)]);
  // A missing record of the path is reported first.
  resultOf(found);
  return resultOf(answered);
}

async function apply(request: Request, ruleContext: RuleContext): Promise<unknown> {
  const { name, row, actor, context, parameters, read, rule, readTagged, mayReadTagged } = request;
  const mutation = mutationIn(request);
  // All queries begin before the first has its result, so that they share a round trip. But the response to an
  // Idempotency-Key is used before the records of the path: after a deletion the record is missing, and the response must
  // still be replayed.
  const stored = settled(mutation ? findStoredResponse(ruleContext, mutation) : Promise.resolve(undefined));
  const finding = settled(findPathRecords(ruleContext.tx, parameters));
  const byKey = mutation?.by === "Idempotency-Key" ? resultOf(await stored) : undefined;
  if (byKey) return replay(byKey, context);
  const records = resultOf(await finding);
  if (read instanceof ServiceError) throw read;
  const byId = mutation?.by === "clientMutationId" ? resultOf(await stored) : undefined;
  if (byId) return replay(byId, context);

  const withRecords = Object.assign(ruleContext, records);
  if (readTagged && context.ifMatch !== undefined) {
    // The record is read in the transaction of the write. Therefore no other write can change it after the comparison.
    const tagContext = { ...ruleContext, records: Promise.resolve(records) };
    const tag = entityTag(JSON.stringify(await readTagged(tagContext, parameters)));
    if (!isMatch(context.ifMatch, tag)) throw preconditionFailed(mayReadTagged ? tag : undefined);
  }
  const result = await rule(withRecords, { ...parameters, ...read });
  if (mutation) {
    await storeResponse(ruleContext, mutation, result);
    context.onReplay?.(false);
  }
  const number = await insertAudit(ruleContext.tx, {
    at: ruleContext.now,
    tokenId: actor.tokenId ?? null,
    operation: name,
    target: row.path.replace(/:(\w+)/g, (_match, parameter: string) => parameters[parameter] ?? ""),
    clientMutationId: mutation?.key.clientMutationId ?? null,
    requestId: context.requestId ?? null,
  });
  if (number % WRITES_PER_DELETION === 0) await deleteExpired(ruleContext);
  return result;
}

/** Deletes the expired responses and audit rows of the organization. */
async function deleteExpired(context: RuleContext): Promise<void> {
  // Responses are deleted before audit rows. Each stored response must have an audit row (I13 in store/invariants.ts).
  await deleteExpiredResponses(context);
  await deleteAuditBefore(context.tx, new Date(Date.parse(context.now) - AUDIT_RETENTION_MS).toISOString());
}

const loaded = new Map<OperationName, Promise<AnyRule>>();

function loadRule(name: OperationName): Promise<AnyRule> {
  const rule = loaded.get(name) ?? (rules[name]() as unknown as Promise<AnyRule>);
  loaded.set(name, rule);
  return rule;
}

/**
 * Returns the mutation of a valid write with a clientMutationId or an Idempotency-Key. Returns undefined for every
 * other request, because the response to such a request is not stored.
 */
function mutationIn({ name, actor, context, parameters, read }: Request): Mutation | undefined {
  if (read instanceof ServiceError) return undefined;
  const request = { orgId: actor.organizationId, operation: name, parameters, body: read.body };
  return mutationFrom(request, context.idempotencyKey);
}

/** Returns a stored response and reports the replay to the caller. A stored null represents an empty response. */
function replay({ answer: stored }: { answer: unknown }, context: RequestContext): unknown {
  context.onReplay?.(true);
  return stored ?? undefined;
}

/** Adds the mutation id of the request to an error (R106). Omits an id that is too long to be valid. */
function withMutationId(error: ServiceError, input: AnyInput): ServiceError {
  const id = (input.body as { clientMutationId?: unknown } | undefined)?.clientMutationId;
  return typeof id === "string" && id.length <= MAX_MUTATION_ID
    ? new ServiceError(error.status, { ...error.body, clientMutationId: id })
    : error;
}

const noTransaction = new Proxy({} as OrgTx, {
  get(_target, member) {
    throw new Error(`a constant operation must not use the store (${String(member)})`);
  },
});

export type AnyInput = { body?: unknown; query?: unknown } & Record<string, unknown>;

/**
 * Reads the query and body with the schemas of the operation. The schemas are loaded on first use. An error is
 * returned, not thrown: the caller checks the path first, and reports the error later.
 *
 * @returns the parsed body and query, or an error with all problems
 */
async function readRequest(
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
  const plain = row.readPlainQuery?.({ ...(query as object | undefined) });
  if (plain) parsed.query = plain;
  else if (row.query) await read("query", await row.query(), query);
  else problems.push(...Object.keys(query ?? {}).map((path) => ({ path, message: "is not a known parameter" })));
  if (row.body) await read("body", await row.body(), body);
  else if (body !== undefined) problems.push({ path: "", message: "must be empty" });
  // If-Match is refused for a record without an entity tag. If the header were ignored, the write could overwrite a
  // change unknown to the client.
  if (ifMatch !== undefined && row.method !== "GET" && !taggedRead(name)) {
    problems.push({ path: "If-Match", message: "is not supported: the changed record has no entity tag" });
  }
  return problems.length > 0 ? invalid(problems) : parsed;
}
