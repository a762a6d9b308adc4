/** Builds the request path of an operation and reads its answer, for reads.ts and writes.ts. */

import { isJsonObject } from "../schemas/json.ts";
import type { OperationName, OperationRow } from "../schemas/operations.ts";
import { fillPath, PathParameterError, writeQuery } from "../schemas/wire.ts";
import { localRefusal, type ServiceError } from "../service.ts";
import { refusal } from "./error-answer.ts";
import { notTheApi } from "./exchange.ts";
import { NoAnswer } from "./no-answer.ts";
import { isPossibleId, InvalidAnswer } from "../schemas/answer-shape.ts";
import { readAnswer } from "./read-answer.ts";
import type { Sent, TransportOptions } from "./transport.ts";

export type AnyInput = Readonly<Record<string, unknown>> & {
  body?: unknown;
  query?: Readonly<Record<string, unknown>>;
};

/**
 * Returns the path and query of a request.
 *
 * @throws ServiceError 404 if an id is invalid, because with such an id the path could be that of a different endpoint
 */
export function requestPath(row: OperationRow, input: AnyInput): string {
  let path: string;
  try {
    path = fillPath(row.path, input);
  } catch (error) {
    if (!(error instanceof PathParameterError)) throw error;
    throw localRefusal(404, "NOT_FOUND", error.message);
  }
  const query = writeQuery(input.query).toString();
  return query === "" ? path : `${path}?${query}`;
}

export function refused(row: OperationRow, { answer, retryAt }: Sent): ServiceError {
  return refusal(answer, { permission: row.permission, retryAt });
}

/** Returns the output that a successful answer contains. @throws InvalidAnswer */
export function read2xx(name: OperationName, { query }: AnyInput, sent: Sent): unknown {
  const number = (value: unknown, fallback: number) => (typeof value === "number" ? value : fallback);
  return readAnswer(name, jsonOf(sent), { page: number(query?.["page"], 1), limit: number(query?.["limit"], 20) });
}

/** Returns the id of the record in an answer, or undefined if the answer has no valid id. */
export function idIn(json: unknown): string | undefined {
  const record = isJsonObject(json) && isJsonObject(json["data"]) ? json["data"] : json;
  const id = isJsonObject(record) ? record["id"] : undefined;
  if (typeof id === "number") return String(id);
  return typeof id === "string" && isPossibleId(id) ? id : undefined;
}

/** Returns the JSON value of an answer. @throws InvalidAnswer if the body is not JSON */
export function jsonOf({ answer: { body } }: Sent): unknown {
  if (body.kind === "json") return body.value;
  throw new InvalidAnswer(body.kind === "empty" ? "it is empty" : "it is not JSON");
}

/** Returns the error for an answer that has a success status and can't be read. */
export function unreadable(
  about: string,
  { baseUrl }: TransportOptions,
  { answer }: Sent,
  error: InvalidAnswer,
): NoAnswer {
  const { status, headers, body } = answer;
  const { origin } = new URL(baseUrl);
  if (body.kind === "text" && !/json/i.test(headers.get("content-type") ?? "")) {
    return new NoAnswer("NOT_THE_API", `${origin} answers ${status}, but it is ${notTheApi(headers, body.text)}`, {
      sent: true,
      hint: "Check the base URL, and whether a login page or a proxy answers instead: formctl doctor",
    });
  }
  return new NoAnswer("ANSWER_UNREADABLE", `${origin} answers ${about} with ${status}, but ${error.message}`, {
    sent: true,
    cause: error,
  });
}
