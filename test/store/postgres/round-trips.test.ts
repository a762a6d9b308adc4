/** Counts the round trips between `formctl serve` and the database, on the wire. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { serviceHandler } from "../../../src/composition/serve.ts";
import { openLocalService } from "../../../src/engine/local.ts";
import type { LocalService } from "../../../src/local-service.ts";
import type { FullService } from "../../../src/service.ts";
import { createPostgres, openPostgres, SERVING } from "../../../src/store/postgres/postgres.ts";
import { PERMISSIONS } from "../../../src/schemas/words.ts";
import { contractOrganizations } from "../../contract/organizations.ts";
import { SEEDING } from "../../contract/engine-provider.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../../database-proxy.ts";
import { postgresOfFile } from "../../postgres.ts";

const serverOfFile = await postgresOfFile();

/** Waits until no statement has been sent for a while. */
async function quiet(): Promise<void> {
  for (let last = -1; last !== counter.trips();) {
    last = counter.trips();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

let counter: DatabaseProxy;
let local: LocalService;
/** The service of another server on the same database. */
let other: FullService;
let otherLocal: LocalService;
let administrate: <Row extends object>(text: string) => Promise<Row[]>;
let ask: (method: string, path: string, body?: unknown) => Promise<{ status: number; trips: number; body: unknown }>;

beforeAll(async () => {
  const server = serverOfFile();
  const database = await server.createDatabase();
  await createPostgres(server.url(database));
  counter = await startDatabaseProxy(server.port);
  const url = server.url(database).replace(`:${server.port}/`, `:${counter.port}/`);
  local = openLocalService({ ...SEEDING, store: openPostgres(url, SERVING) });
  await local.seed(contractOrganizations);
  otherLocal = openLocalService({ ...SEEDING, store: openPostgres(server.url(database), SERVING) });
  other = await otherLocal.service("northwind");
  administrate = (text) => server.query(text, database);
  const { token } = await local.createToken({
    name: "t",
    permissions: PERMISSIONS,
    expiresAt: null,
    organization: "northwind",
  });
  const handler = serviceHandler(local, { host: "127.0.0.1", version: "test" });
  ask = async (method, path, body) => {
    const before = counter.trips();
    const response = await handler(
      new Request(`http://localhost/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    // What the request does not wait for counts too.
    await quiet();
    return { status: response.status, trips: counter.trips() - before, body: text === "" ? null : JSON.parse(text) };
  };
});
afterAll(async () => {
  await local.close();
  await otherLocal.close();
  await counter.close();
});

const FORMS = "/custom-modules/staffing/objects/candidate/forms";
const body = { name: "Intake", types: ["VIEW"] };

/** Creates a form, and requests what a server has to learn first: the token of today and the object. */
async function createForm(): Promise<{ path: string; layout: string }> {
  const { data } = (await ask("POST", FORMS, body)).body as { data: { id: string; viewLayoutId: string } };
  await ask("GET", FORMS);
  return { path: `${FORMS}/${data.id}`, layout: `/view-layouts/${data.viewLayoutId}` };
}

const changes = { name: "Renamed" };

it("reads need two, and one while the organization is unchanged", async () => {
  const { path } = await createForm();
  await ask("GET", `${FORMS}/available`);
  await ask("PATCH", path, changes);
  for (const read of [path, FORMS, `${FORMS}?limit=1`, `${FORMS}/available`]) {
    expect(await ask("GET", read)).toMatchObject({ status: 200, trips: 2 });
    expect(await ask("GET", read)).toMatchObject({ status: 200, trips: 1 });
  }
});

it("an answer is not repeated after another server's write, and would be if the write raised no version", async () => {
  const { path } = await createForm();
  const nameOf = async () => ((await ask("GET", path)).body as { data: { name: string } }).data.name;
  expect(await nameOf()).toBe("Intake");
  const { moduleKey, objectKey } = { moduleKey: "staffing", objectKey: "candidate" };
  const rename = (name: string) =>
    other.updateForm({ moduleKey, objectKey, formId: path.slice(FORMS.length + 1), body: { name } });
  await rename("Renamed");
  expect(await nameOf()).toBe("Renamed");
  const [before] = await administrate<{ version: number }>("SELECT max(version) AS version FROM organization_state");
  await rename("Renamed again");
  await administrate(`UPDATE organization_state SET version = ${before!.version} WHERE version > ${before!.version}`);
  expect(await nameOf()).toBe("Renamed");
});

it("concurrent reads share the look-up of their tokens", async () => {
  const { path } = await createForm();
  await ask("GET", path);
  const before = counter.trips();
  await Promise.all(Array.from({ length: 20 }, () => ask("GET", path)));
  expect(counter.trips() - before).toBe(1);
});

it("creations and changes of forms need four", async () => {
  const { path } = await createForm();
  expect(await ask("POST", FORMS, body)).toMatchObject({ status: 201, trips: 4 });
  expect(await ask("PATCH", path, changes)).toMatchObject({ status: 200, trips: 4 });
  expect(await ask("PATCH", path, { types: ["VIEW", "EDIT"] })).toMatchObject({ status: 200, trips: 4 });
  expect(await ask("DELETE", path)).toMatchObject({ status: 204, trips: 4 });
});

it("drafts, publications, creations and changes of layouts need four", async () => {
  const { layout } = await createForm();
  const content = { schemaVersion: 1, regions: [{ key: "main", layout: "stack" }], blocks: [] };
  const four = async (method: string, path: string, sent: unknown, status = 200) => {
    const answer = await ask(method, path, sent);
    expect(answer).toMatchObject({ status, trips: 4 });
    return (answer.body as { data: { id: string; draftVersionId: string; versionId: string } }).data;
  };
  const { draftVersionId } = await four("PUT", `${layout}/draft`, { clientMutationId: "save", ...content });
  const publish = { clientMutationId: "publish", draftVersionId, expectedPublishedVersionId: null };
  const { versionId } = await four("POST", `${layout}/publish`, publish);
  await four("POST", `${layout}/versions/${versionId}/restore-draft`, { clientMutationId: "restore" });
  const again = { clientMutationId: "again", expectedDraftVersionId: null, ...content };
  expect(await ask("PUT", `${layout}/draft`, again)).toMatchObject({ status: 409 });
  await four("PATCH", layout, { name: "Renamed" });
  const target = { moduleKey: "staffing", objectKey: "candidate" };
  const own = { surface: "DYNAMIC_OBJECT", target, name: "Own", supportedModes: ["VIEW"] };
  const { id } = await four("POST", "/view-layouts", own, 201);
  await four("PATCH", `/view-layouts/${id}`, { supportedModes: ["VIEW", "EDIT"] });
});

it("refused writes that share a commit with others leave no gap in the log", async () => {
  const { path } = await createForm();
  const missing = `${path}x`;
  const before = (await administrate<{ n: number }>("SELECT count(*)::int AS n FROM audit"))[0]!.n;
  await Promise.all(
    Array.from({ length: 12 }, (_each, index) =>
      index % 3 === 0 ? ask("DELETE", missing) : ask("PATCH", path, { name: `Renamed ${index}` }),
    ),
  );
  const after = await administrate<{ n: number; first: number; last: number }>(
    "SELECT count(*)::int AS n, min(seq)::int AS first, max(seq)::int AS last FROM audit",
  );
  expect(after[0]!.n - before).toBe(8);
  expect(after[0]!.last - after[0]!.first + 1).toBe(after[0]!.n);
});

it("a read whose records the server has not seen needs more, so the counter counts", async () => {
  const { layout } = await createForm();
  expect((await ask("GET", layout)).trips).toBeGreaterThan(2);
});
