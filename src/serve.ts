/** Connects the local store to the HTTP server. Loaded by `formctl serve`. */

import { randomUUID } from "node:crypto";
import type { LocalService } from "./local-service.ts";
import { isLoopback } from "./schemas/base-url.ts";
import { createHandler, type Handler, type RequestLogEntry } from "./server/handler.ts";
import { hostInUrl, type Listening, listen } from "./server/listen.ts";
import { requestLog } from "./server/request-log.ts";
import { ServiceError } from "./service.ts";
import { yieldToEventLoop } from "./store/event-loop.ts";
import { StoreError, type StoreErrorCode } from "./store/store.ts";
import { setV8Flags } from "./v8-flags.ts";

export type ServeOptions = {
  host: string;
  port: number;
  version: string;
  /** Called with one or more lines of the request log. Each ends with a line feed. */
  write: (lines: string) => void;
};

/** Starts the server. @throws the error of the socket, such as EADDRINUSE */
export function serve(local: LocalService, options: ServeOptions): Promise<Listening> {
  const { host, port, version, write } = options;
  keepYoungSpaceSmall();
  const log = requestLog(write);
  const { fetch, answerAgain } = openHandler(local, { host, version, log });
  return listen({ host, port, handler: fetch, answerAgain, log });
}

/**
 * Keeps V8's space for new objects at the size that it has now, about 8 MiB when measured. Otherwise it grows up to 128
 * MiB while requests are in progress, and keeps that size. The objects are collected more often, which takes up to 15 %
 * of the time of a request that has no cached answer.
 */
function keepYoungSpaceSmall(): void {
  setV8Flags("--semi-space-growth-factor=1");
}

type ServiceHandlerOptions = { host: string; version: string; log?: (entry: RequestLogEntry) => void };

/** Returns the request handler of `serve`. Tests call it without a socket. */
export function serviceHandler(
  local: LocalService,
  options: ServiceHandlerOptions,
): (request: Request) => Promise<Response> {
  const { fetch, answerAgain } = openHandler(local, options);
  return async (request) => {
    const { method, url, headers } = request;
    const [authorization, requestId] = [headers.get("authorization"), headers.get("x-request-id")];
    const again = method === "GET" ? answerAgain({ url, authorization, requestId }) : undefined;
    return again ? new Response(again.text, again) : fetch(request);
  };
}

function openHandler(local: LocalService, { host, version, log }: ServiceHandlerOptions): Handler {
  return createHandler({
    authenticate: (token) => local.authenticate(token),
    dataVersion: () => local.version(),
    now: () => performance.now(),
    newRequestId: randomUUID,
    loopbackOnly: isLoopback(hostInUrl(host)),
    refusalOf,
    yieldToEventLoop,
    version,
    ...(log && { log }),
  });
}

/** Errors of the store that are reported to clients. In each case nothing was written. */
const OF_THE_STORE: Partial<Record<StoreErrorCode, { status: number; message: string }>> = {
  STORE_BUSY: { status: 503, message: "another process keeps the store locked; nothing was written" },
  STORE_READ_ONLY: { status: 503, message: "the store is read-only; nothing was written" },
  STORE_FULL: { status: 507, message: "the disk of the store is full; nothing was written" },
};

function refusalOf(error: unknown): ServiceError | undefined {
  if (!(error instanceof StoreError)) return undefined;
  const { code, record } = error;
  // The message omits the path of the store, which is only for the log.
  if (code === "STORE_CORRUPT") {
    return new ServiceError(503, {
      code,
      message: `${record ?? "the store"} is damaged. The operator can restore a backup: formctl local restore FILE`,
    });
  }
  const known = OF_THE_STORE[code];
  return known && new ServiceError(known.status, { code, message: known.message });
}
