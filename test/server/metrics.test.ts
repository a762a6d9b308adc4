/** The metrics of a server: what they count, and their text. */

import { get as getOverHttp } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { serve } from "../../src/composition/serve.ts";
import { openRequestMetrics, renderMetrics } from "../../src/server/metrics.ts";
import { StoreError } from "../../src/store/store.ts";
import { CANDIDATE } from "../contract/forms/world.ts";
import { bearer } from "./scene.ts";
import { openServerWorld } from "./server-world.ts";

const FORMS = `/v1/custom-modules/${CANDIDATE.moduleKey}/objects/${CANDIDATE.objectKey}/forms`;

/** Reads the lines of the text format: the value of each name with labels. */
function parse(text: string): Map<string, number> {
  const samples = new Map<string, number>();
  for (const line of text.trimEnd().split("\n")) {
    if (/^# (?:HELP \w+ \S.*|TYPE \w+ (?:counter|gauge|histogram))$/.test(line)) continue;
    const [, name, value] = /^(\w+(?:\{\w+="[^"\\\n]*"(?:,\w+="[^"\\\n]*")*\})?) (\S+)$/.exec(line) ?? [];
    if (name === undefined || Number.isNaN(Number(value))) throw new Error(`not the text format: ${line}`);
    if (samples.has(name)) throw new Error(`twice: ${name}`);
    samples.set(name, Number(value));
  }
  return samples;
}

async function open(change: (local: Local) => Partial<Local> = () => ({})) {
  const world = await openServerWorld();
  const served = await serve(
    { ...world.local, ...change(world.local) },
    {
      host: "127.0.0.1",
      port: 0,
      version: "1.2.3",
      write: () => undefined,
      metrics: { host: "127.0.0.1", port: 0 },
      rateLimit: 1,
    },
  );
  onTestFinished(() => served.stop());
  const read = async () => parse(await (await fetch(served.metricsUrl!)).text());
  const get = async (path: string, token?: string) => {
    const answer = await fetch(served.url + path, { headers: token === undefined ? {} : bearer(token) });
    await answer.text();
    return answer.status;
  };
  return { world, served, read, get };
}
type Local = Awaited<ReturnType<typeof openServerWorld>>["local"];

describe("the metrics", () => {
  it("count requests by operation, status and duration, and what was refused", async () => {
    const { world, read, get } = await open();
    const token = await world.token("northwind");
    const ended = await world.token("northwind", [], new Date(world.clock.now.getTime() + 1000).toISOString());
    world.clock.advance(1000);
    expect(await get(FORMS, token)).toBe(200);
    expect(await get(FORMS, token)).toBe(200);
    expect(await get(FORMS, token)).toBe(429);
    expect(await get(FORMS)).toBe(401);
    expect(await get(FORMS, ended)).toBe(401);
    expect(await get("/nothing")).toBe(401);
    for (const probe of ["/livez", "/readyz"]) expect(await get(probe)).toBe(200);
    const samples = await read();
    expect(Object.fromEntries(samples)).toMatchObject({
      'formctl_http_requests_total{operation="listForms",status="2xx"}': 2,
      'formctl_http_requests_total{operation="listForms",status="4xx"}': 3,
      'formctl_http_requests_total{operation="none",status="4xx"}': 1,
      'formctl_http_request_duration_seconds_bucket{operation="listForms",le="+Inf"}': 5,
      'formctl_http_request_duration_seconds_count{operation="listForms"}': 5,
      'formctl_http_requests_limited_total{limit="token"}': 1,
      'formctl_http_requests_limited_total{limit="client"}': 0,
      'formctl_authentication_failures_total{reason="missing"}': 2,
      'formctl_authentication_failures_total{reason="expired"}': 1,
      formctl_http_requests_in_flight: 0,
      'formctl_build_info{version="1.2.3"}': 1,
    });
    const buckets = [...samples].filter(([name]) => name.includes('_bucket{operation="listForms"')).map(([, n]) => n);
    expect(buckets).toEqual([...buckets].sort((a, b) => a - b));
    for (const name of ["process_resident_memory_bytes", "process_cpu_seconds_total", "formctl_heap_used_bytes"])
      expect(samples.get(name)).toBeGreaterThan(0);
    expect(samples.get('formctl_event_loop_delay_seconds{quantile="1"}')).toBeGreaterThanOrEqual(0);
  });

  it("count errors of the store and requests in progress", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { world, read, get } = await open((local) => ({
      async authenticate() {
        await promise;
        throw new StoreError("STORE_BUSY", "locked", "wait");
      },
      version: () => local.version(),
    }));
    const running = get(FORMS, await world.token("northwind"));
    await expect.poll(async () => (await read()).get("formctl_http_requests_in_flight")).toBe(1);
    resolve();
    expect(await running).toBe(503);
    const samples = await read();
    expect(samples.get('formctl_store_errors_total{code="STORE_BUSY"}')).toBe(1);
    expect(samples.get("formctl_http_requests_in_flight")).toBe(0);
  });

  it("are read at /metrics only, under a name of this machine, and end with the server", async () => {
    const { served } = await open();
    const url = served.metricsUrl!;
    expect((await fetch(url, { method: "POST" })).status).toBe(405);
    expect((await fetch(new URL("/", url))).status).toBe(404);
    const answer = await fetch(url, { method: "HEAD" });
    expect([answer.status, await answer.text()]).toEqual([200, ""]);
    const statusUnder = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        getOverHttp(url, { headers: { host } }, (reply) => resolve(reply.resume().statusCode)).on("error", reject);
      });
    expect([await statusUnder("localhost"), await statusUnder("evil.example")]).toEqual([200, 421]);
    await served.stop();
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });

  it("have the text format without any request", () => {
    const samples = parse(renderMetrics(openRequestMetrics().read()));
    expect([...samples.keys()]).toEqual([
      "formctl_http_requests_in_flight",
      'formctl_http_requests_limited_total{limit="token"}',
      'formctl_http_requests_limited_total{limit="client"}',
    ]);
  });
});
