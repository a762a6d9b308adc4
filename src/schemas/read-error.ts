/** Reads the error object of any server (docs/decisions.md, "Tolerance"). */

import type { ErrorBody, IdempotencyConflict, Impact, ReportedMessage, ReportedValidation } from "./error-body.ts";
import { isJsonObject, type JsonObject } from "./json.ts";

type Members = Omit<ErrorBody, "code" | "message">;

/** Reads the members that the API defines. Empty members are removed, unknown ones are kept. */
export function readErrorMembers(error: JsonObject): Members {
  const entries = Object.entries(error).map(
    ([name, value]) => [name, Object.hasOwn(READERS, name) ? READERS[name as keyof Members](value) : value] as const,
  );
  // `Object.fromEntries` creates a member named `__proto__`. An assignment would change the prototype.
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

const READERS: { [K in keyof Members]-?: (value: unknown) => Members[K] } = {
  fieldErrors: readFieldErrors,
  errors: (value) => present(listOf(value).map((item) => ({ ...(isJsonObject(item) && item), message: textOf(item) }))),
  validation: readValidation,
  impacts: (value) => present(listOf(value).map(readImpact)),
  unavailableMutationScopes: (value) => present(listOf(value).map(textOf)),
  clientMutationId: readText,
  meta: readObject,
  relationTableErrors: readObject,
  idempotencyConflict: readConflict,
};

/** Returns the code of an error. The code may be a string or a number. */
export function readCode(error: JsonObject): string | undefined {
  return firstText(error["code"]);
}

export function firstText(...values: unknown[]): string | undefined {
  return values.map(readText).find((text) => text !== undefined);
}

/** Reads messages by path. An item of a list may name its field. Otherwise the path is empty. */
function readFieldErrors(value: unknown): Record<string, string[]> | undefined {
  const entries = isJsonObject(value)
    ? Object.entries(value).map(([path, messages]) => [path, listOf(messages).map(textOf)] as const)
    : listOf(value).map((item) => [fieldOf(item), [textOf(item)]] as const);
  const byPath = new Map<string, string[]>();
  for (const [path, messages] of entries) byPath.set(path, [...(byPath.get(path) ?? []), ...messages]);
  return byPath.size === 0 ? undefined : Object.fromEntries(byPath);
}

function fieldOf(item: unknown): string {
  return (isJsonObject(item) && firstText(item["path"], item["field"])) || "";
}

/** Reads a validation: an object with lists of messages, one list of messages, or only the state. */
export function readValidation(value: unknown): ReportedValidation | undefined {
  if (typeof value === "string") return value === "" ? undefined : { state: value, errors: [], warnings: [] };
  if (Array.isArray(value)) {
    const isWarning = (item: unknown) => isJsonObject(item) && item["severity"] === "warning";
    const errors = value.filter((item) => !isWarning(item));
    return { errors: readMessages(errors, "error"), warnings: readMessages(value.filter(isWarning), "warning") };
  }
  if (!isJsonObject(value)) return undefined;
  const { state: said, errors, warnings, ...others } = value;
  const state = readText(said);
  return {
    ...others,
    ...(state !== undefined && { state }),
    errors: readMessages(errors, "error"),
    warnings: readMessages(warnings, "warning"),
  };
}

/** Reads messages and keeps the order of their members. */
function readMessages(value: unknown, severity: "error" | "warning"): ReportedMessage[] {
  return listOf(value).map((item) => {
    const members = Object.entries(isJsonObject(item) ? item : {}).map(([name, member]) => [
      name,
      TEXTS.has(name) ? readText(member) : name === "meta" ? readObject(member) : member,
    ]);
    const known = members.filter(([, member]) => member !== undefined);
    return { ...(Object.fromEntries(known) as JsonObject), severity, message: textOf(item) };
  });
}

const TEXTS = new Set(["code", "path", "blockId", "mode"]);

/** Reads an impact. Members of an unexpected type are left out. */
export function readImpact(value: unknown): Impact {
  if (!isJsonObject(value)) return {};
  const impact: Impact = {};
  for (const name of ["draftId", "fieldKey", "action"] as const) {
    const text = readText(value[name]);
    if (text !== undefined) impact[name] = text;
  }
  for (const name of ["reasons", "referencedByLayouts", "requires"] as const) {
    const list = value[name];
    if (Array.isArray(list) && list.every((item) => typeof item === "string")) impact[name] = list;
  }
  if (typeof value["valueCount"] === "number") impact.valueCount = value["valueCount"];
  return impact;
}

function readConflict(value: unknown): IdempotencyConflict | undefined {
  if (!isJsonObject(value)) return undefined;
  const { layoutId } = value;
  const read: IdempotencyConflict = typeof layoutId === "string" || layoutId === null ? { layoutId } : {};
  for (const name of ["clientMutationId", "operation", "firstSeenAt", "reason"] as const) {
    const text = readText(value[name]);
    if (text !== undefined) read[name] = text;
  }
  return read;
}

function readObject(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

function readText(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns the message of an item: its text, its `message`, or its JSON text. */
export function textOf(item: unknown): string {
  if (typeof item === "string") return item;
  return (isJsonObject(item) && readText(item["message"])) || (JSON.stringify(item) ?? "");
}

/** Returns a value as a list. A single item becomes a list of one, and an empty value becomes an empty list. */
export function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  const isNothing = value === undefined || value === null || value === "";
  return isNothing || (isJsonObject(value) && Object.keys(value).length === 0) ? [] : [value];
}

function present<T>(list: T[]): T[] | undefined {
  return list.length === 0 ? undefined : list;
}
