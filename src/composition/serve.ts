/** Connects a store to the HTTP server. Loaded by `formctl serve`. */

import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { ServeRequest } from "../commands/command.ts";
import type { LocalService } from "../local-service.ts";
import { isLoopback } from "../schemas/base-url.ts";
import { createHandler, type Handler } from "../server/handler.ts";
import type { Faults } from "../server/faults.ts";
import { hostInUrl, type Listening, listen } from "../server/listen.ts";
import type { Metric, RequestMetrics } from "../server/metrics.ts";
import { openRateLimits, type RateLimits } from "../server/rate-limits.ts";
import { openReadiness } from "../server/readiness.ts";
import { openLog, type RequestLogEntry } from "../server/request-log.ts";
import { expiryMetric, readCertificate } from "../server/tls-files.ts";
import { ServiceError } from "../service.ts";
import { yieldToEventLoop } from "../store/event-loop.ts";
import { StoreError, type StoreErrorCode } from "../store/store.ts";

export type ServeOptions = ServeRequest & {
  version: string;
  /** Called with one or more lines of the log. Each line ends with a line feed. */
  write: (lines: string) => void;
};

export type Serving = {
  url: string;
  metricsUrl?: string;
  /**
   * Reports for `drainDelay` seconds that the server is not ready. Then closes the server. Requests in progress can
   * still end, until a time limit aborts them.
   */
  stop: () => Promise<void>;
  /**
   * Reads the files of the certificate again. Called at SIGHUP. A failure is logged, and the former certificate stays
   * in use. `reload` is undefined without TLS: then SIGHUP ends the server.
   */
  reload: (() => void) | undefined;
  /** Ends the faults: later requests have none. */
  endFaults: () => void;
};

/** Starts the server. @throws INVALID_VALUE for unusable TLS files; the error of the socket, such as EADDRINUSE */
export async function serve(local: LocalService, options: ServeOptions): Promise<Serving> {
  const {
    host,
    port,
    version,
    write,
    tls,
    behindProxy = false,
    rateLimit,
    drainDelay = 0,
    faults: specified,
  } = options;
  const log = openLog(write);
  let certificate = tls && readCertificate(tls);
  const ofServer = () => [retriesMetric(local.retries()), ...(certificate ? [expiryMetric(certificate)] : [])];
  const metrics = options.metrics && (await openMetrics(version, options.metrics, ofServer));
  const loopbackOnly = isLoopback(hostInUrl(host)) && !behindProxy;
  const readiness = openReadiness({
    ask: () => local.ping(),
    describe: (error) => refusalOf(error)?.message ?? "the store can't be used",
    now,
    onChange: (reason) =>
      reason === undefined ? log.event("info", "ready again") : log.event("warn", "not ready", { reason }),
  });
  const perSecond = rateLimit ?? (loopbackOnly ? 0 : DEFAULT_RATE_LIMIT);
  const record = (entry: RequestLogEntry) => {
    metrics?.requests.observe(entry);
    log.request(entry);
  };
  const faults = specified && (await import("../server/faults.ts")).openFaults(specified);
  const { fetch, answerAgain } = openHandler(local, {
    loopbackOnly,
    version,
    log: record,
    ...(faults && { faults }),
    readiness: readiness.check,
    // A server that only this machine can reach has no rate limits by default.
    ...((!loopbackOnly || perSecond > 0) && { rateLimits: openRateLimits({ perSecond, now }) }),
  });
  const handler: Handler["fetch"] = metrics
    ? (request, ...connection) => metrics.requests.whileInFlight(() => fetch(request, ...connection))
    : fetch;
  const listening = await listen({
    host,
    port,
    handler,
    answerAgain,
    log: record,
    behindProxy,
    ...(certificate && { certificate }),
  }).catch(async (error: unknown) => {
    await metrics?.listening.stop();
    throw error;
  });
  return {
    url: listening.url,
    ...(metrics && { metricsUrl: `${metrics.listening.url}/metrics` }),
    endFaults: () => faults?.end(),
    async stop() {
      readiness.drain();
      listening.drain();
      log.event("info", "stopping", { drainDelay });
      await wait(drainDelay * 1000);
      faults?.end();
      await listening.stop((requests) =>
        log.event("warn", "requests were aborted, because they did not end in time", { requests }),
      );
      await metrics?.listening.stop();
      log.event("info", "stopped");
    },
    reload:
      tls &&
      (() => {
        try {
          const renewed = readCertificate(tls);
          listening.renew(renewed);
          certificate = renewed;
          log.event("info", "the certificate was read again");
        } catch (error) {
          log.event("warn", "the former certificate stays in use", { reason: (error as Error).message });
        }
      }),
  };
}

const DEFAULT_RATE_LIMIT = 50;

const now = () => performance.now();

/** Starts the listener of the metrics. Without this listener, no requests are counted. */
async function openMetrics(
  version: string,
  { host, port }: { host: string; port: number },
  ofServer: () => Metric[],
): Promise<{ requests: RequestMetrics; listening: Listening }> {
  const { openRequestMetrics } = await import("../server/metrics.ts");
  const { openProcessMetrics } = await import("../server/process-metrics.ts");
  const { metricsPage } = await import("../server/metrics-page.ts");
  const requests = openRequestMetrics();
  const ofProcess = openProcessMetrics(version);
  const loopbackOnly = isLoopback(hostInUrl(host));
  const handler = metricsPage(() => [...requests.read(), ...ofServer(), ...ofProcess()], { loopbackOnly });
  return { requests, listening: await listen({ host, port, handler }) };
}

function retriesMetric(value: number): Metric {
  return {
    name: "formctl_store_retries_total",
    help: "Transactions that ran again, because of concurrent ones or a lost connection.",
    type: "counter",
    samples: [{ value }],
  };
}

type ServiceHandlerOptions = Pick<OpenHandlerOptions, "version" | "log" | "faults"> & { host: string };

/** Returns the request handler of `serve`. Tests call it, also without a socket if they have no faults. */
export function serviceHandler(local: LocalService, { host, ...options }: ServiceHandlerOptions): Handler["fetch"] {
  const { fetch, answerAgain } = openHandler(local, { ...options, loopbackOnly: isLoopback(hostInUrl(host)) });
  return async (request, ...connection) => {
    const { method, url, headers } = request;
    const [authorization, requestId] = [headers.get("authorization"), headers.get("x-request-id")];
    const again = method === "GET" ? answerAgain({ url, authorization, requestId }) : undefined;
    return again ? new Response(again.text, again) : fetch(request, ...connection);
  };
}

type OpenHandlerOptions = {
  loopbackOnly: boolean;
  version: string;
  log?: (entry: RequestLogEntry) => void;
  readiness?: () => Promise<string | undefined>;
  rateLimits?: RateLimits;
  faults?: Faults;
};

function openHandler(local: LocalService, options: OpenHandlerOptions): Handler {
  return createHandler({
    ...options,
    authenticate: (token, onRefused) => local.authenticate(token, onRefused),
    dataVersion: () => local.version(),
    now,
    newRequestId: randomUUID,
    refusalOf,
    yieldToEventLoop,
  });
}

/** Errors of the store that are reported to clients. With a status other than 500, nothing was written. All others get 503. */
const OF_THE_STORE: Partial<Record<StoreErrorCode, { status: number; message: string }>> = {
  STORE_BUSY: { status: 503, message: "other requests or processes keep the store locked; nothing was written" },
  STORE_UNREACHABLE: { status: 503, message: "the database of the store can't be reached; nothing was written" },
  STORE_NEWER: { status: 503, message: "a newer version of formctl has upgraded the store; nothing was written" },
  STORE_MISSING: { status: 503, message: "the store does not exist; nothing was written" },
  STORE_FOREIGN: { status: 503, message: "tables of the store are missing; nothing was written" },
  STORE_DENIED: { status: 503, message: "the server lacks a permission of the database; nothing was written" },
  STORE_READ_ONLY: { status: 503, message: "the store is read-only; nothing was written" },
  STORE_FULL: { status: 507, message: "the disk of the store is full; nothing was written" },
  STORE_OUTCOME_UNKNOWN: { status: 500, message: "the store did not confirm the commit, so the change may be stored" },
};

function refusalOf(error: unknown): ServiceError | undefined {
  if (!(error instanceof StoreError)) return undefined;
  const { code, record } = error;
  // Clients must not see the path of the store, so the message omits the path.
  if (code === "STORE_CORRUPT") {
    return new ServiceError(503, {
      code,
      message: `${record ?? "the store"} is damaged. The operator can restore a backup: formctl local restore FILE`,
    });
  }
  const { status, message } = OF_THE_STORE[code] ?? { status: 503, message: "the store can't be used" };
  return new ServiceError(status, { code, message });
}
