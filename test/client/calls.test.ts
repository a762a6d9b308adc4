/** Limits and observation of calls, with `createClient` on real sockets. */

import { setTimeout as sleep } from "node:timers/promises";
import { context, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { UndiciInstrumentation } from "@opentelemetry/instrumentation-undici";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Attempt, type Client, type ClientOptions, createClient, FormctlError } from "../../src/index.ts";
import { newCanary } from "../canary.ts";
import { type Received, type Reply, startServer, type TableServer } from "./table-server.ts";

const FORM = { moduleKey: "staffing", objectKey: "candidate", formId: "frm_1" };
const CREATION = { moduleKey: "staffing", objectKey: "candidate", body: { name: "Form", types: ["VIEW" as const] } };
const EMPTY_LIST: Reply = { status: 200, body: { data: [], meta: { hasMore: false } } };

async function connect(
  answer: (request: Received) => Promise<Reply> | Reply,
  options: Partial<ClientOptions> = {},
): Promise<{ server: TableServer; client: Client }> {
  const server = await startServer(answer);
  const client = createClient({ baseUrl: server.url, token: newCanary(), ...options });
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  return { server, client };
}

/** A server that never answers requests of this method. */
const silent = (method: string) => (request: Received) =>
  request.method === method ? new Promise<Reply>(() => {}) : EMPTY_LIST;

async function failureOf(call: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  return call.then(
    () => expect.fail("the call succeeds"),
    (error: unknown) => error as Error & Record<string, unknown>,
  );
}

async function until(isTrue: () => boolean): Promise<void> {
  await expect.poll(isTrue).toBe(true);
}

describe("a signal", () => {
  it("cancels a read that was sent", async () => {
    const { server, client } = await connect(silent("GET"));
    const abort = new AbortController();
    const call = failureOf(client.getForm(FORM, { signal: abort.signal }));
    await until(() => server.received.length === 1);
    abort.abort();
    expect(await call).toBe(abort.signal.reason);
  });

  it("that is aborted right after the call sends nothing", async () => {
    const { server, client } = await connect(() => new Promise<Reply>(() => {}));
    for (const call of [
      (signal: AbortSignal) => client.getForm(FORM, { signal }),
      (signal: AbortSignal) => client.updateForm({ ...FORM, body: { name: "Other" } }, { signal }),
    ]) {
      const abort = new AbortController();
      const failure = failureOf(call(abort.signal));
      abort.abort();
      expect(await failure).toBe(abort.signal.reason);
    }
    expect(server.received).toEqual([]);
  });

  it("that is aborted before the call sends nothing", async () => {
    const { server, client } = await connect(() => EMPTY_LIST);
    const signal = AbortSignal.abort(new Error("no more"));
    await expect(client.getForm(FORM, { signal })).rejects.toThrow("no more");
    await expect(client.createForm(CREATION, { signal })).rejects.toThrow("no more");
    await expect(client.request({ method: "GET", path: "/v1/currencies" }, { signal })).rejects.toThrow("no more");
    expect(server.received).toEqual([]);
  });

  it("leaves the outcome of a write open that was sent, and reads nothing", async () => {
    const { server, client } = await connect(silent("POST"));
    const abort = new AbortController();
    const call = failureOf(client.createForm(CREATION, { signal: abort.signal }));
    await until(() => server.received.some(({ method }) => method === "POST"));
    const before = server.received.length;
    abort.abort();
    expect(await call).toMatchObject({ code: "OUTCOME_UNKNOWN", cause: abort.signal.reason, operation: "createForm" });
    expect(server.received).toHaveLength(before);
  });

  it("ends the wait after a 429 and after a 503", async () => {
    for (const status of [429, 503]) {
      const { server, client } = await connect(() => ({ status, headers: { "retry-after": "30" } }));
      const abort = new AbortController();
      const call = failureOf(client.getForm(FORM, { signal: abort.signal }));
      await until(() => server.received.length === 1);
      await sleep(50);
      abort.abort();
      expect(await call).toBe(abort.signal.reason);
      expect(server.received).toHaveLength(1);
    }
  });

  it("that is aborted while the rate lets a call start sends nothing", async () => {
    const { server, client } = await connect(() => EMPTY_LIST);
    const abort = new AbortController();
    queueMicrotask(() => abort.abort());
    const call = failureOf(client.getForm(FORM, { signal: abort.signal }));
    expect(await call).toBe(abort.signal.reason);
    expect(server.received).toEqual([]);
  });

  it("that aborts several calls gets the operation of none of them", async () => {
    const { client } = await connect(() => EMPTY_LIST);
    const reason = new FormctlError("USAGE", "no more");
    await failureOf(client.getForm(FORM, { signal: AbortSignal.abort(reason) }));
    expect(reason.operation).toBeUndefined();
  });

  it("of the client aborts each call", async () => {
    const abort = new AbortController();
    const { server, client } = await connect(silent("GET"), { signal: abort.signal });
    const calls = [client.getForm(FORM), client.listVersions({ layoutId: "lay_1" })].map(failureOf);
    await until(() => server.received.length === 2);
    abort.abort();
    expect(await Promise.all(calls)).toEqual([abort.signal.reason, abort.signal.reason]);
  });
});

describe("a time limit", () => {
  it("is the limit of the whole call, with the waits that the server requests", async () => {
    for (const status of [429, 503]) {
      const { server, client } = await connect(() => ({ status, headers: { "retry-after": "45" } }), {
        timeout: 2_000,
      });
      const started = performance.now();
      expect(await failureOf(client.getForm(FORM))).toMatchObject({ status, retryAt: expect.any(Date) as Date });
      expect(performance.now() - started).toBeLessThan(2_000);
      expect(server.received).toHaveLength(1);
    }
  });

  it("refuses a call that would have to wait for longer, because another call was limited", async () => {
    const { client } = await connect(() => ({ status: 429, headers: { "retry-after": "45" } }));
    const stop = new AbortController();
    const first = failureOf(client.getForm(FORM, { signal: stop.signal }));
    await sleep(100);
    const call = client.listVersions({ layoutId: "lay_1" }, { timeout: 500 });
    expect(await failureOf(call)).toMatchObject({ code: "TIMED_OUT", sent: false });
    stop.abort();
    await first;
  });

  it("ends a read without an answer", async () => {
    const { client } = await connect(silent("GET"));
    const error = await failureOf(client.getForm(FORM, { timeout: 50 }));
    expect(error).toMatchObject({ code: "TIMED_OUT", sent: true, operation: "getForm" });
  });

  it("leaves the outcome of a write open, without a read of its effect", async () => {
    const { server, client } = await connect(silent("POST"));
    const error = await failureOf(client.createForm(CREATION, { timeout: 300 }));
    expect(error).toMatchObject({ code: "OUTCOME_UNKNOWN", cause: { code: "TIMED_OUT" } });
    expect(server.received.at(-1)!.method).toBe("POST");
  });

  it("of a call may be longer than that of the client", async () => {
    const slow = () => sleep(200).then(() => EMPTY_LIST);
    const { client } = await connect(slow, { timeout: 50 });
    expect(await client.listVersions({ layoutId: "lay_1" }, { timeout: 5_000 })).toEqual([]);
  });

  it("ends a creation before its request, if the forms can't be listed", async () => {
    const { server, client } = await connect(silent("GET"));
    const error = await failureOf(client.createForm(CREATION, { timeout: 300 }));
    expect(error).toMatchObject({ code: "TIMED_OUT", sent: false, operation: "createForm" });
    expect(server.received.map(({ method }) => method)).toEqual(["GET"]);
  });

  it("of the client applies to a call without one", async () => {
    const { client } = await connect(silent("GET"), { timeout: 50 });
    expect(await failureOf(client.getForm(FORM))).toMatchObject({ code: "TIMED_OUT" });
    expect(await failureOf(client.request({ method: "GET", path: "/v1/x" }))).toMatchObject({ code: "TIMED_OUT" });
  });

  it("leaves no timer behind (control: a call in progress has one)", async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const { client } = await connect(() => EMPTY_LIST);
    const before = timers();
    const call = client.listVersions({ layoutId: "lay_1" }, { timeout: 60_000 });
    expect(timers()).toBe(before + 1);
    await call;
    expect(timers()).toBeLessThanOrEqual(before);
  });
});

describe("maxRetries", () => {
  it.each([
    [500, 1],
    [503, 3],
    [429, 3],
  ])("limits the repetitions after %s", async (status, expected) => {
    const { server, client } = await connect(() => ({ status, headers: { "retry-after": "0" } }));
    expect(await failureOf(client.getForm(FORM, { maxRetries: 2 }))).toMatchObject({ status });
    expect(server.received).toHaveLength(expected);
    server.received.length = 0;
    expect(await failureOf(client.getForm(FORM, { maxRetries: 0 }))).toMatchObject({ status });
    expect(server.received).toHaveLength(1);
  });

  it("counts the repetitions of a write that the caller checks before each of them", async () => {
    const { server, client } = await connect(({ method }) =>
      method === "PATCH" ? { status: 429, headers: { "retry-after": "0" } } : EMPTY_LIST,
    );
    let checks = 0;
    const beforeRepeat = () => Promise.resolve(void checks++);
    const call = client.updateForm({ ...FORM, body: { name: "Other" } }, { maxRetries: 2, isOnce: true, beforeRepeat });
    expect(await failureOf(call)).toMatchObject({ status: 429 });
    expect(server.received.filter(({ method }) => method === "PATCH")).toHaveLength(3);
    expect(checks).toBe(2);
  });

  it("may be more than the default", async () => {
    const { server, client } = await connect(() => ({ status: 503, headers: { "retry-after": "0" } }), {
      maxRetries: 6,
    });
    await failureOf(client.getForm(FORM));
    expect(server.received).toHaveLength(7);
  });
});

describe("headers", () => {
  it("of the client and of the call are sent", async () => {
    const { server, client } = await connect(() => EMPTY_LIST, { headers: { "X-Team": "forms", "x-run": "1" } });
    await client.listVersions({ layoutId: "lay_1" }, { headers: { "x-run": "2", "user-agent": "mine/1.0" } });
    expect(server.received[0]!.headers).toMatchObject({ "x-team": "forms", "x-run": "2", "user-agent": "mine/1.0" });
  });

  it.each([
    [{ Authorization: "Bearer other" }, /"Authorization" is set by formctl/],
    [{ "content-type": "text/plain" }, /is set by formctl/],
    [{ "x y": "1" }, /is not the name of a header/],
    [{ "x-line": "a\r\nx-other: b" }, /is not a header value/],
  ])("are refused before a request: %j", async (headers, message) => {
    const { server, client } = await connect(() => EMPTY_LIST);
    const error = await failureOf(client.listVersions({ layoutId: "lay_1" }, { headers }));
    expect(error).toMatchObject({ code: "INVALID_VALUE", message: expect.stringMatching(message) as string });
    expect(server.received).toEqual([]);
  });
});

it.each([{ timeout: 0 }, { timeout: -1 }, { timeout: Number.NaN }, { maxRetries: -1 }, { maxRetries: 1.5 }])(
  "refuses the option %j",
  async (options) => {
    const { server, client } = await connect(() => EMPTY_LIST);
    const more = () => createClient({ baseUrl: server.url, token: newCanary(), ...options });
    expect(more).toThrow(expect.objectContaining({ code: "INVALID_VALUE" }));
    expect(await failureOf(client.getForm(FORM, options))).toMatchObject({ code: "INVALID_VALUE" });
    expect(server.received).toEqual([]);
  },
);

it("reports an answer without a body", async () => {
  const { client } = await connect(() => ({ status: 204 }));
  await expect(client.getForm(FORM)).rejects.toThrow(/ with 204, but it is empty$/);
});

describe("a closed client", () => {
  it("ends calls in progress: reads at once, and writes with an unknown outcome", async () => {
    const { server, client } = await connect(() => new Promise<Reply>(() => {}));
    const read = failureOf(client.getForm(FORM));
    const write = failureOf(client.updateForm({ ...FORM, body: { name: "Other" } }));
    await until(() => server.received.length === 2);
    const started = performance.now();
    await client.close();
    expect(await read).toMatchObject({ code: "CLIENT_CLOSED", sent: true });
    expect(await write).toMatchObject({ code: "OUTCOME_UNKNOWN", cause: { code: "CLIENT_CLOSED" } });
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(server.received).toHaveLength(2);
  });

  it("sends nothing for calls that begin just before", async () => {
    const { server, client } = await connect(() => EMPTY_LIST);
    const calls = [failureOf(client.getForm(FORM)), failureOf(client.updateForm({ ...FORM, body: { name: "Other" } }))];
    await client.close();
    for (const call of calls) expect(await call).toMatchObject({ code: "CLIENT_CLOSED", sent: false });
    expect(server.received).toEqual([]);
  });

  it("is closed at the end of its block", async () => {
    const { server } = await connect(() => EMPTY_LIST);
    let outside: Client | undefined;
    {
      await using client = createClient({ baseUrl: server.url, token: newCanary() });
      outside = client;
      await client.listVersions({ layoutId: "lay_1" });
    }
    const late = await failureOf(outside.listVersions({ layoutId: "lay_1" }));
    expect(late).toMatchObject({ code: "CLIENT_CLOSED", sent: false, operation: "listVersions" });
  });
});

describe("a function that sends the requests", () => {
  it("may be the standard fetch", async () => {
    const { client } = await connect(() => ({ ...EMPTY_LIST, headers: { "x-request-id": "r1" } }), {
      fetch: (url, request) => fetch(url, request),
    });
    expect(await client.listVersions({ layoutId: "lay_1" })).toEqual([]);
  });

  it("gets the signal of the request, and its errors are network errors", async () => {
    let signal: AbortSignal | undefined;
    const { client } = await connect(() => EMPTY_LIST, {
      fetch: (_url, request) => {
        signal = request.signal;
        return Promise.reject(Object.assign(new TypeError("no route"), { code: "ENETUNREACH" }));
      },
    });
    expect(await failureOf(client.getForm(FORM, { maxRetries: 0 }))).toMatchObject({
      code: "UNREACHABLE",
      sent: false,
    });
    expect(signal?.aborted).toBe(true);
  });

  it("gets no request to another origin", async () => {
    const urls: string[] = [];
    const client = createClient({
      baseUrl: "https://forms.example.com",
      token: newCanary(),
      fetch: async (url) => {
        urls.push(url);
        return Response.json({ data: [] });
      },
    });
    await client.listCurrencies({});
    for (const path of ["@evil.example.com/", "//evil.example.com/", "v1", "/../x", "/a b", ""])
      expect(await failureOf(client.request({ method: "GET", path }))).toMatchObject({ code: "INVALID_VALUE" });
    expect(urls).toEqual(["https://forms.example.com/v1/currencies"]);
  });
});

describe("client.request", () => {
  it("returns the answer with its headers", async () => {
    const { server, client } = await connect(() => ({
      status: 201,
      headers: { "x-request-id": "r7", "set-cookie": "secret" },
      body: { data: { id: "a" } },
    }));
    const answer = await client.request({ method: "POST", path: "/v1/other", body: { a: 1 } });
    expect(answer).toMatchObject({ status: 201, body: { data: { id: "a" } }, headers: { "x-request-id": "r7" } });
    expect(answer.headers).not.toHaveProperty("set-cookie");
    expect(server.received[0]).toMatchObject({ method: "POST", url: "/v1/other", body: '{"a":1}' });
  });

  it("throws refusals, and leaves a write without an answer open", async () => {
    const { client } = await connect(({ method }) =>
      method === "GET" ? { status: 404, headers: { "x-request-id": "r8" } } : { status: 200, cut: true },
    );
    const refused = await failureOf(client.request({ method: "GET", path: "/v1/other" }));
    expect(refused).toMatchObject({ name: "ServiceError", status: 404, requestId: "r8" });
    const open = await failureOf(client.request({ method: "POST", path: "/v1/other" }));
    expect(open).toMatchObject({ code: "OUTCOME_UNKNOWN" });
  });

  it("names the reason of the signal, or the request, in the error of a write with an unknown outcome", async () => {
    const { server, client } = await connect(({ url }) =>
      url === "/v1/silent" ? new Promise<Reply>(() => {}) : { status: 500, headers: { "x-request-id": "r11" } },
    );
    const abort = new AbortController();
    const call = failureOf(client.request({ method: "POST", path: "/v1/silent" }, { signal: abort.signal }));
    await until(() => server.received.length === 1);
    abort.abort();
    expect(await call).toMatchObject({ code: "OUTCOME_UNKNOWN", cause: abort.signal.reason });
    const failed = await failureOf(client.request({ method: "POST", path: "/v1/other" }));
    expect(failed).toMatchObject({ code: "OUTCOME_UNKNOWN", requestId: "r11" });
  });

  it("refuses an unknown method", async () => {
    const { client } = await connect(() => EMPTY_LIST);
    const call = client.request({ method: "get", path: "/v1/currencies" });
    expect(await failureOf(call)).toMatchObject({ code: "INVALID_VALUE" });
  });
});

describe("observation", () => {
  it("names the operation, the request id and the headers of an error and of each attempt", async () => {
    const attempts: Attempt[] = [];
    const token = newCanary();
    const { client } = await connect(
      () => ({
        status: 409,
        headers: { "x-request-id": "r9", "x-shard": "7", "x-echo": token, "set-cookie": "secret" },
        body: { error: { code: "CONFLICT", message: "no" } },
      }),
      { token, onAttempt: (attempt) => attempts.push(attempt) },
    );
    const error = await failureOf(client.getForm(FORM));
    expect(error).toMatchObject({ operation: "getForm", requestId: "r9" });
    expect(error["headers"]).toMatchObject({ "x-shard": "7", "x-echo": expect.not.stringContaining(token) as string });
    expect(error["headers"]).not.toHaveProperty("set-cookie");
    expect(attempts).toMatchObject([
      { operation: "getForm", requestId: "r9", outcome: 409, headers: { "x-shard": "7" } },
    ]);
    expect(JSON.stringify(attempts)).not.toContain(token);
  });

  it("does not print headers with an error", async () => {
    const { client } = await connect(() => ({ status: 404, headers: { "x-shard": "7" } }));
    const error = await failureOf(client.getForm(FORM));
    expect(Object.keys(error)).not.toContain("headers");
  });

  it("names the request of a write with an unknown outcome", async () => {
    const { client } = await connect(({ method }) =>
      method === "PATCH" ? { status: 500, headers: { "x-request-id": "r10" } } : { status: 500 },
    );
    const error = await failureOf(client.updateForm({ ...FORM, body: { name: "Other" } }, { maxRetries: 0 }));
    expect(error).toMatchObject({ code: "OUTCOME_UNKNOWN", operation: "updateForm", requestId: "r10" });
  });

  it("works with the undici instrumentation of OpenTelemetry", async () => {
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator({
      inject(inside, carrier, setter) {
        const { traceId, spanId } = trace.getSpanContext(inside)!;
        setter.set(carrier, "traceparent", `00-${traceId}-${spanId}-01`);
      },
      extract: (outside) => outside,
      fields: () => ["traceparent"],
    });
    const instrumentation = new UndiciInstrumentation();
    instrumentation.setTracerProvider(provider);
    instrumentation.enable();
    onTestFinished(() => {
      instrumentation.disable();
      context.disable();
      propagation.disable();
    });
    const { server, client } = await connect(({ url }) => (url.includes("frm_1") ? { status: 404 } : EMPTY_LIST));
    const tracer = provider.getTracer("test");
    await tracer.startActiveSpan("job", async (span) => {
      await client.listVersions({ layoutId: "lay_1" });
      await failureOf(client.getForm(FORM));
      span.end();
    });
    const spans = exporter.getFinishedSpans();
    const job = spans.find(({ name }) => name === "job")!;
    const requests = spans.filter(({ name }) => name !== "job");
    expect(requests.map(({ attributes }) => [attributes["url.path"], attributes["http.response.status_code"]])).toEqual(
      [
        ["/v1/view-layouts/lay_1/versions", 200],
        ["/v1/custom-modules/staffing/objects/candidate/forms/frm_1", 404],
      ],
    );
    for (const { parentSpanContext } of requests) expect(parentSpanContext?.spanId).toBe(job.spanContext().spanId);
    const sent = requests.map((span) => `00-${span.spanContext().traceId}-${span.spanContext().spanId}-01`);
    expect(server.received.map(({ headers }) => headers["traceparent"])).toEqual(sent);
    expect(trace.getActiveSpan()).toBeUndefined();
  });
});
