/**
 * Simulates another server of the same API, as an adapter that uses our handler. A table has a row for each operation.
 * The row names the accepted input and the answer.
 *
 * Such a server doesn't know our own headers: Idempotency-Key, If-Match, ETag, X-Total-Count.
 */

import { validationBody } from "../../src/schemas/error-body.ts";
import { isJsonObject, type JsonObject } from "../../src/schemas/json.ts";
import { type OperationName, operationRow, operations } from "../../src/schemas/operations.ts";
import type { Permission } from "../../src/schemas/words.ts";
import type { Handler } from "./in-process.ts";

export type ServerRow = {
  /** The accepted parameters. Another parameter is refused by its name. */
  query?: readonly string[];
  /** The accepted members of a body. Without this list, our handler checks the members. */
  body?: readonly string[];
  /** The members of a body that this server requires, although our handler does not. */
  required?: readonly string[];
  /** Turns our answer into the answer of this server. `undefined` means 204 No Content. */
  answer: (ours: JsonObject) => unknown;
  /** The members that a client can read with a further request and this permission. */
  completed?: { members: readonly string[]; permission: Permission };
  /** The members that a client can derive from a member with another name. */
  derived?: readonly string[];
};

/** `null` means that the server does not have the endpoint. */
export type ServerTable = Readonly<Record<OperationName, ServerRow | null>>;

/** A request for an operation, and its response. */
export type Exchange = {
  name: OperationName;
  path: string;
  status: number;
  /** The parameters and members of the body that the row does not accept. */
  refused: readonly string[];
  /** The body of our handler's response, and the body of the sent response. `undefined` means an empty body. */
  ours: unknown;
  shown: unknown;
};

type Answer = Pick<Exchange, "status" | "ours" | "shown"> & { headers: Headers };

const JSON_TYPE = new Headers({ "content-type": "application/json" });
export const OUR_REQUEST_HEADERS = ["idempotency-key", "if-match"];
export const OUR_ANSWER_HEADERS = ["etag", "x-total-count", "idempotency-replayed"];

/** @param onExchange called with each exchange, in the asynchronous context of the request */
export function serverOf(table: ServerTable, handler: Handler, onExchange?: (exchange: Exchange) => void): Handler {
  return async (request) => {
    const { pathname: path, searchParams } = new URL(request.url);
    const name = operationAt(request.method, path);
    if (name === undefined) return handler(request);
    const row = table[name];
    const text = await request.text();
    const body = parsed(text);
    const refused = row ? notAccepted(row, [...searchParams.keys()], body) : [];
    const answer = await answerTo(row, [...refused, ...(row ? missing(row, body) : [])], body, () =>
      handler(passedOn(request, text)),
    );
    const { status, ours, shown, headers } = answer;
    onExchange?.({ name, path, status, refused, ours, shown });
    return new Response(shown === undefined ? null : JSON.stringify(shown), { status, headers });
  };
}

async function answerTo(
  row: ServerRow | null,
  problems: readonly string[],
  body: unknown,
  ask: () => Promise<Response>,
): Promise<Answer> {
  if (row === null) return refusal(404, { code: "NOT_FOUND", message: "no such endpoint" });
  if (problems.length > 0) {
    const error = validationBody(problems.map((path) => ({ path, message: "is not what this server accepts" })));
    return refusal(400, { ...error, ...(isJsonObject(body) && pick(body, "clientMutationId")) });
  }
  const response = await ask();
  const ours = parsed(await response.text());
  const headers = without(response.headers, OUR_ANSWER_HEADERS);
  if (!response.ok) return { status: response.status, ours, shown: ours, headers };
  const shown = isJsonObject(ours) ? row.answer(ours) : undefined;
  return { status: shown === undefined ? 204 : response.status, ours, shown, headers };
}

function refusal(status: number, error: object): Answer {
  return { status, ours: undefined, shown: { error }, headers: JSON_TYPE };
}

function passedOn(request: Request, text: string): Request {
  const { url, method, headers } = request;
  return new Request(url, {
    method,
    headers: without(headers, OUR_REQUEST_HEADERS),
    ...(text !== "" && { body: text }),
  });
}

/** Whether the server accepts a parameter or a member of the body. */
export function accepts(table: ServerTable, name: OperationName, member: string): boolean {
  const row = table[name];
  if (row === null) return false;
  if (operationRow(name).method === "GET") return row.query?.includes(member) ?? false;
  return row.body?.includes(member) ?? true;
}

/** Returns the parameters and members of the body that the row does not accept. */
function notAccepted({ query = [], body }: ServerRow, parameters: readonly string[], sent: unknown): string[] {
  const members = isJsonObject(sent) ? Object.keys(sent) : [];
  return [
    ...parameters.filter((parameter) => !query.includes(parameter)),
    ...members.filter((member) => body && !body.includes(member)),
  ];
}

/** The members that the row requires and the body lacks. */
function missing({ required = [] }: ServerRow, sent: unknown): string[] {
  return isJsonObject(sent) ? required.filter((member) => sent[member] === undefined) : [];
}

/** Returns the members of a record with these names. A missing member is left out. */
export function pick(record: unknown, ...names: string[]): JsonObject {
  const source = record as JsonObject;
  return Object.fromEntries(names.filter((name) => name in source).map((name) => [name, source[name]]));
}

function parsed(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function without(headers: Headers, names: readonly string[]): Headers {
  const kept = new Headers(headers);
  for (const name of names) kept.delete(name);
  return kept;
}

const PATTERNS = (Object.keys(operations) as OperationName[])
  .map((name) => ({ name, path: operationRow(name).path, method: operationRow(name).method }))
  // A path with a fixed segment precedes a path with a parameter: `…/forms/available` before `…/forms/:formId`.
  .sort((a, b) => parametersIn(a.path) - parametersIn(b.path))
  .map(({ path, ...rest }) => ({ ...rest, pattern: new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`) }));

function parametersIn(path: string): number {
  return path.split(":").length;
}

function operationAt(method: string, path: string): OperationName | undefined {
  return PATTERNS.find((one) => one.method === method && one.pattern.test(path))?.name;
}
