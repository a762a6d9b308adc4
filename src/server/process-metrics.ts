/** The metrics of the process: memory, processor time, and the delay of the event loop. */

import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Metric } from "./metrics.ts";

/** The interval in milliseconds at which the delay is measured. */
const RESOLUTION_MS = 20;

/** Starts to measure. @returns a function that reads the metrics. The delay is measured from one read to the next */
export function openProcessMetrics(version: string): () => Metric[] {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const startedAt = Date.now() / 1000 - process.uptime();
  return () => {
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed } = process.memoryUsage();
    // The histogram contains the intervals between measurements, so `RESOLUTION_MS` is subtracted. An empty histogram
    // has no maximum.
    const seconds = (nanoseconds: number) =>
      delay.count === 0 ? 0 : Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000);
    const quantiles = [50, 99].map((percent) => ({
      labels: { quantile: `${percent / 100}` },
      value: seconds(delay.percentile(percent)),
    }));
    const samples = [...quantiles, { labels: { quantile: "1" }, value: seconds(delay.max) }];
    delay.reset();
    const gauge = (name: string, help: string, value: number): Metric => ({
      name,
      help,
      type: "gauge",
      samples: [{ value }],
    });
    return [
      {
        name: "formctl_event_loop_delay_seconds",
        help: "How late the event loop was since the metrics were last read; quantile 1 is the maximum.",
        type: "gauge",
        samples,
      },
      gauge("process_resident_memory_bytes", "Resident memory of the process.", rss),
      gauge("formctl_heap_used_bytes", "Used memory of V8's heap.", heapUsed),
      gauge("process_start_time_seconds", "Start of the process, in seconds since 1970.", startedAt),
      {
        name: "process_cpu_seconds_total",
        help: "Processor time of the process.",
        type: "counter",
        samples: [{ value: (user + system) / 1e6 }],
      },
      {
        name: "formctl_build_info",
        help: "The version of formctl.",
        type: "gauge",
        samples: [{ labels: { version }, value: 1 }],
      },
    ];
  };
}
