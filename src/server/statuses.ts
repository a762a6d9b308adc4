/** With which statuses each operation may refuse (docs/decisions.md, "Errors"). */

import { taggedRead } from "../schemas/entity-tag.ts";
import { type OperationName, operationRow, pathParameters } from "../schemas/operations.ts";

export const MEANING = {
  400: "A value is not as it must be, or the body is not JSON",
  401: "There is no token, or it is unknown, expired or revoked",
  403: "The token lacks the permission",
  404: "A record that the path names is not there",
  409: "The state of things forbids it",
  412: "The target has changed since it was read",
  413: "The body is too large",
  415: "The body is not declared as JSON",
  421: "The Host is not one of this machine's names",
  500: "A mistake inside; whether a write was done is unknown",
  503: "The store is busy; nothing was done",
} as const;

export type RefusalStatus = keyof typeof MEANING;

export function statusesOf(name: OperationName): RefusalStatus[] {
  const row = operationRow(name);
  const writes = row.method !== "GET";
  const applies: Record<RefusalStatus, boolean> = {
    400: true,
    401: true,
    403: row.permission !== null,
    404: pathParameters(row.path).length > 0,
    409: writes,
    412: taggedRead(name) !== undefined,
    413: writes,
    415: row.body !== undefined,
    421: true,
    500: true,
    503: true,
  };
  return (Object.keys(applies).map(Number) as RefusalStatus[]).filter((status) => applies[status]);
}
