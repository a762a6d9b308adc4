/** Answers `GET /metrics`. The clients of the API must not read the metrics, so the metrics have their own listener. */

import { isLoopback } from "../schemas/base-url.ts";
import { type Metric, renderMetrics } from "./metrics.ts";

/**
 * Returns the handler of the listener.
 *
 * @param loopbackOnly whether to accept only the host names of this machine. Otherwise a web page could point its own
 *   host name to this machine and read the metrics
 */
export function metricsPage(
  read: () => readonly Metric[],
  { loopbackOnly }: { loopbackOnly: boolean },
): (request: Request) => Promise<Response> {
  return async ({ method, url }) => {
    const { hostname, pathname } = new URL(url);
    if (loopbackOnly && !isLoopback(hostname)) return plain(421, "only the hosts localhost, 127.0.0.1 and [::1]\n");
    if (pathname !== "/metrics") return plain(404, "the metrics are at /metrics\n");
    if (method !== "GET" && method !== "HEAD") return plain(405, "only GET and HEAD\n", { allow: "GET, HEAD" });
    return plain(200, method === "GET" ? renderMetrics(read()) : null);
  };
}

function plain(status: number, text: string | null, headers: Record<string, string> = {}): Response {
  return new Response(text, {
    status,
    headers: {
      "content-type": "text/plain; version=0.0.4; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      ...headers,
    },
  });
}
