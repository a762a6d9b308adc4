/** `formctl serve`: serves the local store over HTTP. */

import { resolve } from "node:path";
import { FormctlError } from "../base/error.ts";
import { isStoreUrl } from "../base/database-url.ts";
import { isLoopback } from "../schemas/base-url.ts";
import { FAULT_GRAMMAR, type Fault, parseFault } from "../schemas/fault.ts";
import { visible } from "../terminal/escape.ts";
import { defineCommand, flag, list, option, type RunningServer, type ServeRequest, wholeNumber } from "./command.ts";

const PORT = wholeNumber(0, 65_535);

const isLoopbackAddress = (host: string) => isLoopback(host === "::1" ? "[::1]" : host);

export default defineCommand({
  details:
    "Requests need a token of the store (formctl local tokens create). Each request is logged to stderr as one line of JSON.\n" +
    "By default only programs on this machine can connect. Another --host requires TLS: the server's own with --tls-cert and --tls-key, or that of a proxy with --behind-proxy.\n" +
    "GET /livez and GET /readyz are probes, and need no token. SIGTERM ends the server after the requests in progress, SIGHUP reads the certificate again.\n" +
    `With --fault, requests fail on purpose, to try a client or a script. ${FAULT_GRAMMAR}`,
  examples: [
    "formctl serve --port 0",
    "formctl serve --port 0 -o json",
    "formctl serve --port 0 --metrics-port 0 --rate-limit 100",
    "formctl serve --port 0 --fault publishLayout:504:after --fault write:429:first=20:retry-after=2",
  ],
  args: {},
  options: {
    host: option("--host <address>", "Address to listen on (default 127.0.0.1)"),
    port: option("--port <number>", "Port; 0 selects a free one (default 8080)", PORT),
    tlsCert: option("--tls-cert <file>", "Certificate of the server with its chain, in PEM"),
    tlsKey: option("--tls-key <file>", "Private key of the certificate, in PEM"),
    behindProxy: flag("--behind-proxy", "Connections come from a proxy with TLS, which sets X-Forwarded-For"),
    rateLimit: option(
      "--rate-limit <number>",
      "Requests per second of one token; 0 for no limit (default 50; no limit if only this machine can connect)",
      wholeNumber(0, 100_000),
    ),
    metricsPort: option("--metrics-port <number>", "Port for GET /metrics, in the format of Prometheus", PORT),
    metricsHost: option("--metrics-host <address>", "Address for GET /metrics (default 127.0.0.1)"),
    drainDelay: option(
      "--drain-delay <seconds>",
      "Time after SIGTERM in which the server accepts requests but is not ready (default 0)",
      wholeNumber(0, 300),
    ),
    fault: list("--fault <fault>", "Let requests fail: WHERE:WHAT[:WHEN...]; repeatable", parseFault),
    faultSeed: option("--fault-seed <number>", "Seed of the faults with a rate", wholeNumber(0, 2 ** 32 - 1)),
  },
  async run(context, { host = "127.0.0.1", port = 8080, tlsCert, tlsKey, behindProxy, ...input }) {
    const { rateLimit, metricsPort, metricsHost = "127.0.0.1", drainDelay } = input;
    const tls = tlsFiles(tlsCert, tlsKey, context.cwd);
    if (tls && behindProxy) {
      throw new FormctlError("USAGE", "--tls-cert and --behind-proxy can't be combined", "Remove one of them.");
    }
    if (input.metricsHost !== undefined && metricsPort === undefined) {
      throw new FormctlError("USAGE", "missing option --metrics-port", "Specify the port of the metrics.");
    }
    if (!isLoopbackAddress(host) && !tls && !behindProxy) {
      throw new FormctlError(
        "USAGE",
        `other machines may reach ${host}, and the connection is not encrypted`,
        "Specify a certificate with --tls-cert and --tls-key, or use a proxy with TLS and add --behind-proxy.",
      );
    }
    const faults = faultsOf(input, { behindProxy, host, store: context.localStore.location });
    // Opens the store before the server starts. A missing store is then an error of this command.
    const hasToken = await (await context.local()).hasToken();
    const request: ServeRequest = {
      host,
      port,
      behindProxy,
      ...(tls && { tls }),
      ...(rateLimit !== undefined && { rateLimit }),
      ...(drainDelay !== undefined && { drainDelay }),
      ...(faults && { faults }),
      ...(metricsPort !== undefined && { metrics: { host: metricsHost, port: metricsPort } }),
    };
    const server = await listening(request, () => context.serve(request));
    return { ...server, store: context.localStore.location, hasToken, faults };
  },
  view({ url, metricsUrl, store, faults }, terminal) {
    terminal.line(`Serving ${store} at ${url}`);
    if (metricsUrl !== undefined) terminal.line(`Metrics at ${metricsUrl}`);
    if (faults) {
      const texts = faults.list.map(({ text }) => text).join(", ");
      terminal.line(`Requests fail on purpose: ${visible(texts)}. The seed is ${faults.seed}.`);
    }
    terminal.hint("Stop it with Ctrl-C.");
  },
  document: ({ url, metricsUrl, faults }) => ({
    url,
    ...(metricsUrl !== undefined && { metricsUrl }),
    ...(faults && { faultSeed: faults.seed }),
  }),
  names: ({ url }) => [url],
  next: ({ hasToken }) =>
    hasToken ? [] : ["formctl local tokens create --name NAME --permission all  # there is no token yet"],
  afterPrint: ({ ended }) => ended,
  keepsRunning: () => true,
  endsOnSignal: true,
});

/**
 * Returns the specified faults, with a random seed if none is specified.
 *
 * @throws USAGE for a server that other users may use: its faults would be taken for those of a real server
 */
function faultsOf(
  { fault, faultSeed }: { fault: readonly Fault[]; faultSeed: number | undefined },
  { behindProxy, host, store }: { behindProxy: boolean; host: string; store: string },
): ServeRequest["faults"] {
  if (fault.length === 0) {
    if (faultSeed === undefined) return undefined;
    throw new FormctlError("USAGE", "missing option --fault", FAULT_GRAMMAR);
  }
  const reason = behindProxy
    ? "--fault and --behind-proxy can't be combined"
    : isStoreUrl(store)
      ? "--fault can't be used with a PostgreSQL database, which others may use"
      : isLoopbackAddress(host)
        ? undefined
        : `--fault can't be used with --host ${host}, which other machines may reach`;
  if (reason !== undefined) {
    throw new FormctlError("USAGE", reason, "Serve a copy of the store on this machine: formctl local backup FILE");
  }
  return { list: fault, seed: faultSeed ?? Math.floor(Math.random() * 2 ** 32) };
}

/**
 * Returns the absolute paths of the certificate and its key. Returns undefined if neither is specified.
 *
 * @throws USAGE if only one of the two is specified
 */
function tlsFiles(cert: string | undefined, key: string | undefined, cwd: string): ServeRequest["tls"] {
  if (cert === undefined && key === undefined) return undefined;
  if (cert !== undefined && key !== undefined) return { cert: resolve(cwd, cert), key: resolve(cwd, key) };
  throw new FormctlError(
    "USAGE",
    `missing option ${cert === undefined ? "--tls-cert" : "--tls-key"}`,
    "Specify the certificate and its key.",
  );
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is in use",
  EACCES: "permission denied",
  EADDRNOTAVAIL: "the address does not belong to this machine",
  ENOTFOUND: "the host name is unknown",
};

/** Starts the server. @throws INVALID_VALUE if an address can't be used */
async function listening(
  { host, port, metrics }: ServeRequest,
  start: () => Promise<RunningServer>,
): Promise<RunningServer> {
  try {
    return await start();
  } catch (error) {
    const { code = "", port: refused } = error as NodeJS.ErrnoException & { port?: number };
    const reason = REASONS[code];
    if (reason === undefined) throw error;
    const isMetrics = metrics !== undefined && refused === metrics.port && refused !== port;
    const options = isMetrics ? "--metrics-host or --metrics-port" : "--host or --port";
    throw new FormctlError(
      "INVALID_VALUE",
      `can't listen on ${isMetrics ? metrics.host : host}, port ${isMetrics ? metrics.port : port}: ${reason}`,
      `Specify another with ${options}; port 0 selects a free port.`,
    );
  }
}
