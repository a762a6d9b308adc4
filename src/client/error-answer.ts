/**
 * Turns an answer with an error status into a `ServiceError`. The error has everything that the server reports (R104).
 */

import { addFacts } from "../base/error.ts";
import type { ErrorBody } from "../schemas/error-body.ts";
import { isJsonObject, type JsonObject } from "../schemas/json.ts";
import { firstText, readCode, readErrorMembers, textOf } from "../schemas/read-error.ts";
import type { Permission } from "../schemas/words.ts";
import { ServiceError } from "../service.ts";
import { type Answer, factsOf, notTheApi } from "./exchange.ts";

export function refusal(
  { status, headers, body }: Answer,
  expected?: { permission?: Permission | null; retryAt?: Date | undefined },
): ServiceError {
  const { read, said } =
    body.kind === "json"
      ? jsonRefusal(status, body.value)
      : body.kind === "text"
        ? { read: { ...withoutMessage(status), message: notTheApi(headers, body.text) }, said: { body: body.text } }
        : body.kind === "excessive"
          ? { read: { ...withoutMessage(status), message: excessive(status, body.exceeded) }, said: {} }
          : { read: withoutMessage(status), said: {} };
  const error = new ServiceError(status, read, hintOf(status, read.message, expected), expected?.retryAt, said);
  return addFacts(error, factsOf(headers));
}

function withoutMessage(status: number): ErrorBody {
  return { code: `HTTP_${status}`, message: `the server answers ${status} without an explanation` };
}

function excessive(status: number, exceeded: string): string {
  return `the server answers ${status} with JSON that has ${exceeded}`;
}

/**
 * Reads the error from a JSON body. The body has one of these shapes:
 * - `{error: {…}}`
 * - `{error: "…"}`
 * - the error members at the top level
 * - a problem document (RFC 9457)
 */
function jsonRefusal(status: number, value: unknown): { read: ErrorBody; said: JsonObject } {
  const fallback = withoutMessage(status);
  if (!isJsonObject(value)) {
    const message = typeof value === "string" && value !== "" ? value : fallback.message;
    return { read: { ...fallback, message }, said: { body: value } };
  }
  const inner = value["error"];
  const error = isJsonObject(inner) ? inner : value;
  const beside = error === value ? {} : value;
  const message = firstText(
    messagesIn(error["message"]),
    error["detail"],
    error["title"],
    messagesIn(beside["message"]),
    error["error"],
  );
  const isEmpty = Object.keys(error).length === 0;
  const { error: _text, ...others } = error;
  return {
    read: {
      ...readErrorMembers(typeof inner === "string" ? others : error),
      code: readCode(error) ?? readCode(beside) ?? fallback.code,
      message: message ?? (isEmpty ? fallback.message : `the server answers ${status} without a message`),
    },
    said: hasMore(status, error, beside) ? { ...error, body: value } : error,
  };
}

/** Returns the text of a message. Some frameworks send a list of messages, or an object that contains the text. */
function messagesIn(message: unknown): unknown {
  if (typeof message !== "object" || message === null) return message;
  return Array.isArray(message) ? message.map(textOf).join("; ") : textOf(message);
}

/**
 * Whether the body has members next to the error object, or a status in the error object that differs from the HTTP
 * status.
 */
function hasMore(status: number, error: JsonObject, beside: JsonObject): boolean {
  return Object.keys(beside).length > 1 || (Object.hasOwn(error, "status") && error["status"] !== status);
}

function hintOf(
  status: number,
  message: string,
  { permission, retryAt }: { permission?: Permission | null; retryAt?: Date | undefined } = {},
): string | undefined {
  if (status === 403 && permission) {
    const ask = "Ask the issuer of the token for it.";
    return message.includes(permission) ? ask : `The operation probably requires the permission ${permission}. ${ask}`;
  }
  if (retryAt) return `Try again after ${retryAt.toISOString()}, as the server requests.`;
  return undefined;
}
