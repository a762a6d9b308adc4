/** Builds the request path of an operation, and the error of a refusal, for reads.ts and writes.ts. */

import type { OperationRow } from "../schemas/operations.ts";
import { fillPath, PathParameterError, requirePathParameters, writeQuery } from "../schemas/wire.ts";
import { localRefusal, type ServiceError } from "../service.ts";
import { refusal } from "./error-answer.ts";
import type { Sent } from "./transport.ts";

export type AnyInput = Readonly<Record<string, unknown>> & {
  body?: unknown;
  query?: Readonly<Record<string, unknown>>;
};

/**
 * Returns the path and query of a request.
 *
 * @throws INVALID_VALUE for a missing parameter of the path
 * @throws ServiceError 404 for an invalid id. Such an id could turn the path into the path of another endpoint.
 */
export function requestPath(row: OperationRow, input: AnyInput): string {
  requirePathParameters(row.path, input);
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
