/** Counts the round trips between `formctl serve` and the database, on the wire. */

import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { serviceHandler } from "../../../src/composition/serve.ts";
import { openLocalService } from "../../../src/engine/local.ts";
import type { LocalService } from "../../../src/local-service.ts";
import type { FullService } from "../../../src/service.ts";
import { createPostgres, openPostgres, SERVING } from "../../../src/store/postgres/postgres.ts";
import type { OperationName, operations } from "../../../src/schemas/operations.ts";
import { PERMISSIONS } from "../../../src/schemas/words.ts";
import type { Tx } from "../../../src/store/store.ts";
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

type Ask = (method: string, path: string, body?: unknown) => Promise<{ status: number; trips: number; body: unknown }>;

let counter: DatabaseProxy;
/** The URL of the database through the counter. */
let url: string;
let local: LocalService;
/** The service of another server on the same database. */
let other: FullService;
let otherLocal: LocalService;
let administrate: <Row extends object>(text: string) => Promise<Row[]>;
let ask: Ask;

/** Returns a function that sends requests to a server, and counts their round trips. */
function askOf(served: LocalService, token: string): Ask {
  const handler = serviceHandler(served, { host: "127.0.0.1", version: "test" });
  return async (method, path, body) => {
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
}

/** Opens a server that has sent nothing to the database. */
function newServer(): LocalService {
  const served = openLocalService({ ...SEEDING, store: openPostgres(url, SERVING) });
  onTestFinished(() => served.close());
  return served;
}

/** Creates a token that only the other server has seen. Its use of today is recorded. */
async function newToken(): Promise<string> {
  const { id, token } = await otherLocal.createToken({ ...ALL_PERMISSIONS, name: "new" });
  await otherLocal.authenticate(token, () => {});
  const recorded = () => administrate(`SELECT id FROM api_tokens WHERE id = '${id}' AND last_used_at IS NOT NULL`);
  await expect.poll(recorded).toHaveLength(1);
  return token;
}

const ALL_PERMISSIONS = { permissions: PERMISSIONS, expiresAt: null, organization: "northwind" };

beforeAll(async () => {
  const server = serverOfFile();
  const database = await server.createDatabase();
  await createPostgres(server.url(database));
  counter = await startDatabaseProxy(server.port);
  url = server.url(database).replace(`:${server.port}/`, `:${counter.port}/`);
  local = openLocalService({ ...SEEDING, store: openPostgres(url, SERVING) });
  await local.seed(contractOrganizations);
  otherLocal = openLocalService({ ...SEEDING, store: openPostgres(server.url(database), SERVING) });
  other = await otherLocal.service("northwind");
  administrate = (text) => server.query(text, database);
  const { token } = await local.createToken({ ...ALL_PERMISSIONS, name: "t" });
  ask = askOf(local, token);
  // This records the use of the token, and opens connections.
  await ask("GET", FORMS);
});
afterAll(async () => {
  await local.close();
  await otherLocal.close();
  await counter.close();
});

const CANDIDATE = { moduleKey: "staffing", objectKey: "candidate" };
const CONTENT = { schemaVersion: 1 as const, regions: [{ key: "main", layout: "stack" as const }], blocks: [] };
const FORMS = "/custom-modules/staffing/objects/candidate/forms";
const body = { name: "Intake", types: ["VIEW"] };

async function createForm(): Promise<{ path: string; layout: string }> {
  const { data } = (await ask("POST", FORMS, body)).body as { data: { id: string; viewLayoutId: string } };
  return { path: `${FORMS}/${data.id}`, layout: `/view-layouts/${data.viewLayoutId}` };
}

const changes = { name: "Renamed" };

it("reads need two, and one while the organization is unchanged", async () => {
  const { path } = await createForm();
  for (const read of [path, FORMS, `${FORMS}?limit=1`, `${FORMS}/available`]) {
    expect(await ask("GET", read)).toMatchObject({ status: 200, trips: 2 });
    expect(await ask("GET", read)).toMatchObject({ status: 200, trips: 1 });
  }
});

it("an answer is not repeated after another server's write, and would be if the write raised no version", async () => {
  const { path } = await createForm();
  const nameOf = async () => ((await ask("GET", path)).body as { data: { name: string } }).data.name;
  expect(await nameOf()).toBe("Intake");
  const rename = (name: string) =>
    other.updateForm({ ...CANDIDATE, formId: path.slice(FORMS.length + 1), body: { name } });
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
  const four = async (method: string, path: string, sent: unknown, status = 200) => {
    const answer = await ask(method, path, sent);
    expect(answer).toMatchObject({ status, trips: 4 });
    return (answer.body as { data: { id: string; draftVersionId: string; versionId: string } }).data;
  };
  const { draftVersionId } = await four("PUT", `${layout}/draft`, { clientMutationId: "save", ...CONTENT });
  const publish = { clientMutationId: "publish", draftVersionId, expectedPublishedVersionId: null };
  const { versionId } = await four("POST", `${layout}/publish`, publish);
  await four("POST", `${layout}/versions/${versionId}/restore-draft`, { clientMutationId: "restore" });
  const again = { clientMutationId: "again", expectedDraftVersionId: null, ...CONTENT };
  expect(await ask("PUT", `${layout}/draft`, again)).toMatchObject({ status: 409 });
  await four("PATCH", layout, { name: "Renamed" });
  const own = { surface: "DYNAMIC_OBJECT", target: CANDIDATE, name: "Own", supportedModes: ["VIEW"] };
  const { id } = await four("POST", "/view-layouts", own, 201);
  await four("PATCH", `/view-layouts/${id}`, { supportedModes: ["VIEW", "EDIT"] });
});

it("defaults of forms, access, assignments and the archiving of layouts need at most four", async () => {
  const { path, own, roleId } = await createRecords();
  const trips = async (method: string, at: string, sent?: unknown, status = 200) => {
    const answer = await ask(method, at, sent);
    expect({ at, status: answer.status }).toEqual({ at, status });
    return answer.trips;
  };
  const defaultViewFormId = path.slice(FORMS.length + 1);
  const access = { users: [], roles: [{ roleId, types: ["VIEW"] }] };
  const assigned = (organizationDefault: boolean) => ({
    clientMutationId: `assign ${organizationDefault}`,
    roles: [{ roleId, priority: 1 }],
    organizationDefault,
  });
  expect({
    defaults: await trips("PATCH", `${FORMS}/defaults`, { defaultViewFormId }),
    access: await trips("PUT", `${path}/access`, access),
    assignments: await trips("PUT", `${own}/assignments`, assigned(false)),
    default: await trips("PUT", `${own}/assignments`, assigned(true)),
    modes: await trips("PATCH", own, { supportedModes: ["VIEW"] }),
    archive: await trips("POST", `${own}/archive`, undefined, 204),
  }).toEqual({ defaults: 4, access: 4, assignments: 4, default: 4, modes: 4, archive: 3 });
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

type Read = {
  [N in OperationName]: (typeof operations)[N]["method"] extends "GET" ? N : never;
}[OperationName];

/** Creates records of all kinds through the other server. @returns their paths */
async function createRecords() {
  const form = await other.createForm({ ...CANDIDATE, body: { name: "Intake", types: ["VIEW"] } });
  const layoutId = form.viewLayoutId;
  let versionId = "";
  for (let number = 0; number < 12; number++) {
    const content = { ...CONTENT, metadata: { number } };
    const { draftVersionId } = await other.saveDraft({
      layoutId,
      body: { clientMutationId: `save-${number}`, ...content },
    });
    const published = { clientMutationId: `publish-${number}`, draftVersionId };
    ({ versionId } = await other.publishLayout({ layoutId, body: published }));
  }
  const [role] = await administrate<{ id: string }>("SELECT id FROM roles WHERE key = 'recruiter'");
  const roleId = role!.id;
  await other.replaceFormAccess({
    ...CANDIDATE,
    formId: form.id,
    body: { users: [], roles: [{ roleId, types: ["VIEW"] }] },
  });
  const own = await other.createLayout({
    body: { surface: "DYNAMIC_OBJECT", target: CANDIDATE, name: "Own", supportedModes: ["EDIT"] },
  });
  await other.replaceAssignments({
    layoutId: own.id,
    body: { clientMutationId: "assign", roles: [{ roleId, priority: 1 }], organizationDefault: false },
  });
  return {
    formId: form.id,
    path: `${FORMS}/${form.id}`,
    layout: `/view-layouts/${layoutId}`,
    version: `/view-layouts/${layoutId}/versions/${versionId}`,
    own: `/view-layouts/${own.id}`,
    roleId,
  };
}

it("no read needs more than two, with records and a token that the server has not seen", async () => {
  const { formId, path, layout, version, own } = await createRecords();
  const filters = { op: "and", items: [{ field: "name", operator: "eq", value: "Intake" }] };
  const sort = encodeURIComponent(JSON.stringify([{ field: "name", direction: "desc" }]));
  const filter = `?filters=${encodeURIComponent(JSON.stringify(filters))}`;
  const reads: Record<Read, readonly string[]> = {
    listForms: [FORMS, `${FORMS}?limit=1&count=none`, `${FORMS}${filter}`, `${FORMS}?sort=${sort}`],
    listAvailableForms: [`${FORMS}/available`, `${FORMS}/available?type=VIEW`],
    getForm: [path],
    getFormAccess: [`${path}/access`],
    listLayouts: ["/view-layouts", "/view-layouts?surface=DYNAMIC_OBJECT&mode=EDIT&moduleKey=staffing"],
    getLayout: [layout, own],
    listVersions: [`${layout}/versions`],
    getVersion: [version],
    getSurfaceDefinitions: ["/view-layouts/surface-definitions"],
    listCurrencies: ["/currencies"],
  };
  const constant = new Set<string>([...reads.getSurfaceDefinitions, ...reads.listCurrencies]);
  for (const read of Object.values(reads).flat()) {
    const served = newServer();
    await served.ping();
    await quiet();
    const askNew = askOf(served, await newToken());
    const answer = await askNew("GET", read);
    expect({ read, ...answer }).toMatchObject({ read, status: 200, trips: constant.has(read) ? 1 : 2 });
    await other.updateForm({ ...CANDIDATE, formId, body: { config: { read } } });
    const again = await askNew("GET", read);
    expect({ read, ...again }).toMatchObject({ read, status: 200, trips: constant.has(read) ? 1 : 2 });
  }
});

it("a read whose queries wait for each other needs one for each, and one for its end, so the counter counts", async () => {
  const store = openPostgres(url, SERVING);
  onTestFinished(() => store.close());
  const tripsOf = async (work: (tx: Tx) => Promise<unknown>, oneRound: boolean) => {
    const before = counter.trips();
    await store.read(work, oneRound);
    await quiet();
    return counter.trips() - before;
  };
  const query = (tx: Tx) => tx.first(sql`SELECT 1 AS one`);
  const together = (tx: Tx) => Promise.all([query(tx), query(tx), query(tx)]);
  await tripsOf(query, true);
  expect(await tripsOf(together, true)).toBe(1);
  expect(await tripsOf(async (tx) => [await query(tx), await query(tx), await query(tx)], false)).toBe(4);
});

/** docs/performance.md names these. */
describe("more are needed", () => {
  it("for a read on a new connection, for the login", async () => {
    const askNew = askOf(newServer(), await newToken());
    expect(await askNew("GET", FORMS)).toMatchObject({ status: 200, trips: 5 });
  });

  it("for a read with a token that is used for the first time today, which does not wait for them", async () => {
    const { token } = await otherLocal.createToken({ ...ALL_PERMISSIONS, name: "unused" });
    const served = newServer();
    await Promise.all([served.ping(), served.ping()]);
    await quiet();
    expect(await askOf(served, token)("GET", FORMS)).toMatchObject({ status: 200, trips: 4 });
  });

  it("for a read if fields have changed since the form was published, because its content is checked again", async () => {
    const { path } = await createRecords();
    await administrate("UPDATE objects SET fields_version = fields_version + 1");
    expect(await ask("GET", path)).toMatchObject({ status: 200, trips: 5 });
  });

  it("for a read of more than 500 layouts", async () => {
    const target = { dashboardKey: "sales" };
    const board = { surface: "DASHBOARD" as const, target, name: "Board", supportedModes: ["VIEW" as const] };
    const create = () => other.createLayout({ body: board });
    await Promise.all(Array.from({ length: 501 }, create));
    expect(await ask("GET", "/view-layouts?surface=DASHBOARD")).toMatchObject({ status: 200, trips: 5 });
  });

  it("for a draft that updates a field, and for its publication", async () => {
    const { layout } = await createForm();
    const stagedFieldDefinitions = [
      { draftId: "new", action: "create", key: "color", name: "Color", type: "TEXT" },
      { draftId: "old", action: "update", key: "notes", name: "Remarks" },
    ];
    const saved = await ask("PUT", `${layout}/draft`, { clientMutationId: "save", ...CONTENT, stagedFieldDefinitions });
    expect(saved).toMatchObject({ status: 200, trips: 5 });
    const { draftVersionId } = (saved.body as { data: { draftVersionId: string } }).data;
    const publish = { clientMutationId: "publish", draftVersionId };
    expect(await ask("POST", `${layout}/publish`, publish)).toMatchObject({ status: 200, trips: 10 });
  });

  it("for a read if the object does not exist, to suggest another", async () => {
    const missing = FORMS.replace("candidate", "candidat");
    expect(await ask("GET", missing)).toMatchObject({ status: 404, trips: 5 });
  });
});
