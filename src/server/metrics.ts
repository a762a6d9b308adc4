/**
 * Counts requests, and prints the counts in the text format of Prometheus
 * (prometheus.io/docs/instrumenting/exposition_formats). A request changes only a few numbers. Everything else is
 * computed when the metrics are read. No label contains data of an organization.
 */

import type { RequestLogEntry } from "./request-log.ts";

/** The upper limits of the buckets of the duration histogram, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * The requests of one operation. `statuses` counts them by class, from 1xx to 5xx. `durations` counts them by bucket.
 */
type Series = { statuses: number[]; durations: number[]; seconds: number };

/** A value with its labels, such as `{code="STORE_BUSY"}`. */
export type Sample = { labels?: Readonly<Record<string, string>>; suffix?: string; value: number };
export type Metric = { name: string; help: string; type: "counter" | "gauge" | "histogram"; samples: Sample[] };

export type RequestMetrics = {
  observe: (entry: RequestLogEntry) => void;
  /** Counts a request as in progress until `work` ends. */
  whileInFlight: <T>(work: () => Promise<T>) => Promise<T>;
  read: () => Metric[];
};

export function openRequestMetrics(): RequestMetrics {
  const requests = new Map<string, Series>();
  const limited = new Map<string, number>([
    ["token", 0],
    ["client", 0],
  ]);
  const unauthorized = new Map<string, number>();
  const storeErrors = new Map<string, number>();
  let inFlight = 0;
  const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  const seriesOf = (operation: string): Series => {
    const known = requests.get(operation);
    if (known) return known;
    const series = { statuses: [0, 0, 0, 0, 0], durations: Array<number>(BUCKETS.length + 1).fill(0), seconds: 0 };
    requests.set(operation, series);
    return series;
  };
  return {
    observe({ operation = "none", status, ms, limited: limit, unauthorized: reason, error }) {
      const series = seriesOf(operation);
      const seconds = ms / 1000;
      const bucket = BUCKETS.findIndex((upper) => seconds <= upper);
      series.statuses[Math.trunc(status / 100) - 1]!++;
      series.durations[bucket === -1 ? BUCKETS.length : bucket]!++;
      series.seconds += seconds;
      if (limit) count(limited, limit);
      if (reason) count(unauthorized, reason);
      const code = error === undefined ? undefined : (error as { code?: unknown }).code;
      if (typeof code === "string" && code.startsWith("STORE_")) count(storeErrors, code);
    },
    async whileInFlight(work) {
      inFlight++;
      try {
        return await work();
      } finally {
        inFlight--;
      }
    },
    read: () => [
      {
        name: "formctl_http_requests_total",
        help: "Answered requests by operation and class of the status.",
        type: "counter",
        samples: [...requests].flatMap(([operation, { statuses }]) =>
          statuses.flatMap((value, index) =>
            value > 0 ? [{ labels: { operation, status: `${index + 1}xx` }, value }] : [],
          ),
        ),
      },
      {
        name: "formctl_http_request_duration_seconds",
        help: "Time until an answer was complete, without the time to send it.",
        type: "histogram",
        samples: [...requests].flatMap(([operation, series]) => histogram({ operation }, series)),
      },
      {
        name: "formctl_http_requests_in_flight",
        help: "Requests that are being answered.",
        type: "gauge",
        samples: [{ value: inFlight }],
      },
      {
        name: "formctl_http_requests_limited_total",
        help: "Requests refused with 429: the token, or the client with invalid tokens, sent too many.",
        type: "counter",
        samples: samplesOf("limit", limited),
      },
      {
        name: "formctl_authentication_failures_total",
        help: "Requests refused with 401, by reason.",
        type: "counter",
        samples: samplesOf("reason", unauthorized),
      },
      {
        name: "formctl_store_errors_total",
        help: "Requests that failed because of the store, by error code.",
        type: "counter",
        samples: samplesOf("code", storeErrors),
      },
    ],
  };
}

function samplesOf(label: string, counts: ReadonlyMap<string, number>): Sample[] {
  return [...counts].map(([key, value]) => ({ labels: { [label]: key }, value }));
}

function histogram(labels: Readonly<Record<string, string>>, { durations, seconds }: Series): Sample[] {
  let count = 0;
  const buckets = durations.map((value, index) => {
    count += value;
    return { suffix: "_bucket", labels: { ...labels, le: `${BUCKETS[index] ?? "+Inf"}` }, value: count };
  });
  return [...buckets, { suffix: "_sum", labels, value: seconds }, { suffix: "_count", labels, value: count }];
}

/** Renders metrics as text. A metric without a sample has only its description. */
export function renderMetrics(metrics: readonly Metric[]): string {
  return metrics
    .flatMap(({ name, help, type, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(({ labels = {}, suffix = "", value }) => `${name}${suffix}${labelText(labels)} ${value}`),
    ])
    .map((line) => `${line}\n`)
    .join("");
}

/** Label values come from this program, so they need no escapes. */
function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
