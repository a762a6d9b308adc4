/** The keys of the tables enforce these rules, whatever the code does. */

import { DatabaseSync } from "node:sqlite";
import { raw } from "sql-template-tag";
import { describe, expect, it } from "vitest";
import { findLayout, insertLayout, type LayoutRecord, updateLayout } from "../../src/store/layouts.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { ConstraintViolation, inOrganization, type OrgTx } from "../../src/store/store.ts";
import { refusedWrites } from "./refused-writes.ts";
import { soundStores } from "./sound-store.ts";

const soundStore = soundStores();

describe("the keys refuse", () => {
  it.each(refusedWrites)("%s", async (_rule, statement) => {
    const store = openSqlite(await soundStore(), { create: false });
    await expect(store.write((tx) => tx.run(raw(statement)))).rejects.toThrow(ConstraintViolation);
    await store.close();
  });
});

it.each<[string, (tx: OrgTx, layout: LayoutRecord) => Promise<void>]>([
  ["inserting a layout fails if another layout has the id", insertLayout],
  [
    "updating a layout fails if the status is invalid",
    (tx, layout) => updateLayout(tx, { ...layout, status: "NEW" as "DRAFT" }),
  ],
])("%s", async (_title, write) => {
  const store = openSqlite(await soundStore(), { create: false });
  const refused = store.write(async (tx) => {
    const ofOrganization = inOrganization(tx, "org_1");
    await write(ofOrganization, (await findLayout(ofOrganization, "lay_org"))!);
  });
  await expect(refused).rejects.toThrow(ConstraintViolation);
  await store.close();
});

describe("deleting a form", () => {
  it("leaves its id only in the audit log (R83)", async () => {
    const path = await soundStore();
    const store = openSqlite(path, { create: false });
    await store.write(async (tx) => {
      await tx.run(raw("DELETE FROM form_defaults"));
      await tx.run(raw("DELETE FROM forms WHERE id = 'frm_1'"));
    });
    await store.close();
    expect(tablesThatHold(path, ["frm_1", "lay_frm_1", "ver_1", "ver_2", "ver_3", "upl_1"])).toEqual([]);
  });
});

describe("removing a type", () => {
  it("removes only the access for that type (R74)", async () => {
    const store = openSqlite(await soundStore(), { create: false });
    const left = await store.write(async (tx) => {
      await tx.run(raw("DELETE FROM form_types WHERE form_id = 'frm_1' AND mode = 'EDIT'"));
      return tx.all(raw("SELECT mode FROM access_role_modes UNION ALL SELECT mode FROM access_membership_modes"));
    });
    expect(left).toEqual([]);
    await store.close();
  });
});

/** Searches every column of every table: tables that are added later are searched too. */
function tablesThatHold(path: string, ids: string[]): string[] {
  const db = new DatabaseSync(path, { readOnly: true });
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'audit'").all();
  const found = tables.filter(({ name }) =>
    db
      .prepare(`SELECT * FROM ${String(name)}`)
      .all()
      .some((row) => Object.values(row).some((value) => ids.includes(String(value)))),
  );
  db.close();
  return found.map(({ name }) => String(name));
}
