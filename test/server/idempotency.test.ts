/** Writes that are sent twice, and writes that must not overwrite: `Idempotency-Key`, `ETag` and `If-Match`. */

import { describe, expect, it } from "vitest";
import { taggedRead } from "../../src/schemas/entity-tag.ts";
import { type Input, type OperationName, operationRow, operations } from "../../src/schemas/operations.ts";
import { bearer, requestOf, setScene } from "./scene.ts";
import { openServerWorld } from "./server-world.ts";

const DAY = 24 * 60 * 60 * 1000;

/** The writes whose body needs no clientMutationId. */
const KEYED = [
  "createForm",
  "updateForm",
  "deleteForm",
  "updateFormDefaults",
  "replaceFormAccess",
  "createLayout",
  "updateLayout",
  "archiveLayout",
] as const satisfies OperationName[];

const GUARDED = (Object.keys(operations) as OperationName[]).filter((name) => taggedRead(name) !== undefined);
const UNGUARDED = (Object.keys(operations) as OperationName[]).filter(
  (name) => operationRow(name).method !== "GET" && taggedRead(name) === undefined,
);

async function openScene() {
  const world = await openServerWorld();
  const inputs = await setScene(world, await world.as("northwind"));
  const token = await world.token("northwind");
  async function send<N extends OperationName>(
    name: N,
    headers: Record<string, string> = {},
    input: Input<N> = inputs[name],
  ) {
    const answer = await world.send(requestOf(name, input, { ...bearer(token), ...headers }));
    const text = await answer.text();
    return {
      status: answer.status,
      text,
      headers: answer.headers,
      isReplay: answer.headers.get("idempotency-replayed") === "true",
    };
  }
  const writes = async () => (await world.local.log({ limit: 1000 })).length;
  return { world, inputs, send, writes };
}

const codeOf = (text: string) => (JSON.parse(text) as { error: { code: string } }).error.code;
const key = { "idempotency-key": "once" };

describe("an Idempotency-Key", () => {
  it.each(KEYED)("makes %s repeatable: same response, no further effect", async (name) => {
    const { world, send, writes } = await openScene();
    const first = await send(name, key);
    expect([first.status, first.isReplay]).toEqual([operationRow(name).status, false]);
    const before = await writes();
    world.clock.advance(1000);
    const second = await send(name, key);
    expect([second.status, second.text, second.isReplay]).toEqual([first.status, first.text, true]);
    expect(await writes()).toBe(before);
    expect(await world.local.check()).toEqual([]);
  });

  it.each(KEYED)("expires for %s after seven days", async (name) => {
    const { world, send } = await openScene();
    await send(name, key);
    world.clock.advance(7 * DAY + 1);
    expect((await send(name, key)).isReplay).toBe(false);
  });

  it("is refused for a different body, without effect", async () => {
    const { inputs, send, writes } = await openScene();
    await send("updateForm", key);
    const before = await writes();
    const other = await send("updateForm", key, { ...inputs.updateForm, body: { name: "Other" } });
    expect([other.status, codeOf(other.text)]).toEqual([409, "IDEMPOTENCY_CONFLICT"]);
    expect(JSON.parse(other.text)).toMatchObject({
      error: { idempotencyConflict: { clientMutationId: "once", operation: "updateForm", reason: "BODY_MISMATCH" } },
    });
    expect(await writes()).toBe(before);
  });

  it("is scoped to one path: for another form it is a different request", async () => {
    const { world, inputs, send } = await openScene();
    const service = await world.as("northwind");
    const { id } = await service.createForm({ ...inputs.createForm, body: { name: "Third", types: ["VIEW"] } });
    await send("updateForm", key);
    const other = await send("updateForm", key, { ...inputs.updateForm, formId: id });
    expect([other.status, other.isReplay]).toEqual([200, false]);
  });

  it("does not store error responses", async () => {
    const { world, inputs, send } = await openScene();
    const service = await world.as("northwind");
    const { moduleKey, objectKey, formId } = inputs.deleteForm;
    await service.updateFormDefaults({ moduleKey, objectKey, body: { defaultCreateFormId: formId } });
    expect((await send("deleteForm", key)).status).toBe(409);
    await service.updateFormDefaults({ moduleKey, objectKey, body: { defaultCreateFormId: null } });
    expect(await send("deleteForm", key)).toMatchObject({ status: 204, isReplay: false });
  });

  it("is deleted together with its form, except for the deletion itself", async () => {
    const { world, inputs, send } = await openScene();
    await send("updateForm", key);
    await send("replaceFormAccess", key);
    await send("deleteForm", key);
    expect(await send("deleteForm", key)).toMatchObject({ status: 204, isReplay: true });
    expect(await send("updateForm", key)).toMatchObject({ status: 404 });
    expect((await send("deleteForm", { "idempotency-key": "another" })).status).toBe(404);
    expect(inputs.deleteForm.formId).not.toBe("");
    expect(await world.local.check()).toEqual([]);
  });

  it("has lower precedence than a clientMutationId", async () => {
    const { inputs, send } = await openScene();
    await send("saveDraft", key);
    const other = { ...inputs.saveDraft, body: { ...inputs.saveDraft.body, clientMutationId: "another", blocks: [] } };
    expect(await send("saveDraft", key, other)).toMatchObject({ status: 200, isReplay: false });
  });

  it.each(["", "a b", "ä", "x".repeat(129)])("of %j is refused", async (wrong) => {
    const { send } = await openScene();
    const answer = await send("createForm", { "idempotency-key": wrong });
    expect([answer.status, codeOf(answer.text)]).toEqual([400, "VALIDATION_FAILED"]);
    expect((await send("createForm", { "idempotency-key": "x".repeat(128) })).status).toBe(201);
  });

  it("is ignored by reads", async () => {
    const { send } = await openScene();
    await send("getForm", key);
    expect((await send("getForm", key)).isReplay).toBe(false);
  });
});

describe("an entity tag", () => {
  it.each(GUARDED)("allows %s while its target is unchanged", async (name) => {
    const { inputs, send } = await openScene();
    const { headers } = await send(taggedRead(name)!, {}, withoutBody(inputs[name]) as never);
    const tag = headers.get("etag")!;
    expect(tag).toMatch(/^"[\w-]{22}"$/);
    expect((await send(name, { "if-match": `"x", ${tag}` })).status).toBe(operationRow(name).status);
  });

  it.each(GUARDED)("prevents %s when its target has changed", async (name) => {
    const { world, inputs, send, writes } = await openScene();
    const read = async () => send(taggedRead(name)!, {}, withoutBody(inputs[name]) as never);
    const tag = (await read()).headers.get("etag")!;
    world.clock.advance(1000);
    const change = name === "deleteForm" ? "updateForm" : name;
    expect((await send(change)).status).toBe(200);
    const [before, now] = [await writes(), await read()];
    const stale = await send(name, { "if-match": tag });
    expect([stale.status, codeOf(stale.text)]).toEqual([412, "PRECONDITION_FAILED"]);
    expect([await writes(), (await read()).text]).toEqual([before, now.text]);
    expect(now.headers.get("etag")).not.toBe(tag);
    expect(stale.text).toContain(JSON.stringify(now.headers.get("etag")));
  });

  it.each(GUARDED)("of the target of %s is hidden from a token without read permission", async (name) => {
    const { world, inputs } = await openScene();
    const { permission } = operationRow(name);
    const blind = await world.token("northwind", [permission!]);
    const headers = { ...bearer(blind), "if-match": '"stale"' };
    const stale = await world.send(requestOf(name, inputs[name], headers));
    const { error } = (await stale.json()) as { error: object };
    expect([stale.status, Object.keys(error)]).toEqual([412, ["code", "message"]]);
    expect(stale.headers.get("etag")).toBeNull();
  });

  it("is also returned by writes, so that the next write needs no read", async () => {
    const { inputs, send } = await openScene();
    const written = await send("updateForm");
    expect(written.headers.get("etag")).toBe((await send("getForm")).headers.get("etag"));
    const next = { ...inputs.updateForm, body: { name: "Again" } };
    expect((await send("updateForm", { "if-match": written.headers.get("etag")! }, next)).status).toBe(200);
  });

  it("changes with computed members: publishing the layout changes the tag of the form", async () => {
    const { world, send, inputs } = await openScene();
    const before = (await send("getForm")).headers.get("etag");
    const saved = await send("saveDraft");
    const { draftVersionId } = (JSON.parse(saved.text) as { data: { draftVersionId: string } }).data;
    const service = await world.as("northwind");
    const body = { clientMutationId: "publish", draftVersionId };
    await service.publishLayout({ layoutId: inputs.saveDraft.layoutId, body });
    expect((await send("getForm")).headers.get("etag")).not.toBe(before);
  });

  it.each(["*"])("of %s matches any", async (any) => {
    const { send } = await openScene();
    expect((await send("updateLayout", { "if-match": any })).status).toBe(200);
  });

  it.each(['W/"x"', '"x"', "x", ""])("of %j matches nothing", async (wrong) => {
    const { send } = await openScene();
    expect((await send("updateLayout", { "if-match": wrong })).status).toBe(412);
  });

  it("that is weak never matches", async () => {
    const { send } = await openScene();
    const tag = (await send("getLayout")).headers.get("etag")!;
    expect((await send("updateLayout", { "if-match": `W/${tag}` })).status).toBe(412);
  });

  it("is not checked for a replay", async () => {
    const { send } = await openScene();
    const headers = { ...key, "if-match": (await send("getForm")).headers.get("etag")! };
    const first = await send("updateForm", headers);
    expect(await send("updateForm", headers)).toMatchObject({ status: 200, isReplay: true, text: first.text });
  });

  it.each(UNGUARDED)("that %s can't check is refused instead of ignored", async (name) => {
    const { send, writes } = await openScene();
    const before = await writes();
    const answer = await send(name, { "if-match": "*" });
    expect([answer.status, codeOf(answer.text)]).toEqual([400, "VALIDATION_FAILED"]);
    expect(await writes()).toBe(before);
  });
});

function withoutBody(input: object): object {
  return Object.fromEntries(Object.entries(input).filter(([member]) => member !== "body"));
}
