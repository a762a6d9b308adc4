/**
 * Writes one JSON line for each request, and one for each event of the server. The members of a line are listed
 * explicitly, so that no header or body is logged by mistake.
 */

import { FormctlError } from "../base/error.ts";
import { pino } from "pino";
import type { OperationName } from "../schemas/operations.ts";
import type { TokenRefusal } from "../service.ts";

/** A log entry for one request. It never contains a body, a query or a token. */
export type RequestLogEntry = {
  requestId: string;
  method: string;
  path: string;
  /** The status of the answer; 0 if a fault broke the connection. */
  status: number;
  /** The time until the answer was complete, in milliseconds. The time to send it is not included. */
  ms: number;
  /** Absent if the request is not an operation of the API. */
  operation?: OperationName;
  /** The key of the caller's organization. */
  organization?: string;
  tokenId?: string;
  replayed?: boolean;
  /** Why the request has no caller. `missing` means that the request has no token. */
  unauthorized?: "missing" | TokenRefusal["reason"];
  /** The limit that refused the request. */
  limited?: "token" | "client";
  /** The address of the client. Undefined if the request has a caller and was not refused by a limit. */
  client?: string;
  /** The specified fault of the request (`serve --fault`). */
  fault?: string;
  /** The internal error, which the response does not show. */
  error?: unknown;
};

export type ServerLog = {
  request: (entry: RequestLogEntry) => void;
  event: (level: "info" | "warn", message: string, facts?: Readonly<Record<string, unknown>>) => void;
};

/** How long a repeated error of the store is logged with its code only, in milliseconds. */
const REPETITION_MS = 60_000;

/**
 * @param write receives the lines of one round of the event loop in one call. Each line ends with a line break
 * @param now a clock in milliseconds
 */
export function openLog(write: (lines: string) => void, now = () => performance.now()): ServerLog {
  let lines = "";
  const flush = () => {
    write(lines);
    lines = "";
  };
  const gather = (line: string) => {
    if (lines === "") setImmediate(flush);
    lines += line;
  };
  const options = { base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: withoutDetails } };
  const logger = pino(options, { write: gather });
  let last: { message: string; at: number } | undefined;
  // A store that can't be used fails every request. So its error is logged once, not with each request.
  const isRepeated = ({ message }: FormctlError): boolean => {
    if (last?.message === message && now() - last.at < REPETITION_MS) return true;
    last = { message, at: now() };
    return false;
  };
  return {
    request(entry) {
      const { requestId, method, path, operation, status, ms, organization, tokenId, replayed } = entry;
      const { unauthorized, limited, client, fault, error } = entry;
      // JSON omits the members that are undefined.
      // With the status 500, the error concerns this request: it is an internal error, or its outcome is unknown.
      const code = error instanceof FormctlError && status !== 500 && isRepeated(error) ? error.code : undefined;
      const line = {
        requestId,
        method,
        path,
        operation,
        status,
        ms: Math.round(ms * 10) / 10,
        organization,
        tokenId,
        replayed: replayed || undefined,
        unauthorized,
        limited,
        client,
        fault,
        code,
      };
      if (error !== undefined && code === undefined) logger.error({ ...line, err: error }, "request failed");
      else logger.info(line, "request");
    },
    event: (level, message, facts = {}) => logger[level](facts, message),
  };
}

/**
 * Returns the logged members of an error. Other members of a database error can contain the values of a record. Only an
 * unexpected error has a stack: the message of an error of formctl is enough for the operator.
 */
function withoutDetails(error: Error): object {
  const { type, message, stack, code } = pino.stdSerializers.err(error) as Record<string, unknown>;
  return { type, message, stack: error instanceof FormctlError ? undefined : stack, code };
}
