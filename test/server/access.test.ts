/** Checks permissions: every operation with every kind of token, and the separation of organizations. */

import { describe, expect, it } from "vitest";
import { type OperationName, operationRow, operations, pathParameters } from "../../src/schemas/operations.ts";
import { formatToken, TOKEN_BYTES } from "../../src/base/secret.ts";
import { PERMISSIONS } from "../../src/schemas/words.ts";
import { bearer, requestOf, setScene } from "./scene.ts";
import { openServerWorld, type ServerWorld } from "./server-world.ts";

const names = Object.keys(operations) as OperationName[];
const HOUR = 3_600_000;

type Scene = { world: ServerWorld; send: (token: string | undefined) => Promise<Response> };

/** Opens a separate world in which one operation can be requested with any token. */
async function sceneOf(name: OperationName): Promise<Scene> {
  const world = await openServerWorld();
  const inputs = await setScene(world, await world.as("northwind"));
  const headers = (token: string | undefined) => (token === undefined ? {} : bearer(token));
  return { world, send: (token) => world.send(requestOf(name, inputs[name], headers(token))) };
}

describe.each(names)("%s", (name) => {
  const row = operationRow(name);

  it("is refused with 401 without a valid token, and has no effect", async () => {
    const { world, send } = await sceneOf(name);
    const writes = await world.local.log({ limit: 100 });
    const soon = new Date(world.clock.now.getTime() + HOUR).toISOString();
    const expired = await world.token("northwind", PERMISSIONS, soon);
    const { id, token: revoked } = await world.local.createToken({
      organization: "northwind",
      name: "revoked",
      permissions: PERMISSIONS,
      expiresAt: null,
    });
    await world.local.revokeToken(id);
    world.clock.advance(HOUR);
    const unknown = formatToken(Buffer.alloc(TOKEN_BYTES, 7));
    const tokens = [undefined, "garbage", unknown, `${unknown}x`, expired, revoked];
    const answers = await Promise.all(tokens.map((token) => send(token)));
    for (const answer of answers) {
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer/);
    }
    // Only the error for an expired token states the reason. The owner of the token then knows what to do.
    const messages = await Promise.all(
      answers.map(async (answer) => ((await answer.json()) as { error: { message: string } }).error.message),
    );
    const other = "the token is unknown or revoked";
    expect(messages.slice(1)).toEqual([other, other, other, "the token has expired", other]);
    expect(world.log.slice(-tokens.length)).toMatchObject(
      ["missing", "unknown", "unknown", "unknown", "expired", "revoked"].map((reason) => ({ unauthorized: reason })),
    );
    expect(await world.local.log({ limit: 100 })).toEqual(writes);
  });

  it.each(PERMISSIONS)("with only %s", async (permission) => {
    const { world, send } = await sceneOf(name);
    const answer = await send(await world.token("northwind", [permission]));
    const isEnough = row.permission === null || row.permission === permission;
    expect(answer.status).toBe(isEnough ? row.status : 403);
    expect(isEnough || (await answer.text()).includes(`the permission ${row.permission} is required`)).toBe(true);
  });

  it("with no permission, with all but one, and with all", async () => {
    const { world, send } = await sceneOf(name);
    const others = PERMISSIONS.filter((permission) => permission !== row.permission);
    const refused = row.permission === null ? row.status : 403;
    expect((await send(await world.token("northwind", []))).status).toBe(refused);
    expect((await send(await world.token("northwind", others))).status).toBe(refused);
    expect((await send(await world.token("northwind"))).status).toBe(row.status);
  });

  it("is refused immediately after the token is revoked", async () => {
    const { world, send } = await sceneOf(name);
    const organization = "northwind";
    const { id, token } = await world.local.createToken({
      organization,
      name: "leaving",
      permissions: PERMISSIONS,
      expiresAt: null,
    });
    expect((await send(token)).status).toBe(row.status);
    await world.local.revokeToken(id);
    expect((await send(token)).status).toBe(401);
  });
});

describe("another organization", () => {
  /** Returns the response to contoso for a record of northwind. The record does not exist if `isThere` is false. */
  async function heard(name: OperationName, isThere: boolean): Promise<{ status: number; all: string }> {
    const [world, empty] = [await openServerWorld(), await openServerWorld()];
    const token = await world.token("contoso");
    const inputs = await setScene(world, await world.as("northwind"));
    expect(await empty.token("contoso")).toBe(token);
    const { send } = isThere ? world : empty;
    const headers = { ...bearer(token), "x-request-id": "same", "idempotency-key": "same" };
    const answer = await send(requestOf(name, inputs[name], headers));
    return { status: answer.status, all: JSON.stringify([[...answer.headers], await answer.text()]) };
  }

  const withPath = names.filter((name) => pathParameters(operationRow(name).path).length > 0);
  it.each(withPath)("gets the same response to %s as for a missing record, byte for byte", async (name) => {
    const foreign = await heard(name, true);
    expect(foreign.status).toBe(404);
    expect(foreign).toEqual(await heard(name, false));
  });

  it("does not learn which ids in a body belong to other organizations", async () => {
    const world = await openServerWorld();
    const { deleteForm: theirs } = await setScene(world, await world.as("northwind"));
    const visit = { moduleKey: "care", objectKey: "visit" };
    const contoso = await world.as("contoso");
    const { id: formId } = await contoso.createForm({ ...visit, body: { name: "Visit", types: ["VIEW"] } });
    const headers = { ...bearer(await world.token("contoso")), "x-request-id": "same" };
    const { organizations } = await world.local.show();
    const northwind = organizations.find(({ key }) => key === "northwind")!;
    const said = async (request: Request, id: string) => {
      const answer = await world.send(request);
      expect(answer.status).toBe(400);
      return (await answer.text()).replaceAll(id, "ID");
    };
    const defaults = (id: string) =>
      said(requestOf("updateFormDefaults", { ...visit, body: { defaultViewFormId: id } }, headers), id);
    const role = (roleId: string) => {
      const body = { users: [], roles: [{ roleId, types: ["VIEW" as const] }] };
      return said(requestOf("replaceFormAccess", { ...visit, formId, body }, headers), roleId);
    };
    const member = (membershipId: string) => {
      const body = { users: [{ membershipId, types: ["VIEW" as const] }], roles: [] };
      return said(requestOf("replaceFormAccess", { ...visit, formId, body }, headers), membershipId);
    };
    expect(await defaults(theirs.formId)).toBe(await defaults("frm_nobody"));
    expect(await role(northwind.roles[0]!.id)).toBe(await role("rol_nobody"));
    expect(await member(northwind.members[0]!.id)).toBe(await member("mem_nobody"));
  });

  it("sees only its own records, and can reuse an Idempotency-Key of northwind", async () => {
    const world = await openServerWorld();
    await setScene(world, await world.as("northwind"));
    const [ours, theirs] = [await world.token("northwind"), await world.token("contoso")];
    const page = { body: { surface: "USER" as const, supportedModes: ["VIEW" as const], target: {}, name: "Page" } };
    const create = async (token: string) =>
      world.send(requestOf("createLayout", page, { ...bearer(token), "idempotency-key": "same" }));
    const idOf = async (response: Response) => ((await response.json()) as { data: { id: string } }).data.id;
    expect(await idOf(await create(ours))).not.toBe(await idOf(await create(theirs)));
    const list = await world.send(requestOf("listLayouts", {}, bearer(theirs)));
    expect(((await list.json()) as { data: unknown[] }).data).toHaveLength(1);
  });
});
