/** Checks the HTTP responses of the simulated servers, operation by operation. */

import { describe, expect, it } from "vitest";
import { type OperationName, operationRow, operations } from "../../src/schemas/operations.ts";
import { PERMISSIONS } from "../../src/schemas/words.ts";
import { fillPath } from "../../src/schemas/wire.ts";
import { serviceHandler } from "../../src/composition/serve.ts";
import { documentedServer } from "./documented-server.ts";
import { engineOnSqlite } from "./engine-provider.ts";
import type { LeanServer } from "./lean-provider.ts";
import { liveServer } from "./live-server.ts";
import { serverOf } from "./server-table.ts";

type Sent = { path?: Record<string, string>; body?: unknown; query?: string; headers?: Record<string, string> };
type Answered = { status: number; body: unknown; headers: string[] };
type Send = (name: OperationName, sent?: Sent) => Promise<Answered>;

async function onServer({ table }: LeanServer, run: (send: Send) => Promise<void>): Promise<void> {
  const world = await engineOnSqlite.open();
  const handler = serverOf(table(), serviceHandler(world.local, { host: "127.0.0.1", version: "test" }));
  const request = { organization: "northwind", name: "wire", permissions: PERMISSIONS, expiresAt: null };
  const { token } = await world.local.createToken(request);
  try {
    await run(async (name, { path = {}, body, query = "", headers = {} } = {}) => {
      const row = operationRow(name);
      const answer = await handler(
        new Request(`http://localhost${fillPath(row.path, { ...CANDIDATE, ...path })}${query}`, {
          method: row.method,
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      );
      const text = await answer.text();
      const shown: unknown = text === "" ? undefined : JSON.parse(text);
      return { status: answer.status, body: shown, headers: [...answer.headers.keys()] };
    });
  } finally {
    await world.close();
  }
}

const CANDIDATE = { moduleKey: "staffing", objectKey: "candidate" };
const MAIN = { key: "main", label: "Main", layout: "grid", columns: 12, displayOrder: 0, config: {} };
const CARD = { surface: "CONTRACTOR", supportedModes: ["VIEW"], target: {}, name: "Card" };
const ID = expect.any(String) as string;
const TEXT = expect.any(String) as string;
const draft = (clientMutationId: string) => ({ clientMutationId, schemaVersion: 1, regions: [MAIN], blocks: [] });
const staged = { draftId: "d1", action: "create", name: "PO", key: "po", type: "TEXT" };

const idOf = ({ body }: Answered) => (body as { data: { id: string } }).data.id;
const dataOf = ({ body }: Answered) => (body as { data: Record<string, unknown> }).data;

/** The response body of each operation. `204` means a response without a body. */
type Answers = Record<OperationName, unknown>;

async function answersOf(send: Send, creation: object): Promise<Answers> {
  const answers: Partial<Answers> = {};
  const record: Send = async (name, sent) => {
    const answered = await send(name, sent);
    answers[name] = answered.status === 204 ? 204 : answered.body;
    return answered;
  };
  const form = { formId: idOf(await record("createForm", { body: { name: "Profile", types: ["VIEW"] } })) };
  await record("listForms");
  await record("listAvailableForms");
  await record("getForm", { path: form });
  await record("updateForm", { path: form, body: { config: { title: "T" } } });
  await record("updateFormDefaults", { body: { defaultViewFormId: null } });
  await record("replaceFormAccess", { path: form, body: { users: [], roles: [] } });
  await record("getFormAccess", { path: form });
  await record("deleteForm", { path: form });

  await record("getSurfaceDefinitions");
  const layout = { layoutId: idOf(await record("createLayout", { body: { ...CARD, ...creation } })) };
  await record("listLayouts");
  await record("getLayout", { path: layout });
  await record("updateLayout", { path: layout, body: { metadata: { a: 1 } } });
  const saved = await record("saveDraft", { path: layout, body: { ...draft("s"), stagedFieldDefinitions: [staged] } });
  const { draftVersionId, draftVersion } = dataOf(saved) as { draftVersionId?: string; draftVersion?: { id: string } };
  const versionId = draftVersionId ?? draftVersion!.id;
  await record("publishLayout", { path: layout, body: { clientMutationId: "p", draftVersionId: versionId } });
  await record("listVersions", { path: layout });
  await record("getVersion", { path: { ...layout, versionId } });
  await record("restoreDraft", { path: { ...layout, versionId }, body: { clientMutationId: "r" } });
  await record("replaceAssignments", { path: layout, body: { clientMutationId: "a", organizationDefault: true } });
  await record("archiveLayout", { path: layout });
  await record("listCurrencies");
  expect(Object.keys(answers).sort()).toEqual(Object.keys(operations).sort());
  return answers as Answers;
}

const list = (record: unknown) => ({ data: [record] });
const data = (record: unknown) => ({ data: record });

describe("a server that sends only documented members", () => {
  const form = {
    id: ID,
    name: "Profile",
    types: ["VIEW"],
    isActive: true,
    isPublic: false,
    viewLayoutId: ID,
    viewLayoutName: "Profile",
    layoutAvailability: { VIEW: { state: "DRAFT_ONLY" } },
    usableTypes: [],
  };
  const layout = { id: ID, ...CARD };
  const content = { schemaVersion: 1, regions: [MAIN], blocks: [], scriptBindings: [], metadata: null };

  it("responds to each operation with these members, or without content", () =>
    onServer(documentedServer, async (send) => {
      const answers = await answersOf(send, {});
      const { listCurrencies, getSurfaceDefinitions, saveDraft, ...others } = answers;
      expect(others).toEqual({
        createForm: data({ ...form, config: null }),
        listForms: list(form),
        listAvailableForms: list(form),
        getForm: data({ ...form, config: null }),
        updateForm: data({ id: ID }),
        deleteForm: 204,
        updateFormDefaults: 204,
        getFormAccess: data({ users: [], roles: [] }),
        replaceFormAccess: 204,
        createLayout: data({ ...layout, metadata: null }),
        listLayouts: { error: { code: "NOT_FOUND", message: TEXT } },
        getLayout: { error: { code: "NOT_FOUND", message: TEXT } },
        updateLayout: data({ ...layout, metadata: { a: 1 } }),
        publishLayout: data({ id: ID }),
        listVersions: list({ id: ID }),
        getVersion: data({ id: ID, ...content, stagedFieldDefinitions: [] }),
        restoreDraft: data({ draftVersionId: ID }),
        replaceAssignments: 204,
        archiveLayout: 204,
      });
      expect(listCurrencies).toEqual(data(expect.arrayContaining([{ code: "EUR", name: "Euro" }])));
      expect(getSurfaceDefinitions).toEqual(
        data(expect.arrayContaining([{ surface: "USER", regions: [expect.objectContaining({ key: "main" })] }])),
      );
      const validation = { state: "valid_with_warnings", errors: [], warnings: expect.any(Array) as unknown[] };
      expect(saveDraft).toEqual(data({ draftVersionId: ID, validation }));
    }));

  it("refuses undocumented parameters and members, and names them", () =>
    onServer(documentedServer, async (send) => {
      const fieldsOf = ({ status, body }: Answered) => {
        const { error } = body as { error: { code: string; fieldErrors: object } };
        return [status, error.code, ...Object.keys(error.fieldErrors)];
      };
      const refused = (...fields: string[]) => [400, "VALIDATION_FAILED", ...fields];
      expect(fieldsOf(await send("listForms", { query: "?page=1&sort=[]&count=none" }))).toEqual(
        refused("sort", "count"),
      );
      expect(fieldsOf(await send("getSurfaceDefinitions", { query: "?surface=USER" }))).toEqual(refused("surface"));
      const named = { path: { formId: "frm_1", layoutId: "lay_1" } };
      const change = { name: "A", isActive: true, isPublic: true };
      expect(fieldsOf(await send("updateForm", { ...named, body: change }))).toEqual(refused("isActive", "isPublic"));
      const creation = { ...CARD, clientMutationId: "c" };
      expect(fieldsOf(await send("createLayout", { body: creation }))).toEqual(refused("clientMutationId"));
      const over = { ...draft("s"), expectedDraftVersionId: null };
      expect(fieldsOf(await send("saveDraft", { ...named, body: over }))).toEqual(refused("expectedDraftVersionId"));
      const publish = { clientMutationId: "p", draftVersionId: "ver_1", expectedPublishedVersionId: null };
      const answered = await send("publishLayout", { ...named, body: publish });
      expect(fieldsOf(answered)).toEqual(refused("expectedPublishedVersionId"));
      expect(answered.body).toMatchObject({ error: { clientMutationId: "p" } });
    }));

  it("supports neither our headers nor ids of form writes", () =>
    onServer(documentedServer, async (send) => {
      const request = { body: { name: "Twice", types: ["VIEW"] }, headers: { "idempotency-key": "k" } };
      const [first, second] = [await send("createForm", request), await send("createForm", request)];
      expect(idOf(second)).not.toBe(idOf(first));
      const { headers } = await send("getForm", { path: { formId: idOf(first) }, headers: { "if-match": '"x"' } });
      const versions = await send("listForms");
      for (const ours of ["etag", "x-total-count", "idempotency-replayed"])
        expect([...headers, ...versions.headers]).not.toContain(ours);
    }));
});

describe("a server with other shapes", () => {
  it("sends layouts, drafts and versions in its own shapes", () =>
    onServer(liveServer, async (send) => {
      const answers = await answersOf(send, { clientMutationId: "c" });
      const membersOf = (name: OperationName) => Object.keys((answers[name] as { data: object }).data).sort();
      for (const name of ["createLayout", "getLayout", "updateLayout", "replaceAssignments"] as const) {
        expect(membersOf(name)).toEqual(
          expect.arrayContaining(["assignments", "currentVersion", "latestDraftVersionId", "ownerScope", "status"]),
        );
        expect(membersOf(name)).not.toContain("metadata");
      }
      const draftMembers = ["draftVersion", "layout", "stagedFieldDefinitions", "validation"];
      expect(membersOf("saveDraft")).toEqual(draftMembers);
      expect(membersOf("restoreDraft")).toEqual(draftMembers);
      expect(membersOf("publishLayout")).toEqual([
        "committedFieldDefinitions",
        "layout",
        "publishedVersion",
        "validation",
      ]);
      expect(membersOf("getVersion")).toEqual([
        "blocks",
        "createdAt",
        "id",
        "layoutId",
        "metadata",
        "regions",
        "schemaVersion",
        "scriptBindings",
        "stagedFieldDefinitions",
        "status",
        "validation",
        "version",
      ]);
      expect(answers.getVersion).toMatchObject({ data: { status: "PUBLISHED", stagedFieldDefinitions: [staged] } });
      expect(answers.replaceAssignments).toMatchObject({ data: { assignments: [{ roleId: null, isDefault: true }] } });
      expect(answers.archiveLayout).toBe(204);
    }));

  it("requires a clientMutationId to create a layout", () =>
    onServer(liveServer, async (send) => {
      const { status, body } = await send("createLayout", { body: CARD });
      expect([status, body]).toEqual([
        400,
        { error: { code: "VALIDATION_FAILED", message: TEXT, fieldErrors: { clientMutationId: [TEXT] } } },
      ]);
    }));
});
