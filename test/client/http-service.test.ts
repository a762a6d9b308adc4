/** Tests the requests of the client, and its reading of regular and unusual answers. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { errors } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Form } from "../../src/schemas/form.ts";
import { engineOnSqlite } from "../contract/engine-provider.ts";
import { openClient, TOKEN } from "./open-client.ts";
import { simulateServer } from "./simulated-server.ts";
import { byTable, type Received, type Reply, startServer } from "./table-server.ts";

const OBJECT = { moduleKey: "staffing", objectKey: "candidate" };
const BODY = { name: "Intake", types: ["CREATE" as const], isActive: true, isPublic: false };

async function serve(answer: (request: Received) => Promise<Reply> | Reply) {
  const server = await simulateServer(answer);
  onTestFinished(() => server.close());
  return server;
}

/** Starts a server on the engine. `change` may replace an answer. */
async function serveEngine(change: (request: Received, reply: () => Promise<Reply>) => Promise<Reply> | Reply) {
  const world = await engineOnSqlite.open();
  onTestFinished(() => world.close());
  const service = await world.as("northwind");
  const server = await serve((request) => change(request, () => byTable(service, request)));
  return { server, service };
}

it("sends the requests and returns the answers of the engine", async () => {
  const { server, service } = await serveEngine((_request, reply) => reply());
  const client = openClient(server.url);
  const form = await client.service.createForm({ ...OBJECT, body: BODY });
  expect(form).toEqual(await service.getForm({ ...OBJECT, formId: form.id }));
  expect(await client.service.listForms({ ...OBJECT, query: { limit: 1 } })).toEqual(
    await service.listForms({ ...OBJECT, query: { limit: 1 } }),
  );
  await client.service.deleteForm({ ...OBJECT, formId: form.id });
  await expect(client.service.getForm({ ...OBJECT, formId: form.id })).rejects.toMatchObject({
    status: 404,
    code: "NOT_FOUND",
  });
  const [request] = server.received.filter(({ method }) => method === "POST");
  expect(request!.headers).toMatchObject({
    authorization: `Bearer ${TOKEN}`,
    "content-type": "application/json",
    "accept-encoding": "identity",
    "idempotency-key": expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
});

it.each(["..", ".", "a/b", "a%2Fb", "x".repeat(129), "?q", "a#b"])(
  "sends no request for an invalid id: %o",
  async (formId) => {
    const server = await serve(() => ({ status: 200, body: {} }));
    const { service } = openClient(server.url);
    await expect(service.getForm({ ...OBJECT, formId })).rejects.toMatchObject({ status: 404 });
    await expect(service.deleteForm({ ...OBJECT, formId })).rejects.toMatchObject({ status: 404 });
    expect(server.received).toEqual([]);
  },
);

it.each<[string, (forms: unknown[]) => unknown]>([
  ["data", (forms) => ({ data: forms })],
  ["a bare list", (forms) => forms],
  ["items", (forms) => ({ items: forms, total: forms.length })],
  ["results", (forms) => ({ results: forms })],
  ["forms", (forms) => ({ forms })],
  ["data.items", (forms) => ({ data: { items: forms, page: 1, hasMore: false } })],
])("finds a list under %s, and keeps what it does not know", async (_place, wrap) => {
  const form = { id: "f1", name: "Intake", types: ["CREATE"], colour: "green" };
  const server = await serve(() => ({ status: 200, body: wrap([form]) }));
  const { data, meta } = await openClient(server.url).service.listForms(OBJECT);
  expect(data).toEqual([form]);
  expect(meta.page).toBe(1);
});

it.each([{}, { data: {} }, { data: "none" }, { error: null }, { data: [1] }, { data: [{ name: "no id" }] }])(
  "does not take an answer without a list for an empty one: %o",
  async (body) => {
    const server = await serve(() => ({ status: 200, body }));
    await expect(openClient(server.url).service.listForms(OBJECT)).rejects.toMatchObject({ code: "ANSWER_UNREADABLE" });
  },
);

it("does not read a matrix without one of its lists as one with an empty list", async () => {
  const server = await serve(() => ({ status: 200, body: { data: { roles: [] } } }));
  await expect(openClient(server.url).service.getFormAccess({ ...OBJECT, formId: "f1" })).rejects.toThrow(
    "lacks users",
  );
});

it("reads what a server leaves out of the answers to writes", async () => {
  const { server, service } = await serveEngine(async ({ method }, reply) => {
    const said = await reply();
    return method === "GET" ? said : { status: 204 };
  });
  const client = openClient(server.url).service;
  const form = await client.createForm({ ...OBJECT, body: BODY });
  expect(form).toMatchObject({ name: "Intake" });
  const path = { ...OBJECT, formId: form.id };
  expect(await client.updateForm({ ...path, body: { name: "Other" } })).toEqual(await service.getForm(path));
  expect(await client.updateFormDefaults({ ...OBJECT, body: { defaultCreateFormId: form.id } })).toMatchObject({
    defaultCreateFormId: form.id,
    defaultViewFormId: null,
  });
  const access = { users: [], roles: [] };
  expect(await client.replaceFormAccess({ ...path, body: access })).toEqual(access);
  const layoutId = form.viewLayoutId!;
  const draft = { clientMutationId: "m1", schemaVersion: 1 as const, regions: [], blocks: [] };
  const saved = await client.saveDraft({ layoutId, body: draft });
  expect(saved).toMatchObject({ draftVersionId: expect.any(String), validation: { state: "invalid" } });
  expect(await client.updateLayout({ layoutId, body: { name: "Page" } })).toMatchObject({ name: "Page" });
  await client.updateFormDefaults({ ...OBJECT, body: { defaultCreateFormId: null } });
  expect(await client.deleteForm(path)).toBeUndefined();
});

it("recognizes a write with a lost answer if the server lists the modes in another order", async () => {
  const layout = { id: "lay_1", surface: "PAGE_X", name: "Page", supportedModes: ["VIEW", "EDIT"] };
  const server = await serve(({ method }) => (method === "GET" ? { status: 200, body: layout } : { status: 504 }));
  const update = openClient(server.url).service.updateLayout({
    layoutId: "lay_1",
    body: { supportedModes: ["EDIT", "VIEW"] },
  });
  expect(await update).toMatchObject({ supportedModes: ["VIEW", "EDIT"] });
});

it("reports an accepted write as not confirmed when no answer shows its result", async () => {
  const server = await serve(({ method }) => ({ status: method === "GET" ? 403 : 204 }));
  const { service } = openClient(server.url);
  await expect(service.createForm({ ...OBJECT, body: BODY })).rejects.toMatchObject({
    name: "NotConfirmed",
    hint: "Check the current state before you try again: formctl forms list staffing/candidate",
  });
});

it.each<[string, unknown, object]>([
  ["an object", { error: { code: "X", message: "no", more: 1 } }, { code: "X", message: "no", more: 1 }],
  ["text", { error: "no" }, { code: "HTTP_409", message: "no" }],
  ["the members themselves", { code: "X", message: "no" }, { code: "X", message: "no" }],
  [
    "a problem document",
    { title: "Conflict", detail: "no" },
    { code: "HTTP_409", message: "no", title: "Conflict", detail: "no" },
  ],
  ["nothing", undefined, { code: "HTTP_409", message: "the server answers 409 without an explanation" }],
  [
    "HTML",
    "<html>\n<b>no</b>",
    { code: "HTTP_409", message: "not the API: content-type application/json: <html> <b>no</b>" },
  ],
  [
    "lists of other shapes",
    {
      error: { message: "no", fieldErrors: { name: "bad" }, errors: ["a", { message: "b" }], validation: 7, meta: "x" },
    },
    { code: "HTTP_409", message: "no", fieldErrors: { name: ["bad"] }, errors: [{ message: "a" }, { message: "b" }] },
  ],
])("understands a refusal that is %s", async (_shape, body, expected) => {
  const server = await serve(() => ({ status: 409, body }));
  const error = await openClient(server.url)
    .service.listCurrencies({})
    .then(fail, (thrown: unknown) => thrown);
  expect(error).toMatchObject({ status: 409 });
  expect((error as { body: unknown }).body).toEqual(expected);
});

it("names the permission that a refused operation probably requires", async () => {
  const server = await serve(() => ({ status: 403, body: { error: { code: "FORBIDDEN", message: "no" } } }));
  await expect(openClient(server.url).service.listForms(OBJECT)).rejects.toMatchObject({
    hint: "The operation probably requires the permission api.custom_forms.read. Ask the issuer of the token for it.",
  });
  const message = "the permission api.custom_forms.read is required";
  const plain = await serve(() => ({ status: 403, body: { error: { code: "FORBIDDEN", message } } }));
  await expect(openClient(plain.url).service.listForms(OBJECT)).rejects.toMatchObject({
    hint: "Ask the issuer of the token for it.",
  });
});

it("does not accept a web page as an answer", async () => {
  const server = await serve(() => ({
    status: 200,
    headers: { "content-type": "text/html" },
    body: "<h1>Log in</h1>",
  }));
  await expect(openClient(server.url).service.listForms(OBJECT)).rejects.toMatchObject({
    code: "NOT_THE_API",
    message: expect.stringContaining("not the API: content-type text/html: <h1>Log in</h1>"),
  });
});

it("repeats a read whose answer is cut off", async () => {
  let count = 0;
  const cut = '{"data": [{"code": "EU';
  const server = await serve(() => ({ status: 200, body: ++count > 2 ? { data: [{ code: "EUR" }] } : cut }));
  const { service, attempts } = openClient(server.url);
  expect(await service.listCurrencies({})).toEqual([{ code: "EUR" }]);
  expect(attempts).toHaveLength(3);
});

it("does not follow a redirect, and reports its target", async () => {
  const server = await serve(() => ({ status: 307, headers: { location: "https://evil.example/v1" } }));
  await expect(openClient(server.url).service.listForms(OBJECT)).rejects.toMatchObject({
    code: "REDIRECTED",
    message: expect.stringContaining("redirects to https://evil.example (307)"),
  });
});

it("reports a redirect without a location", async () => {
  const server = await serve(() => ({ status: 304 }));
  await expect(openClient(server.url).service.listForms(OBJECT)).rejects.toMatchObject({
    code: "REDIRECTED",
    message: expect.stringContaining("redirects to nowhere (304)"),
  });
});

it("reports a compressed answer after one attempt", async () => {
  const server = await serve(() => ({ status: 200, headers: { "content-encoding": "gzip" }, body: "\u001f\u008b" }));
  await expect(openClient(server.url).service.listForms(OBJECT)).rejects.toMatchObject({
    code: "ANSWER_UNREADABLE",
    message: expect.stringContaining("with content-encoding gzip, which was not accepted"),
  });
  expect(server.received).toHaveLength(1);
});

it("names the path as it was requested", async () => {
  const server = await serve(() => ({ status: 200, body: {} }));
  await expect(openClient(server.url).service.listForms(OBJECT)).rejects.toMatchObject({
    message: expect.stringContaining("GET /v1/custom-modules/staffing/objects/candidate/forms with 200"),
  });
});

it("stops reading at 32 MiB", async () => {
  const server = await startServer(() => ({ status: 200, body: "x".repeat(33 * 1024 * 1024) }));
  onTestFinished(() => server.close());
  await expect(openClient(server.url).service.listForms(OBJECT)).rejects.toMatchObject({ code: "ANSWER_TOO_LARGE" });
});

it("waits no longer than the timeout", async () => {
  const server = await serve(() => new Promise<Reply>(() => undefined));
  const started = performance.now();
  await expect(openClient(server.url, { deadline: 200 }).service.listForms(OBJECT)).rejects.toMatchObject({
    code: "TIMED_OUT",
  });
  // The server never answers. Only the client's timeout can end the request this early, even on a busy machine.
  expect(performance.now() - started).toBeLessThan(30_000);
});

it("reports the announcements of the server once", async () => {
  const headers = { deprecation: "@1767225600", sunset: "Fri, 01 Jan 2027 00:00:00 GMT" };
  const server = await serve(() => ({ status: 200, headers, body: { data: [] } }));
  const { service, notices } = openClient(server.url);
  await service.listCurrencies({});
  await service.listCurrencies({});
  expect(notices).toEqual([
    "The server announces deprecation: @1767225600",
    "The server announces sunset: Fri, 01 Jan 2027 00:00:00 GMT",
  ]);
});

it("returns the form that a creation with a lost answer has created, and no other", async () => {
  let cut = true;
  const { server, service } = await serveEngine(async ({ method }, reply) => {
    const said = await reply();
    if (method !== "POST" || !cut) return said;
    cut = false;
    return { status: 504, body: { error: { code: "TIMEOUT", message: "too slow" } } };
  });
  const twin: Form = await service.createForm({ ...OBJECT, body: BODY });
  const form = await openClient(server.url).service.createForm({ ...OBJECT, body: BODY });
  expect(form.id).not.toBe(twin.id);
  expect((await service.listForms(OBJECT)).data.map(({ id }) => id)).toContain(form.id);
  expect(server.received.filter(({ method }) => method === "POST")).toHaveLength(1);
});

it("reports an unknown outcome when reading shows no effect of the write", async () => {
  const { server } = await serveEngine(({ method }, reply) =>
    method === "POST" ? { status: 504, body: "<html>" } : reply(),
  );
  const { service, waits } = openClient(server.url);
  await expect(service.createForm({ ...OBJECT, body: BODY })).rejects.toMatchObject({
    code: "OUTCOME_UNKNOWN",
    message: expect.stringContaining("The write may have been done; reading shows no effect so far."),
  });
  expect(waits).toEqual([500, 2_000]);
  expect(server.received.filter(({ method }) => method === "POST")).toHaveLength(1);
});

it("does not claim to have read the result when the server is down", async () => {
  let isGone = false;
  const { server } = await serveEngine(({ method }, reply) => {
    isGone ||= method === "POST";
    return isGone ? { status: 504, body: "<html>" } : reply();
  });
  await expect(openClient(server.url).service.createForm({ ...OBJECT, body: BODY })).rejects.toMatchObject({
    code: "OUTCOME_UNKNOWN",
    message: expect.stringContaining("The write may have been done; reading the result failed too."),
  });
});

it("repeats a write with a mutation id, with the same bytes", async () => {
  let calls = 0;
  const { server, service } = await serveEngine(async ({ method }, reply) => {
    const said = await reply();
    return method === "PUT" && ++calls < 3 ? { status: 502, body: "bad gateway" } : said;
  });
  const form = await service.createForm({ ...OBJECT, body: BODY });
  const draft = { clientMutationId: "m1", schemaVersion: 1 as const, regions: [], blocks: [] };
  const saved = await openClient(server.url).service.saveDraft({ layoutId: form.viewLayoutId, body: draft });
  expect(saved.draftVersionId).toBe((await service.getLayout({ layoutId: form.viewLayoutId })).latestDraftVersionId);
  const puts = server.received.filter(({ method }) => method === "PUT").map(({ body }) => body);
  expect(puts).toHaveLength(3);
  expect(new Set(puts).size).toBe(1);
});

it("repeats a form write when nothing was sent", async () => {
  const server = await startServer(() => ({ status: 200, body: {} }));
  await server.close();
  const { service, attempts } = openClient(server.url);
  await expect(service.deleteForm({ ...OBJECT, formId: "f1" })).rejects.toMatchObject({
    name: "NoAnswer",
    code: "UNREACHABLE",
    sent: false,
  });
  expect(attempts).toHaveLength(4);
});

it("repeats a form write whose connection timed out", async () => {
  const fetch = async () => {
    throw new errors.ConnectTimeoutError("Connect Timeout Error");
  };
  const { service, attempts } = openClient("http://localhost:1", { fetch });
  await expect(service.deleteForm({ ...OBJECT, formId: "f1" })).rejects.toMatchObject({
    code: "UNREACHABLE",
    message: "can't reach http://localhost:1: the connection timed out",
  });
  expect(attempts).toHaveLength(4);
});

it("reports an unknown outcome if a form write fails for an unknown reason", async () => {
  const { service, attempts } = openClient("http://localhost:1", {
    fetch: async (_url, { method }) => {
      if (method === "DELETE") throw new Error("lost");
      return { status: 503, headers: { get: () => null }, body: null };
    },
  });
  await expect(service.deleteForm({ ...OBJECT, formId: "f1" })).rejects.toMatchObject({ code: "OUTCOME_UNKNOWN" });
  expect(attempts.filter((each) => each.startsWith("DELETE"))).toHaveLength(1);
});

it("sends a creation without a name, which the server refuses", async () => {
  const { server } = await serveEngine((_request, reply) => reply());
  const body = { ...BODY, name: undefined } as unknown as typeof BODY;
  await expect(openClient(server.url).service.createForm({ ...OBJECT, body })).rejects.toMatchObject({
    status: 400,
    body: { fieldErrors: { name: expect.anything() as unknown } },
  });
  expect(server.received.map(({ method }) => method)).toEqual(["POST"]);
});

it("reads a list of many objects, which is not nested", async () => {
  const currencies = Array.from({ length: 1_000 }, (_, index) => ({ code: `C${index}`, name: "Currency" }));
  const server = await serve(() => ({ status: 200, body: { data: currencies } }));
  expect(await openClient(server.url).service.listCurrencies({})).toHaveLength(1_000);
});

function fail(): never {
  throw new Error("it was not refused");
}

describe("when the program is to end", () => {
  const reason = new Error("told to end");

  it("stops a read that follows no write, running or waiting", async () => {
    const ending = new AbortController();
    const server = await serve(() => {
      setTimeout(() => ending.abort(reason), 20);
      return { status: 429, headers: { "retry-after": "20" }, body: {} };
    });
    const sleep = async (milliseconds: number, until?: AbortSignal) => {
      expect(milliseconds).toBe(20_000);
      await new Promise((end) => until?.addEventListener("abort", end, { once: true }));
    };
    const now = () => new Date("2026-03-02T09:00:00.000Z");
    const { service } = openClient(server.url, { ending: ending.signal, sleep, now });
    await expect(service.createForm({ ...OBJECT, body: BODY })).rejects.toBe(reason);
    await expect(service.createForm({ ...OBJECT, body: BODY })).rejects.toBe(reason);
    expect(server.received.map(({ method }) => method)).toEqual(["GET"]);

    const slow = new AbortController();
    const silent = await serve(() => {
      setTimeout(() => slow.abort(reason), 20);
      return new Promise(() => undefined);
    });
    const client = openClient(silent.url, { ending: slow.signal });
    await expect(client.service.listCurrencies({})).rejects.toBe(reason);
  });

  it("holds no answer until then", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const server = await serve(() => ({ status: 200, body: { data: [{ code: "EUR", name: "Euro" }] } }));
    const { service } = openClient(server.url, { ending: new AbortController().signal });
    const answers: WeakRef<object>[] = [];
    for (let read = 0; read < 5; read++) answers.push(new WeakRef((await service.listCurrencies({}))[0]!));
    await new Promise((resolve) => setTimeout(resolve, 1));
    collectGarbage();
    // The event loop may still hold the last answer.
    expect(answers.slice(0, -1).filter((answer) => answer.deref())).toEqual([]);
  });

  it("sends no new write, and repeats none", async () => {
    const ending = new AbortController();
    const { server } = await serveEngine((request, reply) => {
      if (request.method === "GET") return reply();
      ending.abort(reason);
      return { status: 429, body: {} };
    });
    const { service } = openClient(server.url, { ending: ending.signal });
    const body = { clientMutationId: "m-1", schemaVersion: 1 as const, regions: [], blocks: [] };
    await expect(service.saveDraft({ layoutId: "lay_1", body })).rejects.toBe(reason);
    await expect(service.createForm({ ...OBJECT, body: BODY })).rejects.toBe(reason);
    expect(server.received.filter(({ method }) => method !== "GET")).toHaveLength(1);
  });

  it("still reads the effect of a write that was sent", async () => {
    const ending = new AbortController();
    const { server } = await serveEngine(async (request, reply) => {
      const answer = await reply();
      if (request.method === "GET") return answer;
      ending.abort(reason);
      return { status: 504, body: {} };
    });
    const { service } = openClient(server.url, { ending: ending.signal });
    expect(await service.createForm({ ...OBJECT, body: BODY })).toMatchObject({ name: "Intake" });
    expect(server.received.filter(({ method }) => method === "POST")).toHaveLength(1);
  });
});
