/** Reads a successful answer. Creates the error for any other answer, such as a page of a proxy. */

import { addFacts } from "../base/error.ts";
import { InvalidAnswer, isPossibleId } from "../schemas/answer-shape.ts";
import { isJsonObject } from "../schemas/json.ts";
import type { OperationName } from "../schemas/operations.ts";
import { readAnswer } from "../schemas/read-answer.ts";
import type { AnyInput } from "./call.ts";
import { factsOf, notTheApi } from "./exchange.ts";
import { NoAnswer } from "./no-answer.ts";
import type { Sent, TransportOptions } from "./transport.ts";

/** Returns the output that a successful answer contains. @throws InvalidAnswer */
export function read2xx(name: OperationName, { query }: AnyInput, sent: Sent): unknown {
  const number = (value: unknown, fallback: number) => (typeof value === "number" ? value : fallback);
  return readAnswer(name, jsonOf(sent), { page: number(query?.["page"], 1), limit: number(query?.["limit"], 20) });
}

/** Returns the JSON value of an answer. @throws InvalidAnswer if the body is not JSON */
export function jsonOf({ answer: { body } }: Sent): unknown {
  if (body.kind === "json") return body.value;
  throw new InvalidAnswer(body.kind === "empty" ? "is empty" : "is not JSON");
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
    const page = new NoAnswer(
      "NOT_THE_API",
      `${origin} answers ${status}, but it is ${notTheApi(headers, body.text)}`,
      {
        sent: true,
        hint: "Check the base URL, and whether a login page or a proxy answers instead: formctl doctor",
      },
    );
    return addFacts(page, factsOf(headers));
  }
  const message = `${origin} answers ${about} with ${status}, but ${error.message}`;
  return addFacts(new NoAnswer("ANSWER_UNREADABLE", message, { sent: true, cause: error }), factsOf(headers));
}

/** Returns the id of the record in an answer, or undefined if the answer has no valid id. */
export function idIn(json: unknown): string | undefined {
  const record = isJsonObject(json) && isJsonObject(json["data"]) ? json["data"] : json;
  const id = isJsonObject(record) ? record["id"] : undefined;
  if (typeof id === "number") return String(id);
  return typeof id === "string" && isPossibleId(id) ? id : undefined;
}
