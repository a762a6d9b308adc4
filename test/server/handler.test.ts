/** Checks the HTTP responses of the server, except for the results of operations. */

import { describe, expect, it } from "vitest";
import type { ErrorBody } from "../../src/schemas/error-body.ts";
import { errorResponse } from "../../src/server/response.ts";
import { createHandler } from "../../src/server/handler.ts";
import { LIMITS } from "../../src/server/limits.ts";
import { serviceHandler } from "../../src/composition/serve.ts";
import { ServiceError } from "../../src/service.ts";
import { StoreError } from "../../src/store/store.ts";
import { bearer, ORIGIN, setScene } from "./scene.ts";
import { openServerWorld, type ServerWorld } from "./server-world.ts";

const FORMS = "/v1/custom-modules/staffing/objects/candidate/forms";

type Said = { status: number; headers: Headers; code?: string; fields?: string[]; body: unknown };

async function said(response: Response): Promise<Said> {
  const text = await response.text();
  const body = (text === "" ? undefined : JSON.parse(text)) as
    | { error?: { code: string; fieldErrors?: Record<string, string[]> } }
    | undefined;
  const { error } = body ?? {};
  return {
    status: response.status,
    headers: response.headers,
    body,
    ...(error && { code: error.code }),
    ...(error?.fieldErrors && { fields: Object.keys(error.fieldErrors) }),
  };
}

type Ask = (
  method: string,
  path: string,
  init?: { headers?: Record<string, string>; body?: string | Uint8Array<ArrayBuffer> },
) => Promise<Said>;

/** Opens a server with the scene, and a client with all permissions. */
async function openScene(): Promise<{
  world: ServerWorld;
  ask: Ask;
  token: string;
  inputs: Awaited<ReturnType<typeof setScene>>;
}> {
  const world = await openServerWorld();
  const inputs = await setScene(world, await world.as("northwind"));
  const token = await world.token("northwind");
  const ask: Ask = async (method, path, { headers = {}, body } = {}) => {
    const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
    const init = { method, headers: { ...bearer(token), ...type, ...headers }, ...(body !== undefined && { body }) };
    return said(await world.send(new Request(`${ORIGIN}${path}`, init)));
  };
  return { world, ask, token, inputs };
}

const newForm = (members: object = {}) => JSON.stringify({ name: "New", types: ["EDIT"], ...members });

describe("an unknown path or method", () => {
  it.each([
    ["GET", "/", 404, null],
    ["GET", "/v1", 404, null],
    ["GET", "/v2/currencies", 404, null],
    ["GET", "/v1/currencies/", 404, null],
    ["GET", "/v1/currencies/EUR", 404, null],
    ["GET", `${FORMS}/`, 404, null],
    ["GET", "/v1/view-layouts/a%2Fb", 404, null],
    ["GET", "/v1/view-layouts/%00", 404, null],
    ["GET", "/v1/view-layouts/%zz", 404, null],
    ["POST", "/v1/currencies", 405, "GET, HEAD"],
    ["PUT", FORMS, 405, "POST, GET, HEAD"],
    ["GET", `${FORMS}/defaults`, 405, "PATCH"],
    ["DELETE", `${FORMS}/available`, 405, "GET, HEAD"],
    ["OPTIONS", "/v1/view-layouts", 405, "POST, GET, HEAD"],
    ["DELETE", "/healthz", 405, "GET, HEAD"],
  ])("%s %s: returns %i", async (method, path, status, allow) => {
    const { ask } = await openScene();
    const answer = await ask(method, path);
    expect([answer.status, answer.code]).toEqual([status, status === 404 ? "NOT_FOUND" : "METHOD_NOT_ALLOWED"]);
    expect(answer.headers.get("allow")).toBe(allow);
  });

  it("is not disclosed without a token", async () => {
    const { world } = await openScene();
    for (const path of ["/nothing", "/v1/nothing", "/v1/currencies"]) {
      for (const method of ["GET", "POST"]) {
        const answer = await said(await world.send(new Request(`${ORIGIN}${path}`, { method })));
        expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
      }
    }
  });
});

describe("HEAD", () => {
  it("returns the same as GET, without a body", async () => {
    const { ask, inputs } = await openScene();
    const path = `${FORMS}/${inputs.getForm.formId}`;
    const [head, get] = [await ask("HEAD", path), await ask("GET", path)];
    expect([head.status, head.headers.get("etag"), head.body]).toEqual([200, get.headers.get("etag"), undefined]);
    expect((await ask("HEAD", `${FORMS}/frm_nobody`)).status).toBe(404);
  });
});

describe("a list without pages", () => {
  it("reports its length, as documented", async () => {
    const { ask, world } = await openScene();
    const list = await ask("GET", "/v1/currencies");
    expect(list.headers.get("x-total-count")).toBe(`${(list.body as { data: unknown[] }).data.length}`);
    expect((await ask("GET", FORMS)).headers.get("x-total-count")).toBeNull();
    const { body } = await said(await world.send(new Request(`${ORIGIN}/openapi.json`)));
    const headers = (path: string) =>
      (body as { paths: Record<string, { get: { responses: { 200: { headers?: object } } } }> }).paths[path]!.get
        .responses[200].headers;
    expect(headers("/v1/view-layouts")).toHaveProperty("X-Total-Count");
    expect(headers("/v1/view-layouts/surface-definitions")).toBeUndefined();
  });
});

describe("public paths", () => {
  it("are the probes, which are not logged, and the document", async () => {
    const { world } = await openScene();
    const get = async (path: string) => said(await world.send(new Request(ORIGIN + path)));
    for (const path of ["/livez", "/readyz", "/healthz"]) {
      expect(await get(path)).toMatchObject({ status: 200, body: { status: "ok" } });
    }
    expect(world.log).toEqual([]);
    expect(await get("/openapi.json")).toMatchObject({ status: 200, body: { openapi: "3.1.0" } });
  });
});

describe("a body", () => {
  it.each([
    ["none", undefined, "", 415],
    ["text", "text/plain", newForm(), 415],
    ["a form", "application/x-www-form-urlencoded", "name=New", 415],
    ["JSON in another charset", "application/json; charset=utf-16", newForm(), 415],
    ["JSON of another kind", "application/problem+json", newForm(), 415],
    ["JSON with a charset", 'Application/JSON ; charset="UTF-8"', newForm(), 201],
    ["nothing", "application/json", "", 400],
    ["half", "application/json", newForm().slice(0, -1), 400],
    ["two", "application/json", `${newForm()}{}`, 400],
    ["a comment", "application/json", `${newForm()}//`, 400],
    ["NaN", "application/json", '{"name":NaN}', 400],
    ["a raw U+0000", "application/json", '{"name":"\u0000"}', 400],
    ["bytes that are no UTF-8", "application/json", new Uint8Array([0x22, 0xff, 0x22]), 400],
  ])("of %s: returns the expected status", async (_what, type, body, status) => {
    const { ask } = await openScene();
    const headers = { "content-type": type ?? "" };
    const answer = await ask("POST", FORMS, { headers, body });
    expect(answer.status).toBe(status);
    expect(answer.code).toBe({ 400: "INVALID_JSON", 415: "UNSUPPORTED_MEDIA_TYPE" }[status]);
  });

  it("that is compressed is refused", async () => {
    const { ask } = await openScene();
    expect(await ask("POST", FORMS, { headers: { "content-encoding": "gzip" }, body: newForm() })).toMatchObject({
      status: 415,
    });
  });

  it.each([
    ["a prototype", '{"name":"New","types":["EDIT"],"config":{"__proto__":{"a":1}}}'],
    ["an escaped U+0000", '{"name":"\\u0000","types":["EDIT"]}'],
    ["an unpaired surrogate", '{"name":"\\ud800","types":["EDIT"]}'],
    ["a number that is too large", '{"name":"New","types":["EDIT"],"config":{"n":1e999}}'],
    ["nesting of 65 levels", `{"name":"New","types":["EDIT"],"config":${'{"a":'.repeat(63)}{}${"}".repeat(63)}}`],
    [
      "nesting of forty thousand levels",
      `{"name":"New","types":["EDIT"],"config":${"[".repeat(40_000)}${"]".repeat(40_000)}}`,
    ],
    ["an unknown member", newForm({ viewLayoutId: "lay_mine" })],
  ])("with %s is refused as an invalid value", async (_what, body) => {
    const { ask } = await openScene();
    expect(await ask("POST", FORMS, { body })).toMatchObject({ status: 400, code: "VALIDATION_FAILED" });
  });

  it("may be nested 64 levels deep", async () => {
    const { ask } = await openScene();
    const body = `{"name":"New","types":["EDIT"],"config":${'{"a":'.repeat(62)}{}${"}".repeat(62)}}`;
    expect((await ask("POST", FORMS, { body })).status).toBe(201);
  });

  it("is refused if the operation has none", async () => {
    const { ask, inputs } = await openScene();
    const archive = `/v1/view-layouts/${inputs.archiveLayout.layoutId}/archive`;
    expect(await ask("POST", archive, { body: "{}" })).toMatchObject({ status: 400, fields: [""] });
    expect((await ask("POST", archive)).status).toBe(204);
  });
});

describe("the values of a body", () => {
  const list = (count: number) => `[${Array(count).fill("1").join(",")}]`;
  const members = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(",")}}`;

  it("are limited to 500,000 for a draft, 150,000 for form access and 50,000 otherwise", async () => {
    const { ask, inputs } = await openScene();
    const draft = `/v1/view-layouts/${inputs.saveDraft.layoutId}/draft`;
    const access = `${FORMS}/${inputs.getForm.formId}/access`;
    const send = async (method: string, path: string, body: string) => (await ask(method, path, { body })).status;
    // The list itself counts as a value, in addition to its items.
    expect([await send("PUT", draft, list(499_999)), await send("PUT", draft, list(500_000))]).toEqual([400, 413]);
    expect([await send("PUT", access, list(149_999)), await send("PUT", access, list(150_000))]).toEqual([400, 413]);
    expect([await send("POST", FORMS, list(49_999)), await send("POST", FORMS, list(50_000))]).toEqual([400, 413]);
  });

  it("count ten times after the 32nd member of an object", async () => {
    const { ask } = await openScene();
    const send = async (count: number) => (await ask("POST", FORMS, { body: members(count) })).status;
    expect([await send(4_900), await send(5_100)]).toEqual([400, 413]);
  });

  it("are not counted inside strings", async () => {
    const { ask } = await openScene();
    const config = { title: '\\"[{,'.repeat(2_000) };
    expect((await ask("POST", FORMS, { body: newForm({ config }) })).status).toBe(201);
  });
});

type Listed = { error: { message: string; fieldErrors: Record<string, string[]>; clientMutationId?: string } };

describe("an error response with one problem", () => {
  it("has the problem in its message", async () => {
    const { ask } = await openScene();
    const { body } = await ask("POST", FORMS, { body: newForm({ types: [] }) });
    const problem = "must name at least one of CREATE, VIEW, EDIT";
    expect((body as Listed).error).toMatchObject({ message: `types ${problem}`, fieldErrors: { types: [problem] } });
  });
});

describe("an error response with many problems", () => {
  it("lists the first 100 and reports that there are more", async () => {
    const { ask, inputs } = await openScene();
    const path = `/v1/view-layouts/${inputs.saveDraft.layoutId}/draft`;
    const body = JSON.stringify({ clientMutationId: "m", schemaVersion: 1, regions: [], blocks: Array(9_000).fill(1) });
    const { status, body: answer } = await ask("PUT", path, { body });
    const { error } = answer as Listed;
    expect([status, error.message, error.clientMutationId]).toEqual([
      400,
      "more than 100 values are invalid. The first 100 are listed",
      "m",
    ]);
    expect(Object.keys(error.fieldErrors)).toEqual(Array.from({ length: 100 }, (_, at) => `blocks[${at}]`));
  });

  it("is at most 64 KiB long", async () => {
    const { ask, inputs } = await openScene();
    const path = `/v1/view-layouts/${inputs.saveDraft.layoutId}/draft`;
    const long = (text: string) => text.repeat(100_000);
    for (const name of [long("x"), long("\u0001"), long("ż"), long("🦊")])
      for (const value of [{ [name]: 1 }, { clientMutationId: name }, { blocks: [{ config: { a: 1 }, type: name }] }]) {
        const answer = await ask("PUT", path, { body: JSON.stringify(value) });
        expect(answer.status).toBe(400);
        expect(Buffer.byteLength(JSON.stringify(answer.body))).toBeLessThan(64 * 1024);
      }
    const many = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`${at}${"\u0001".repeat(2_000)}`, 1]));
    const answer = await ask("PUT", path, { body: JSON.stringify(many) });
    expect(Buffer.byteLength(JSON.stringify(answer.body))).toBeLessThan(64 * 1024);
  });
});

describe("the size of a body", () => {
  const padded = (text: string, bytes: number) => text + " ".repeat(bytes - Buffer.byteLength(text));
  const stream = (text: string) => ({ body: new Blob([text]).stream(), duplex: "half" }) as RequestInit;

  it.each([
    [
      "of a declared length",
      (text: string): RequestInit => ({ body: text, headers: { "content-length": String(text.length) } }),
    ],
    ["that comes in pieces", stream],
  ])("%s may be 1 MiB, and of a draft 8 MiB, and not one byte more", async (_how, init) => {
    const { world, token, inputs } = await openScene();
    const draft = `/v1/view-layouts/${inputs.saveDraft.layoutId}/draft`;
    const send = async (method: string, path: string, text: string) => {
      const request = new Request(`${ORIGIN}${path}`, { method, ...init(text) });
      request.headers.set("authorization", `Bearer ${token}`);
      request.headers.set("content-type", "application/json");
      return said(await world.send(request));
    };
    const { bodyBytes, draftBytes } = LIMITS;
    expect([bodyBytes, draftBytes]).toEqual([1024 * 1024, 8 * 1024 * 1024]);
    const draftText = JSON.stringify(inputs.saveDraft.body);
    expect((await send("POST", FORMS, padded(newForm(), bodyBytes))).status).toBe(201);
    expect(await send("POST", FORMS, padded(newForm(), bodyBytes + 1))).toMatchObject({
      status: 413,
      code: "PAYLOAD_TOO_LARGE",
    });
    expect((await send("PUT", draft, padded(draftText, draftBytes))).status).toBe(200);
    expect((await send("PUT", draft, padded(draftText, draftBytes + 1))).status).toBe(413);
  });

  it("is limited while it is read, so that a body without end does not fill the memory", async () => {
    const { world, token } = await openScene();
    let sent = 0;
    const chunk = new Uint8Array(64 * 1024).fill(0x20);
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += chunk.length;
        controller.enqueue(chunk);
        if (sent >= 8 * LIMITS.bodyBytes) controller.close();
      },
    });
    const headers = { ...bearer(token), "content-type": "application/json" };
    const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
    expect(await said(await world.send(new Request(`${ORIGIN}${FORMS}`, init)))).toMatchObject({ status: 413 });
    expect(sent).toBeLessThan(2 * LIMITS.bodyBytes);
  });

  it("is read only while the large bodies of the organization fit into memory, unless it is small", async () => {
    const { world, token } = await openScene();
    const endings: (() => void)[] = [];
    const begin = (size: number) => {
      const pull = (controller: ReadableStreamDefaultController<Uint8Array>) =>
        new Promise<void>((end) => endings.push(() => (controller.close(), end())));
      const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
      const headers = { ...bearer(token), "content-type": "application/json", "content-length": String(size) };
      const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
      return world.send(new Request(`${ORIGIN}${FORMS}`, init));
    };
    const answers = Array.from({ length: 10 }, () => begin(LIMITS.bodyBytes));
    await expect.poll(() => endings.length).toBe(8);
    answers.push(begin(1_000));
    await expect.poll(() => endings.length).toBe(9);
    endings[0]!();
    await expect.poll(() => endings.length).toBe(10);
    for (let at = 1; at < 11; at++) {
      await expect.poll(() => endings.length).toBeGreaterThan(at);
      endings[at]!();
    }
    for (const answer of answers) expect((await answer).status).toBe(400);
  });
});

describe("a query", () => {
  it.each([
    ["page=0", ["page"]],
    ["page=x", ["page"]],
    ["page=", ["page"]],
    ["page=0x10", ["page"]],
    ["limit=101", ["limit"]],
    ["page=1&page=2", ["page"]],
    ["sort=name", ["sort"]],
    ["filters=[", ["filters"]],
    ["colour=red", ["colour"]],
    ["__proto__=1", ["__proto__"]],
  ])("of %s is refused", async (query, fields) => {
    const { ask } = await openScene();
    expect(await ask("GET", `${FORMS}?${query}`)).toMatchObject({ status: 400, code: "VALIDATION_FAILED", fields });
  });

  it.each(["page=1&limit=100", "count=none", 'sort=[{"field":"name"}]', 'columns=["name"]', ""])(
    "of %s is read",
    async (query) => {
      const { ask } = await openScene();
      expect((await ask("GET", `${FORMS}?${query}`)).status).toBe(200);
    },
  );

  it("is refused without effect for an operation without a query", async () => {
    const { ask, inputs } = await openScene();
    const path = `${FORMS}/${inputs.deleteForm.formId}`;
    expect(await ask("DELETE", `${path}?force=true`)).toMatchObject({ status: 400, fields: ["force"] });
    expect((await ask("GET", path)).status).toBe(200);
  });
});

describe("the order of checks", () => {
  it("gives an invalid request the same error as a valid one", async () => {
    const { world, inputs } = await openScene();
    const reader = await world.token("northwind", ["api.custom_forms.read"]);
    const manager = await world.token("northwind", ["api.custom_forms.manage"]);
    const send = async (token: string | undefined, path: string) => {
      const headers = { ...(token !== undefined && bearer(token)), "content-type": "application/json" };
      return (await world.send(new Request(ORIGIN + path, { method: "PATCH", headers, body: "{" }))).status;
    };
    const path = `${FORMS}/${inputs.updateForm.formId}?page=1&page=2`;
    expect(await send(undefined, path)).toBe(401);
    expect(await send(reader, path)).toBe(403);
    expect(await send(manager, `${FORMS}/frm_nobody`)).toBe(404);
    expect(await send(manager, path)).toBe(400);
  });
});

describe("the Host", () => {
  it.each(["http://localhost", "http://127.0.0.1:8080", "http://[::1]:1", "http://LOCALHOST:9"])(
    "may be %s",
    async (origin) => {
      const { world } = await openScene();
      expect((await world.send(new Request(`${origin}/healthz`))).status).toBe(200);
    },
  );

  it.each([
    "http://formctl.example",
    "http://localhost.evil.example",
    "http://127.0.0.1.nip.io:8080",
    "http://192.168.1.5",
  ])("may not be %s, a name that a web page could resolve to this server", async (origin) => {
    const { world, token } = await openScene();
    const request = new Request(`${origin}/v1/currencies`, { headers: bearer(token) });
    expect(await said(await world.send(request))).toMatchObject({ status: 421, code: "MISDIRECTED_REQUEST" });
  });

  it("can be any name if the server listens on other addresses", async () => {
    const { world } = await openScene();
    const handler = serviceHandler(world.local, { host: "0.0.0.0", version: "test" });
    expect((await handler(new Request("http://formctl.example/healthz"))).status).toBe(200);
  });
});

describe("a request id", () => {
  it("is returned if safe, and replaced otherwise", async () => {
    const { ask } = await openScene();
    const of = async (id: string) =>
      (await ask("GET", "/v1/currencies", { headers: { "x-request-id": id } })).headers.get("x-request-id");
    for (const id of ["ci-42.a_b", "x".repeat(128)]) expect(await of(id)).toBe(id);
    for (const id of ["", "a b", "x".repeat(129), 'a"b', "a,b"]) expect(await of(id)).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("is written to the log and the audit log", async () => {
    const { world, ask } = await openScene();
    await ask("POST", FORMS, { headers: { "x-request-id": "from-ci" }, body: newForm() });
    const [entry] = await world.local.log({ limit: 1 });
    const { tokenId } = world.log.at(-1)!;
    expect(world.log.at(-1)).toEqual({
      requestId: "from-ci",
      method: "POST",
      path: FORMS,
      operation: "createForm",
      status: 201,
      ms: expect.any(Number) as number,
      organization: "northwind",
      tokenId,
    });
    expect(entry).toMatchObject({
      requestId: "from-ci",
      operation: "createForm",
      tokenId,
      tokenName: "test",
      organization: "northwind",
      target: FORMS,
    });
  });
});

describe("an internal error", () => {
  const failing = async (error: Error, refusalOf?: (error: unknown) => ServiceError | undefined) => {
    const log: { error?: unknown }[] = [];
    const handler = createHandler({
      async authenticate() {
        throw error;
      },
      now: () => 0,
      newRequestId: () => "made",
      log: (entry) => log.push(entry),
      version: "test",
      ...(refusalOf && { refusalOf }),
    });
    const request = new Request(`${ORIGIN}/v1/currencies`, { headers: bearer("any") });
    return { answer: await said(await handler.fetch(request)), log };
  };

  it("is reported without details, and logged with them", async () => {
    const error = new Error("SELECT secret FROM store");
    const { answer, log } = await failing(error);
    expect(answer).toMatchObject({ status: 500, code: "INTERNAL" });
    expect(JSON.stringify(answer.body)).not.toContain("secret");
    expect(JSON.stringify(answer.body)).toContain("made");
    expect(log[0]!.error).toBe(error);
  });

  it("that is temporary is reported with Retry-After", async () => {
    const busy = new ServiceError(503, { code: "STORE_BUSY", message: "busy" });
    const { answer, log } = await failing(new StoreError("STORE_BUSY", "busy", "wait"), () => busy);
    expect(answer).toMatchObject({ status: 503, code: "STORE_BUSY" });
    expect(answer.headers.get("retry-after")).toBe("1");
    expect(log[0]!.error).toBeInstanceOf(StoreError);
  });
});

describe("an error response", () => {
  it("lists 100 problems of an invalid draft, and counts the others", async () => {
    const { ask } = await openScene();
    const form = (await ask("POST", FORMS, { body: newForm() })).body as { data: { viewLayoutId: string } };
    const layout = `/v1/view-layouts/${form.data.viewLayoutId}`;
    const blocks = Array.from({ length: 300 }, (_, index) => ({
      id: `b${index}`,
      type: "field",
      source: "dynamic_field",
      regionKey: "main",
      ref: { fieldKey: `unknown_${index}` },
    }));
    const draft = { schemaVersion: 1, regions: [{ key: "main", layout: "grid", columns: 12 }], blocks };
    const body = JSON.stringify({ clientMutationId: "many", ...draft });
    const saved = await ask("PUT", `${layout}/draft`, { body });
    const { draftVersionId, validation } = (saved.body as SavedAnswer).data;
    const total = validation.errors.length + validation.warnings.length;
    expect(validation.errors.length).toBeGreaterThan(100);

    const publish = JSON.stringify({ clientMutationId: "publish", draftVersionId });
    const refused = await ask("POST", `${layout}/publish`, { body: publish });
    const { error } = refused.body as { error: ErrorBody };
    expect([refused.status, error.code]).toEqual([409, "DRAFT_INVALID"]);
    expect(error.validation!.errors.length + error.validation!.warnings.length).toBe(100);
    expect(error.errors).toHaveLength(100);
    expect(error.message).toContain(`Not listed: ${total - 100} more problems`);
    expect(Buffer.byteLength(JSON.stringify(refused.body))).toBeLessThanOrEqual(64 * 1024);
  });

  it("is at most 64 KiB long, whatever its lists contain", async () => {
    const referencedByLayouts = Array.from({ length: 2_000 }, (_, index) => `lay_${index}`.padEnd(28, "x"));
    const impacts = Array.from({ length: 200 }, (_, index) => ({ draftId: `d${index}`, referencedByLayouts }));
    const answer = errorResponse(409, { code: "FIELD_CHANGES_UNCONFIRMED", message: "confirm", impacts }, "id");
    const text = await answer.text();
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64 * 1024);
    const { error } = JSON.parse(text) as { error: ErrorBody };
    const listed = error.impacts!.length;
    expect(listed).toBeGreaterThan(0);
    expect(error.message).toMatch(
      new RegExp(`^confirm\\. Not listed: ${200 - listed} more changes, \\d+ more layouts$`),
    );
  });

  it("is sent unchanged if it is short", async () => {
    const body = { code: "DRAFT_INVALID", message: "1 error", errors: [{ message: "1 error" }] };
    expect(JSON.parse(await errorResponse(409, body, "id").text())).toEqual({ error: body });
  });

  it("has Retry-After only if a retry can help", async () => {
    for (const [code, seconds] of [
      ["STORE_BUSY", "1"],
      ["STORE_NEWER", "1"],
      ["STORE_CORRUPT", null],
      ["STORE_READ_ONLY", null],
    ] as const) {
      const error = new StoreError(code, "the store", "hint");
      const { world } = await openScene();
      const local = { ...world.local, authenticate: () => Promise.reject(error) };
      const handler = serviceHandler(local, { host: "127.0.0.1", version: "test" });
      const answer = await handler(new Request(`${ORIGIN}/v1/currencies`, { headers: bearer("any") }));
      expect([code, answer.status, answer.headers.get("retry-after")]).toEqual([code, 503, seconds]);
    }
  });
});

type SavedAnswer = { data: { draftVersionId: string; validation: { errors: unknown[]; warnings: unknown[] } } };

describe("an object of a body", () => {
  it("has at most 10,000 members", async () => {
    const { world, token } = await openScene();
    const send = (count: number) =>
      world.send(
        new Request(`${ORIGIN}/v1/view-layouts/any/draft`, {
          method: "PUT",
          headers: { ...bearer(token), "content-type": "application/json" },
          body: JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 1]))),
        }),
      );
    expect((await send(10_000)).status).toBe(404);
    expect(await said(await send(10_001))).toMatchObject({ status: 413, code: "PAYLOAD_TOO_LARGE" });
  });
});
