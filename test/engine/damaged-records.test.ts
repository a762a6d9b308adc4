/**
 * A read of a damaged record fails with an error that names the record. Operations that don't need this record still
 * succeed.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { randomId } from "../../src/engine/ids.ts";
import { openLocalService } from "../../src/engine/local.ts";
import type { LocalService } from "../../src/local-service.ts";
import { PERMISSIONS } from "../../src/schemas/words.ts";
import { serviceHandler } from "../../src/composition/serve.ts";
import type { FullService } from "../../src/service.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { soundStores, tamper } from "../store/sound-store.ts";

const soundStore = soundStores();
const OBJECT = { moduleKey: "staffing", objectKey: "candidate" };
const layoutId = "lay_frm_1";

async function open(path: string): Promise<{ local: LocalService; service: FullService }> {
  const store = openSqlite(path, { create: false });
  const local = openLocalService({ store, now: () => new Date("2026-01-03T00:00:00Z"), newId: randomId });
  onTestFinished(() => local.close());
  return { local, service: await local.service("org-1") };
}

type Case = {
  what: string;
  damage: string;
  record: string;
  /** An operation that needs the damaged record. */
  stopped: (service: FullService, local: LocalService) => Promise<unknown>;
  /** An operation that doesn't need the damaged record. */
  working: (service: FullService, local: LocalService) => Promise<unknown>;
};

const getForm = (formId: string) => (service: FullService) => service.getForm({ ...OBJECT, formId });
const getLayout = (id: string) => (service: FullService) => service.getLayout({ layoutId: id });
const getVersion = (versionId: string) => (service: FullService) => service.getVersion({ layoutId, versionId });

const cases: Case[] = [
  {
    what: "a form's config",
    damage: `UPDATE forms SET config = '{"title":"Ho"}' WHERE id = 'frm_1'`,
    record: "the form frm_1",
    stopped: getForm("frm_1"),
    working: getForm("frm_2"),
  },
  {
    what: "a form's config that is no JSON any more",
    damage: `UPDATE forms SET config = '{"title":' WHERE id = 'frm_1'`,
    record: "the form frm_1",
    stopped: (service) => service.listForms({ ...OBJECT, query: {} }),
    working: getForm("frm_2"),
  },
  {
    what: "a form's name",
    damage: "UPDATE forms SET name = 'Prophile' WHERE id = 'frm_1'",
    record: "the form frm_1",
    stopped: getForm("frm_1"),
    working: getForm("frm_2"),
  },
  {
    what: "a version's content",
    damage: `UPDATE layout_contents SET content = replace(content, '[]', '[ ]') WHERE layout_id = 'lay_frm_1'`,
    record: "the content of ver_2",
    stopped: getVersion("ver_2"),
    working: getLayout(layoutId),
  },
  {
    what: "a version's content that is missing",
    damage: "DELETE FROM layout_contents WHERE layout_id = 'lay_frm_1'",
    record: "the content of ver_2",
    stopped: getVersion("ver_2"),
    working: getLayout("lay_org"),
  },
  {
    what: "a version's validation",
    damage: `UPDATE layout_versions SET validation = '{"errors":[],"state":"valid","warnings":{}}' WHERE id = 'ver_2'`,
    record: "the layout version ver_2",
    stopped: getLayout(layoutId),
    working: getLayout("lay_org"),
  },
  {
    what: "a version's supported modes",
    damage: `UPDATE layout_versions SET supported_modes = '["EDIT"]' WHERE id = 'ver_1'`,
    record: "the layout version ver_1",
    stopped: getVersion("ver_1"),
    working: getVersion("ver_2"),
  },
  {
    what: "a version's status",
    damage: "UPDATE layout_versions SET status = 'PUBLISHEE' WHERE id = 'ver_2'",
    record: "the layout version ver_2",
    stopped: getVersion("ver_2"),
    working: getVersion("ver_1"),
  },
  {
    what: "a version's verdict",
    damage: "UPDATE layout_versions SET verdict = '{}' WHERE id = 'ver_2'",
    record: "the layout version ver_2",
    stopped: getForm("frm_1"),
    working: getForm("frm_2"),
  },
  {
    what: "a layout's metadata",
    damage: `UPDATE layouts SET metadata = '{"a":1}' WHERE id = 'lay_org'`,
    record: "the layout lay_org",
    stopped: getLayout("lay_org"),
    working: getLayout(layoutId),
  },
  {
    what: "a layout's target",
    damage: `UPDATE layouts SET target = '{"moduleKey":"staffing","objectKey":"placement"}' WHERE id = 'lay_org'`,
    record: "the layout lay_org",
    stopped: (service) => service.listLayouts({ query: {} }),
    working: getLayout("lay_org_2"),
  },
  {
    what: "a field's options",
    damage: `UPDATE fields SET options = '["mud"]'`,
    record: "the field fld_1",
    stopped: (_service, local) => local.show(),
    working: getLayout("lay_org"),
  },
  {
    what: "a custom field's config",
    damage: `UPDATE custom_fields SET config = '{"a":1}'`,
    record: "the custom field cus_1",
    stopped: (_service, local) => local.show(),
    working: getForm("frm_1"),
  },
  {
    what: "a token's permissions",
    damage: `UPDATE api_tokens SET permissions = '["api.custom_forms.manage"]'`,
    record: "the token tok_1",
    stopped: (_service, local) => local.listTokens("org-1"),
    working: getForm("frm_1"),
  },
];

describe("a damaged record", () => {
  it.each(cases)(
    "causes an error that names it, and affects nothing else: $what",
    async ({ damage, record, stopped, working }) => {
      const path = await soundStore();
      const sound = await open(path);
      // The control: the operation succeeds on undamaged records.
      await stopped(sound.service, sound.local);
      await sound.local.close();
      tamper(path, damage);
      const { service, local } = await open(path);
      await expect(stopped(service, local)).rejects.toMatchObject({
        code: "STORE_CORRUPT",
        record,
        hint: expect.stringContaining("formctl local restore FILE"),
      });
      await working(service, local);
      expect((await local.check()).map(({ record: id }) => id)).not.toEqual([]);
    },
  );

  it("is not replayed if it is a stored response", async () => {
    const path = await soundStore();
    const first = await open(path);
    const request = { ...OBJECT, body: { name: "New", types: ["VIEW" as const] } };
    const answer = await first.service.createForm(request, { idempotencyKey: "once" });
    expect(await first.service.createForm(request, { idempotencyKey: "once" })).toEqual(answer);
    await first.local.close();
    tamper(path, "UPDATE mutations SET response = replace(response, 'New', 'Old') WHERE client_mutation_id = 'once'");
    const { service, local } = await open(path);
    await expect(service.createForm(request, { idempotencyKey: "once" })).rejects.toMatchObject({
      code: "STORE_CORRUPT",
      record: "the stored response once",
    });
    await service.createForm(request, { idempotencyKey: "twice" });
    expect(await local.check()).toContainEqual(expect.objectContaining({ invariant: "I32", record: "once" }));
  });

  it("is not confused with another object by a damaged index", async () => {
    const path = await soundStore();
    const query = { moduleKey: "staffing", objectKey: "placement", query: {} };
    const sound = await open(path);
    // The control: the index of a sound store leads to the object.
    expect(await sound.service.listForms(query)).toMatchObject({ data: [] });
    await sound.local.close();
    const bytes = readFileSync(path);
    const entry = bytes.indexOf("mod_1placement\u0003");
    expect(entry).toBeGreaterThan(0);
    // The last byte of the entry is the number of the row: 4 is the object `milestone`.
    bytes[entry + "mod_1placement".length] = 4;
    writeFileSync(path, bytes);
    const { service } = await open(path);
    await expect(service.listForms(query)).rejects.toMatchObject({
      code: "STORE_CORRUPT",
      record: "the object staffing/placement",
    });
  });

  it("is named if a column is absent because its name is damaged", async () => {
    const path = await soundStore();
    tamper(
      path,
      `PRAGMA writable_schema = ON;
       UPDATE sqlite_schema SET sql = replace(sql, 'public_token', 'public_Token') WHERE name = 'forms'`,
    );
    const { service } = await open(path);
    // The form has no public token, so the stored column is null.
    await expect(getForm("frm_2")(service)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  });

  /** Opens a store whose rows of a table have no `id`. */
  async function openWithoutId(table: string) {
    const path = await soundStore();
    // SQLite ignores the case of a column name in a query. The rows have the name in its changed case.
    tamper(
      path,
      `PRAGMA writable_schema = ON;
       UPDATE sqlite_schema SET sql = replace(sql, '  id TEXT', '  Id TEXT') WHERE name = '${table}'`,
    );
    return open(path);
  }

  it.each<[string, Case["stopped"]]>([
    ["objects", (service) => service.createForm({ ...OBJECT, body: { name: "Intake", types: ["VIEW"] } })],
    [
      "memberships",
      (_service, local) =>
        local.resolveLayout({
          organization: "org-1",
          surface: "DYNAMIC_OBJECT",
          target: { ...OBJECT },
          mode: "VIEW",
          memberEmail: "ana@example.com",
        }),
    ],
  ])("is named if contradictory rows cause an unexpected error: %s", async (table, stopped) => {
    const { service, local } = await openWithoutId(table);
    await expect(stopped(service, local)).rejects.toMatchObject({
      code: "STORE_CORRUPT",
      message: expect.stringContaining(`the table ${table} differs from the one that formctl creates`),
    });
  });

  it("is found if forms do not belong to the object of their list", async () => {
    const { service } = await openWithoutId("objects");
    for (const list of [service.listForms({ ...OBJECT, query: {} }), service.listAvailableForms(OBJECT)])
      await expect(list).rejects.toMatchObject({ code: "STORE_CORRUPT", record: "the form frm_1" });
  });
});

describe("a server on a damaged store", () => {
  it("answers 503 with the record and the next step, and serves all other records", async () => {
    const path = await soundStore();
    tamper(path, `UPDATE forms SET config = '{' WHERE id = 'frm_1'`);
    const { local } = await open(path);
    const made = { organization: "org-1", name: "test", permissions: PERMISSIONS, expiresAt: null };
    const { token } = await local.createToken(made);
    const handler = serviceHandler(local, { host: "127.0.0.1", version: "test" });
    const send = (formId: string) =>
      handler(
        new Request(`http://localhost/v1/custom-modules/staffing/objects/candidate/forms/${formId}`, {
          headers: { authorization: `Bearer ${token}` },
        }),
      );
    const refused = await send("frm_1");
    expect(refused.status).toBe(503);
    const { error } = (await refused.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe("STORE_CORRUPT");
    expect(error.message).toContain("the form frm_1 is damaged");
    expect(error.message).toContain("formctl local restore FILE");
    expect((await send("frm_2")).status).toBe(200);
  });
});
