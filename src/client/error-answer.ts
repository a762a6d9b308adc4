/** An answer that refuses, as one error with everything that the server said (R104; docs/decisions.md, "Tolerance"). */

import type { Diagnostic, Validation } from "../schemas/diagnostic.ts";
import type { ErrorBody } from "../schemas/error-body.ts";
import { isJsonObject, type JsonObject } from "../schemas/json.ts";
import type { Permission } from "../schemas/words.ts";
import { ServiceError } from "../service.ts";
import { type Answer, notTheApi } from "./exchange.ts";

export function refusal(
  { status, headers, body }: Answer,
  expected?: { permission?: Permission | null; retryAt?: Date | undefined },
): ServiceError {
  const said = body.kind === "json" ? bodyOf(status, body.value) : silent(status);
  if (body.kind === "text") said.message = notTheApi(headers, body.text);
  return new ServiceError(status, said, hintOf(status, said.message, expected), expected?.retryAt);
}

function silent(status: number): ErrorBody {
  return { code: `HTTP_${status}`, message: `the server answers ${status} and says nothing more` };
}

/** `{error: {…}}`, `{error: "…"}`, the members at the top, or a problem document (RFC 9457). */
function bodyOf(status: number, value: unknown): ErrorBody {
  const error = isJsonObject(value) && "error" in value ? value["error"] : value;
  const fallback = silent(status);
  if (typeof error === "string") return { ...fallback, message: error };
  if (!isJsonObject(error)) return fallback;
  const beside = isJsonObject(value) && value !== error ? value : {};
  const message = firstText(error["message"], error["detail"], error["title"], beside["message"], error["error"]);
  return {
    ...(known(error) as Partial<ErrorBody>),
    code: firstText(error["code"], beside["code"]) ?? fallback.code,
    message: message ?? fallback.message,
  };
}

function firstText(...values: unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === "string" && value !== "");
}

/** Members of the right shape are passed on, and unknown ones too; a known one of a wrong shape would break its reader. */
function known(error: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(error)) {
    const read = Object.hasOwn(READERS, name) ? READERS[name]!(value) : value;
    if (read !== undefined) kept[name] = read;
  }
  return kept;
}

const asObject = (value: unknown) => (isJsonObject(value) ? value : undefined);

const READERS: Record<string, (value: unknown) => unknown> = {
  fieldErrors(value) {
    if (!isJsonObject(value)) return undefined;
    return Object.fromEntries(Object.entries(value).map(([path, messages]) => [path, texts(messages)]));
  },
  errors: (value) => (Array.isArray(value) ? value.map(asMessage) : undefined),
  unavailableMutationScopes: (value) => (Array.isArray(value) ? texts(value) : undefined),
  clientMutationId: (value) => (typeof value === "string" ? value : undefined),
  meta: asObject,
  relationTableErrors: asObject,
  idempotencyConflict: asObject,
  impacts: (value) => (Array.isArray(value) ? value.filter(isJsonObject).map(impactOf) : undefined),
  validation: validationOf,
};

/** Each message of a list, whether it is a text or an object with one. */
function texts(value: unknown): string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.map((item: unknown) =>
    typeof item === "string"
      ? item
      : (isJsonObject(item) && firstText(item["message"])) || (JSON.stringify(item) ?? "null"),
  );
}

function asMessage(value: unknown): unknown {
  return isJsonObject(value) && typeof value["message"] === "string" ? value : { message: texts(value)[0] };
}

function impactOf(impact: JsonObject): JsonObject {
  return {
    ...impact,
    draftId: firstText(impact["draftId"]) ?? "?",
    fieldKey: firstText(impact["fieldKey"]) ?? "?",
    action: firstText(impact["action"]) ?? "change",
    reasons: Array.isArray(impact["reasons"]) ? texts(impact["reasons"]) : [],
    valueCount: typeof impact["valueCount"] === "number" ? impact["valueCount"] : "unknown",
  };
}

/** A validation whose lists are lists of messages; undefined where it is nothing like one. */
export function validationOf(value: unknown): Validation | undefined {
  if (!isJsonObject(value) || typeof value["state"] !== "string") return undefined;
  return {
    ...value,
    errors: diagnostics(value["errors"], "error"),
    warnings: diagnostics(value["warnings"], "warning"),
  } as unknown as Validation;
}

function diagnostics(value: unknown, severity: "error" | "warning"): Diagnostic[] {
  if (!Array.isArray(value)) return [];
  return value.map((item: unknown) => {
    const said = isJsonObject(item) ? item : { message: texts(item)[0] };
    return {
      ...said,
      severity,
      code: firstText(said["code"]) ?? severity.toUpperCase(),
      message: firstText(said["message"]) ?? JSON.stringify(item),
    };
  });
}

function hintOf(
  status: number,
  message: string,
  { permission, retryAt }: { permission?: Permission | null; retryAt?: Date | undefined } = {},
): string | undefined {
  if (status === 403 && permission) {
    const ask = "Ask for it where the token was issued.";
    return message.includes(permission) ? ask : `The operation is thought to need the permission ${permission}. ${ask}`;
  }
  if (retryAt) return `The server asks to wait until ${retryAt.toISOString()}.`;
  return undefined;
}
