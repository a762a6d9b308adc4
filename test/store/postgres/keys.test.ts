/** The keys of PostgreSQL alone enforce these rules, without the checks of the engine. */

import { raw } from "sql-template-tag";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createPostgres, openPostgres } from "../../../src/store/postgres/postgres.ts";
import { ConstraintViolation, type Store } from "../../../src/store/store.ts";
import { TABLE_NAMES } from "../../../src/store/tables.ts";
import { postgresOfFile } from "../../postgres.ts";
import { refusedWrites } from "../refused-writes.ts";
import { soundRecords } from "../sound-store.ts";

const serverOfFile = await postgresOfFile();

let template: string | undefined;
let store: Store;
beforeEach(async () => {
  const server = serverOfFile();
  if (template === undefined) {
    const empty = await server.createDatabase();
    await createPostgres(server.url(empty));
    await server.query(soundRecords, empty);
    template = empty;
  }
  store = openPostgres(server.url(await server.createDatabase(template)));
  onTestFinished(() => store.close());
});

describe("the keys refuse", () => {
  it.each(refusedWrites)("%s", async (_rule, statement) => {
    await expect(store.write((tx) => tx.run(raw(statement)))).rejects.toThrow(ConstraintViolation);
  });
});

describe("deleting a form", () => {
  it("leaves its id only in the audit log (R83)", async () => {
    await store.write(async (tx) => {
      await tx.run(raw("DELETE FROM form_defaults"));
      await tx.run(raw("DELETE FROM forms WHERE id = 'frm_1'"));
    });
    const ids = ["frm_1", "lay_frm_1", "ver_1", "ver_2", "ver_3", "upl_1"];
    for (const table of TABLE_NAMES.filter((name) => name !== "audit")) {
      const rows = await store.read((tx) => tx.all<object>(raw(`SELECT * FROM ${table}`)));
      expect(rows.filter((row) => Object.values(row).some((value) => ids.includes(String(value))))).toEqual([]);
    }
  });
});

describe("removing a type", () => {
  it("removes only the access for that type (R74)", async () => {
    const left = await store.write(async (tx) => {
      await tx.run(raw("DELETE FROM form_types WHERE form_id = 'frm_1' AND mode = 'EDIT'"));
      return tx.all(raw("SELECT mode FROM access_role_modes UNION ALL SELECT mode FROM access_membership_modes"));
    });
    expect(left).toEqual([]);
  });
});
