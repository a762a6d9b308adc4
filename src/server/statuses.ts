/** With which statuses each operation may refuse (docs/decisions.md, "Errors"). */

import { taggedRead } from "../schemas/entity-tag.ts";
import { type OperationName, operationRow, pathParameters } from "../schemas/operations.ts";

export const MEANING = {
  400: "A value is not as it must be, or the body is not JSON",
  401: "There is no token, or it is unknown, expired or revoked",
  403: "The token lacks the permission",
  404: "A record that the path names is not there",
  408: "The request took too long to arrive",
  409: "The state of things forbids it",
  412: "The target has changed since it was read",
  413: "The body is too large",
  414: "The URL is too long",
  415: "The body is not declared as JSON",
  417: "Only the expectation 100-continue can be met",
  421: "The Host is not one of this machine's names",
  431: "The headers are too large",
  500: "A mistake inside; whether a write was done is unknown",
  503: "The store is busy or can only be read; nothing was done",
  507: "The store has no room left; nothing was done",
} as const;

export type RefusalStatus = keyof typeof MEANING;

/** What is said of the bytes of a request, wherever it goes. */
export const OF_ANY_REQUEST = [400, 408, 414, 417, 421, 431, 500] as const satisfies RefusalStatus[];

export function statusesOf(name: OperationName): RefusalStatus[] {
  const row = operationRow(name);
  const writes = row.method !== "GET";
  const applies: Record<Exclude<RefusalStatus, (typeof OF_ANY_REQUEST)[number]>, boolean> = {
    401: true,
    403: row.permission !== null,
    404: pathParameters(row.path).length > 0,
    409: writes,
    412: taggedRead(name) !== undefined,
    413: writes,
    415: row.body !== undefined,
    503: true,
    507: writes,
  };
  const own = Object.entries(applies).flatMap(([status, isOne]) => (isOne ? [Number(status) as RefusalStatus] : []));
  return [...OF_ANY_REQUEST, ...own];
}
