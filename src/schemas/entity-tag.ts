/** Computes and compares entity tags for `ETag` and `If-Match` (RFC 9110 §8.8.3; docs/decisions.md, "Entity tags"). */

import { sha256 } from "../base/sha256.ts";
import { type OperationName, operationRow, operations } from "./operations.ts";

const names = Object.keys(operations) as OperationName[];

/**
 * Returns the GET operation at the path of a PUT, PATCH or DELETE, if there is one. `If-Match` of the write refers to
 * the response of this GET.
 */
export function taggedRead(name: OperationName): OperationName | undefined {
  const { method, path } = operationRow(name);
  if (method !== "PUT" && method !== "PATCH" && method !== "DELETE") return undefined;
  return names.find((other) => operationRow(other).method === "GET" && operationRow(other).path === path);
}

/**
 * Whether the response of an operation has an entity tag. The response must have a body, and the operation must be a
 * write with a {@link taggedRead} or the tagged read of a write.
 */
export function hasEntityTag(name: OperationName): boolean {
  if (operationRow(name).result === undefined) return false;
  return taggedRead(name) !== undefined || names.some((write) => taggedRead(write) === name);
}

/** Returns the strong entity tag of a response, computed from its JSON text. */
export function entityTag(json: string): string {
  return `"${sha256(json, "base64url").slice(0, 22)}"`;
}

/** Whether `If-Match` accepts a record with `tag`. A weak tag never matches (RFC 9110 §13.1.1). */
export function isMatch(ifMatch: string, tag: string): boolean {
  return ifMatch.split(",").some((part) => part.trim() === "*" || part.trim() === tag);
}
