/** The query and the body of a request as their schemas read them: unknown members refused, defaults filled in. */

import { taggedRead } from "../schemas/entity-tag.ts";
import { MAX_PROBLEMS } from "../schemas/error-body.ts";
import { type OperationName, operationRow } from "../schemas/operations.ts";
import type { Schema } from "../schemas/schema.ts";
import type { ShapeProblem } from "../schemas/shape.ts";
import type { RequestContext, ServiceError } from "../service.ts";
import { invalid } from "./refuse.ts";

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
