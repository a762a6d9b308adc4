/** Entity tags of RFC 9110 §8.8.3: what `ETag` says and `If-Match` asks for (docs/decisions.md, "Extensions"). */

import { sha256 } from "../sha256.ts";
import { type OperationName, operationRow, operations } from "./operations.ts";

const names = Object.keys(operations) as OperationName[];

/**
 * The read at the same path as a replacement, change or deletion: its answer is what `If-Match` speaks of.
 * Of a path to which records are added there is none.
 */
export function taggedRead(name: OperationName): OperationName | undefined {
  const { method, path } = operationRow(name);
  if (method !== "PUT" && method !== "PATCH" && method !== "DELETE") return undefined;
  return names.find((other) => operationRow(other).method === "GET" && operationRow(other).path === path);
}

/** Whether the answer of an operation has an entity tag: that of a tagged read, or of a write that answers the same. */
export function hasEntityTag(name: OperationName): boolean {
  if (operationRow(name).result === undefined) return false;
  return taggedRead(name) !== undefined || names.some((write) => taggedRead(write) === name);
}

/** The strong entity tag of an answer, from its JSON text: another answer, another tag. */
export function entityTag(json: string): string {
  return `"${sha256(json, "base64url").slice(0, 22)}"`;
}

/** Whether `If-Match` lets a request through whose target has `tag`. A weak tag never matches (RFC 9110 §13.1.1). */
export function isMatch(ifMatch: string, tag: string): boolean {
  return ifMatch.split(",").some((part) => part.trim() === "*" || part.trim() === tag);
}
