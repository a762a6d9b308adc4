/** The statuses with which the service refuses requests. */

import { taggedRead } from "./entity-tag.ts";
import { type OperationName, operationRow, pathParameters } from "./operations.ts";

/** The meaning of each status of a refusal, for any operation. */
export const MEANING = {
  400: "A value is invalid, or the body is not JSON",
  401: "The token is missing, unknown, expired or revoked",
  403: "The token lacks the permission",
  404: "A record that the path names does not exist",
  408: "The request was not received in time",
  409: "The current state does not allow the request",
  412: "The target changed after it was read",
  413: "The body is too large",
  414: "The URL is too long",
  415: "The body is not declared as JSON",
  417: "Only the expectation 100-continue is supported",
  421: "The Host is not a host name of this machine",
  429: "The token sends too many requests, or too many requests with invalid tokens come from its address",
  431: "The headers are too large",
  500: "Internal error. Whether a write was done is unknown",
  503: "The store is busy, damaged, read-only or unreachable. Nothing was done",
  507: "The disk of the store is full. Nothing was done",
} as const;

type RefusalStatus = keyof typeof MEANING;

/** The statuses of errors that any request can get. */
export const OF_ANY_REQUEST = [400, 408, 414, 417, 421, 431, 500] as const satisfies RefusalStatus[];

/** Returns the statuses of the refusals of an operation. */
export function refusalsOf(name: OperationName): RefusalStatus[] {
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
    429: true,
    503: true,
    507: writes,
  };
  const own = Object.entries(applies).flatMap(([status, isOne]) => (isOne ? [Number(status) as RefusalStatus] : []));
  return [...OF_ANY_REQUEST, ...own];
}
