import { describe, expect, it } from "vitest";
import { checkStore, findViolations, invariants } from "../../src/store/invariants.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import type { Tx } from "../../src/store/store.ts";
import { soundStores, tamper, version } from "./sound-store.ts";

const soundStore = soundStores();

async function violationsIn(path: string) {
  const store = openSqlite(path, { create: false });
  try {
    return await store.read(findViolations);
  } finally {
    await store.close();
  }
}

describe("an intact store", () => {
  it("violates no invariant", async () => {
    const store = openSqlite(await soundStore(), { create: false });
    const steps: (readonly [done: number, total: number])[] = [];
    expect(await checkStore(store, (done, total) => steps.push([done, total]))).toEqual([]);
    const total = invariants.length + 1;
    expect(steps).toEqual(Array.from({ length: total }, (_, done) => [done, total]));
    await store.close();
  });

  it("stays intact when a form, a default form or a layout is deleted", async () => {
    const path = await soundStore();
    tamper(
      path,
      `PRAGMA foreign_keys = ON; DELETE FROM form_defaults; DELETE FROM forms WHERE id = 'frm_1';
       DELETE FROM layouts WHERE id = 'lay_org'; DELETE FROM roles WHERE id = 'rol_1'`,
    );
    expect(await violationsIn(path)).toEqual([]);
  });
});

/** Each entry has an invariant, the record that violates it, and the statements that cause the violation. */
const planted: [id: string, record: string, what: string, statements: string][] = [
  ["I35", "org_2", "an organization without a state", "DELETE FROM organization_state WHERE org_id = 'org_2'"],
  ["I35", "org_1", "a number of the audit log that will be used again", "UPDATE organization_state SET audit_seq = 1"],
  ["I01", "frm_2", "a form without a layout", "DELETE FROM layouts WHERE id = 'lay_frm_2'"],
  [
    "I02",
    "lay_frm_2",
    "a layout of another organization's form",
    "UPDATE layouts SET org_id = 'org_2' WHERE id = 'lay_frm_2'",
  ],
  ["I02", "lay_frm_2", "a layout of a form that is gone", "DELETE FROM forms WHERE id = 'frm_2'"],
  [
    "I02",
    "lay_frm_2",
    "an archived layout with an owner",
    "UPDATE layouts SET status = 'ARCHIVED' WHERE id = 'lay_frm_2'",
  ],
  ["I03", "frm_2", "a form without types", "DELETE FROM form_types WHERE form_id = 'frm_2'"],
  ["I03", "frm_9", "a type of no form", "INSERT INTO form_types VALUES ('frm_9', 'org_1', 'obj_1', 'VIEW', 0)"],
  ["I04", "lay_org", "an organization's layout without modes", "DELETE FROM layout_modes WHERE layout_id = 'lay_org'"],
  [
    "I04",
    "lay_frm_1",
    "a form's layout with modes",
    "INSERT INTO layout_modes VALUES ('lay_frm_1', 'org_1', 'VIEW', 0)",
  ],
  ["I05", "frm_1", "an inactive default", "UPDATE forms SET is_active = 0 WHERE id = 'frm_1'"],
  ["I05", "frm_1", "a default without the mode", "DELETE FROM form_types WHERE form_id = 'frm_1' AND mode = 'VIEW'"],
  ["I05", "frm_1", "a default of another object", "UPDATE form_defaults SET object_id = 'obj_other'"],
  ["I06", "frm_1", "access for a mode that the form lacks", "UPDATE access_role_modes SET mode = 'CREATE'"],
  ["I06", "frm_1", "access for another organization's role", "UPDATE access_role_rows SET role_id = 'rol_2'"],
  [
    "I06",
    "frm_1",
    "access for another organization's member",
    "UPDATE access_membership_rows SET membership_id = 'mem_2'",
  ],
  ["I06", "frm_1", "access modes without their row", "DELETE FROM access_membership_rows"],
  ["I07", "lay_frm_1", "two drafts", `DROP INDEX one_draft; ${version("ver_9", "lay_frm_1", 4, "DRAFT")}`],
  [
    "I07",
    "lay_frm_1",
    "two published versions",
    `DROP INDEX one_published; ${version("ver_9", "lay_frm_1", 4, "PUBLISHED")}`,
  ],
  [
    "I08",
    "lay_org",
    "an active layout that was never published",
    "UPDATE layout_versions SET status = 'DRAFT' WHERE id = 'ver_5'",
  ],
  ["I08", "lay_org", "a published layout in draft", "UPDATE layouts SET status = 'DRAFT' WHERE id = 'lay_org'"],
  [
    "I08",
    "lay_frm_1",
    "a published version older than an archived one",
    "UPDATE layout_versions SET number = 9 WHERE id = 'ver_1'",
  ],
  ["I09", "lay_frm_1", "a gap in the numbers", "DELETE FROM layout_versions WHERE id = 'ver_1'"],
  ["I09", "lay_frm_1", "a wrong last number", "UPDATE layouts SET last_version = 4 WHERE id = 'lay_frm_1'"],
  ["I09", "lay_org_2", "a layout that lost its only version", "DELETE FROM layout_versions WHERE id = 'ver_6'"],
  [
    "I09",
    "lay_frm_1",
    "a draft that is not the last",
    "UPDATE layout_versions SET number = 9 WHERE id = 'ver_3'; UPDATE layout_versions SET number = 3 WHERE id = 'ver_2'; UPDATE layout_versions SET number = 2 WHERE id = 'ver_3'",
  ],
  ["I10", "ver_5", "an invalid published version", "UPDATE layout_versions SET state = 'invalid' WHERE id = 'ver_5'"],
  [
    "I10",
    "ver_5",
    "a published version without its time",
    "UPDATE layout_versions SET published_at = NULL WHERE id = 'ver_5'",
  ],
  ["I11", "frm_2", "a form of a subordinate object", "UPDATE forms SET object_id = 'obj_sub' WHERE id = 'frm_2'"],
  [
    "I11",
    "frm_2",
    "a form of another organization's object",
    "UPDATE forms SET object_id = 'obj_2' WHERE id = 'frm_2'",
  ],
  [
    "I12",
    "ver_5",
    "a version in another organization than its layout",
    "UPDATE layout_versions SET org_id = 'org_2' WHERE id = 'ver_5'",
  ],
  ["I12", "ver_5", "a version of no layout", "UPDATE layout_versions SET layout_id = 'lay_9' WHERE id = 'ver_5'"],
  ["I13", "mut-1", "an answer whose effect left no trail", "DELETE FROM audit"],
  [
    "I14",
    "mut-1",
    "an answer in another organization than its layout",
    "UPDATE mutations SET org_id = 'org_2'; UPDATE audit SET org_id = 'org_2'",
  ],
  [
    "I14",
    "mut-1",
    "an answer about one layout that goes with another",
    "UPDATE mutations SET owner_layout_id = 'lay_org_2'",
  ],
  ["I14", "mut-1", "an answer about a layout that belongs to nothing", "UPDATE mutations SET owner_layout_id = NULL"],
  ["I14", "key-1", "an answer that goes with a form that is not there", "UPDATE mutations SET owner_form_id = 'frm_9'"],
  [
    "I16",
    "ver_2",
    "a content that was changed after it was hashed",
    "UPDATE layout_contents SET content = '{\"blocks\":[1],\"regions\":[]}' WHERE layout_id = 'lay_frm_1'",
  ],
  ["I32", "frm_1", "a form that was changed after it was hashed", "UPDATE forms SET name = 'Other' WHERE id = 'frm_1'"],
  ["I32", "ver_2", "a verdict without its hash", "UPDATE layout_versions SET verdict = '{}' WHERE id = 'ver_2'"],
  ["I32", "tok_1", "a token with other permissions", "UPDATE api_tokens SET permissions = '[]'"],
  ["I32", "key-1", "a stored response that was changed", "UPDATE mutations SET response = '{\"a\":1}'"],
  ["I33", "upl_1", "an upload above its folder", "UPDATE public_uploads SET path = '../upl_1'"],
  ["I33", "upl_1", "an upload in the folder above", "UPDATE public_uploads SET path = '..'"],
  ["I33", "upl_1", "an upload with an absolute path", "UPDATE public_uploads SET path = '/etc/passwd'"],
  ["I33", "a/../../b", "a file to remove outside the folder", "UPDATE file_trash SET path = 'a/../../b'"],
  ["I17", "lay_frm_1", "an assignment of a form's layout", "UPDATE assignments SET layout_id = 'lay_frm_1'"],
  ["I17", "lay_old", "an assignment of an archived layout", "UPDATE assignments SET layout_id = 'lay_old'"],
  ["I17", "lay_org", "an assignment to another organization's role", "UPDATE assignments SET role_id = 'rol_2'"],
  ["I17", "lay_old", "an archived organization default", "UPDATE assignment_defaults SET layout_id = 'lay_old'"],
  ["I17", "lay_org", "a default for another target", "UPDATE assignment_defaults SET target_key = '{}'"],
  ["I17", "lay_org", "a default for a mode that the layout lacks", "UPDATE assignment_defaults SET mode = 'EDIT'"],
  [
    "I17",
    "lay_org",
    "two defaults",
    `CREATE TABLE copy AS SELECT * FROM assignment_defaults; INSERT INTO copy SELECT * FROM copy;
    DROP TABLE assignment_defaults; ALTER TABLE copy RENAME TO assignment_defaults`,
  ],
  [
    "I18",
    "tok_1",
    "a token that ends before it begins",
    "UPDATE api_tokens SET expires_at = '2025-01-01T00:00:00.000Z'",
  ],
  ["I18", "tok_1", "a token of no organization", "UPDATE api_tokens SET org_id = 'org_9'"],
  ["I18", "tok_1", "a token at rest that is no hash", "UPDATE api_tokens SET token_sha256 = 'secret'"],
  ["I22", "frm_1", "a member's access row without modes", "DELETE FROM access_membership_modes"],
  ["I22", "frm_1", "a role's access row without modes", "DELETE FROM access_role_modes"],
  ["I23", "mem_1", "a member with another organization's role", "UPDATE membership_roles SET role_id = 'rol_2'"],
  [
    "I24",
    "obj_other",
    "an object in another organization's module",
    "UPDATE objects SET module_id = 'mod_2' WHERE id = 'obj_other'",
  ],
  [
    "I24",
    "obj_sub",
    "a subordinate object without a parent",
    "UPDATE objects SET parent_object_id = NULL WHERE id = 'obj_sub'",
  ],
  ["I24", "fld_1", "a field of no object", "UPDATE fields SET object_id = 'obj_9'"],
  ["I25", "upl_1", "a file of no form", "UPDATE public_uploads SET form_id = 'frm_9'"],
  ["I25", "upl_1", "a file that would be removed while it is in use", "UPDATE file_trash SET path = 'upl_1'"],
  ["I26", "frm_2", "a public form without a token", "UPDATE forms SET is_public = 1 WHERE id = 'frm_2'"],
  ["I26", "frm_1", "a private form with a token", "UPDATE forms SET is_public = 0 WHERE id = 'frm_1'"],
  [
    "I27",
    "ver_2",
    "a state that its validation does not say",
    "UPDATE layout_versions SET state = 'valid_with_warnings' WHERE id = 'ver_2'",
  ],
  [
    "I28",
    "lay_org_2",
    "a key that is not the target's",
    "UPDATE layouts SET target_key = '{\"objectKey\":\"x\"}' WHERE id = 'lay_org_2'",
  ],
  [
    "I29",
    "ver_2",
    "a content that is no JSON",
    "UPDATE layout_contents SET content = '{' WHERE layout_id = 'lay_frm_1'",
  ],
  [
    "I29",
    "ver_2",
    "a version for a mode that there is not",
    "UPDATE layout_versions SET supported_modes = '[\"WORKSPACE\"]' WHERE id = 'ver_2'",
  ],
  ["I29", "ver_2", "a version for no mode", "UPDATE layout_versions SET supported_modes = '[]' WHERE id = 'ver_2'"],
  ["I29", "lay_org", "metadata that is no object", "UPDATE layouts SET metadata = '[]' WHERE id = 'lay_org'"],
  ["I29", "frm_1", "a config that is no JSON", "UPDATE forms SET config = 'title' WHERE id = 'frm_1'"],
  ["I29", "fld_1", "options that are no list", "UPDATE fields SET options = '{}'"],
  ["I29", "cus_1", "a default value that is no JSON", "UPDATE custom_fields SET default_value = 'mid'"],
  ["I29", "tok_1", "a permission that there is not", "UPDATE api_tokens SET permissions = '[\"api.everything\"]'"],
  ["I29", "mut-1", "an answer that can't be given again", "UPDATE mutations SET response = ''"],
  [
    "I16",
    "mut-1",
    "a content of a kept answer that was changed",
    "UPDATE layout_contents SET content = '{}' WHERE layout_id = 'lay_org'",
  ],
  ["I31", "ver_2", "a version without its content", "DELETE FROM layout_contents WHERE layout_id = 'lay_frm_1'"],
  ["I31", "mut-1", "a kept answer without its content", "DELETE FROM layout_contents WHERE layout_id = 'lay_org'"],
  [
    "I31",
    "lay_frm_2",
    "a content that nothing has",
    "DELETE FROM layout_versions WHERE id = 'ver_4'; UPDATE layouts SET last_version = 0 WHERE id = 'lay_frm_2'",
  ],
  ["I34", "org_9", "a record of no organization", "UPDATE migration_records SET org_id = 'org_9'"],
  ["I34", "org_1", "entries without their record", "DELETE FROM migration_records"],
  ["I34", "org_1", "a missing entry", "DELETE FROM migration_entries WHERE id = 'mig_1'"],
  ["I34", "org_1", "two entries in one position", "UPDATE migration_entries SET position = 0"],
  ["I32", "mig_2", "an entry with another name", "UPDATE migration_entries SET name = '3-other' WHERE id = 'mig_2'"],
  ["I29", "mig_1", "an entry that is not an object", "UPDATE migration_entries SET entry = '[]' WHERE id = 'mig_1'"],
  ["I30", "frm_1", "a form that is sought by another name", "UPDATE forms SET name = 'Other' WHERE id = 'frm_1'"],
];

describe("a planted violation", () => {
  it.each(planted)("%s is found in %s: %s", async (id, record, _what, statements) => {
    const path = await soundStore();
    tamper(path, statements);
    const found = await violationsIn(path);
    expect(found.map((violation) => [violation.invariant, violation.record])).toContainEqual([id, record]);
    expect(found.every(({ about, detail }) => about.length > 0 && !/undefined| JOIN /.test(detail))).toBe(true);
  });

  it.each([
    ["DELETE FROM layouts WHERE id = 'lay_frm_2'", "I01", "layouts 0"],
    ["DELETE FROM form_types WHERE form_id = 'frm_2'", "I03", ""],
    ["INSERT INTO form_types VALUES ('frm_9', 'org_1', 'obj_1', 'VIEW', 0)", "I03", "mode VIEW"],
    ["DELETE FROM migration_entries WHERE id = 'mig_1'", "I34", "entries 1, highest 1"],
    ["UPDATE migration_records SET org_id = 'org_9'", "I34", ""],
  ])("is described by its columns with a value: %s", async (statements, id, detail) => {
    const path = await soundStore();
    tamper(path, statements);
    const [found] = (await violationsIn(path)).filter(({ invariant }) => invariant === id);
    expect(found!.detail).toBe(detail);
  });

  it("is tested for every invariant", () => {
    const tried = new Set(planted.map(([id]) => id));
    expect(invariants.map(({ id }) => id).filter((id) => !tried.has(id))).toEqual([]);
  });
});

describe("the checks of text columns", () => {
  it("check every row of a table with many rows", async () => {
    const path = await soundStore();
    tamper(
      path,
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250)
       INSERT INTO file_trash SELECT '../' || i, '' FROM n`,
    );
    const found = await violationsIn(path);
    expect(found.map(({ record }) => record)).toEqual(Array.from({ length: 250 }, (_, index) => `../${index + 1}`));
  });

  it("report each version and stored response of a damaged content", async () => {
    const path = await soundStore();
    tamper(path, "UPDATE layout_contents SET content = '[]' WHERE layout_id IN ('lay_frm_1', 'lay_org')");
    const found = (await violationsIn(path)).map(({ invariant, record }) => `${invariant} ${record}`);
    const users = ["ver_1", "ver_2", "ver_3", "ver_5", "mut-1"];
    expect(found.sort()).toEqual(["I16", "I29"].flatMap((id) => users.map((user) => `${id} ${user}`)).sort());
  });

  it("read each row of a table once", async () => {
    const store = openSqlite(await soundStore(), { create: false });
    const read: string[] = [];
    await store.read((tx) => {
      const counting: Tx = {
        ...tx,
        async *pages<Row>(table: string, columns: readonly string[]) {
          for await (const rows of tx.pages<Row>(table, columns)) {
            read.push(table);
            yield rows;
          }
        },
      };
      return findViolations(counting);
    });
    await store.close();
    expect(read.length).toBeGreaterThan(9);
    expect(read).toEqual([...new Set(read)]);
  });
});

describe("the checks of the database (I15)", () => {
  async function damageOf(statements: string): Promise<string[]> {
    const path = await soundStore();
    tamper(path, statements);
    const store = openSqlite(path, { create: false });
    const found = await checkStore(store);
    await store.close();
    return found.filter(({ invariant }) => invariant === "I15").map(({ detail }) => detail);
  }

  it("report a reference to a missing row", async () => {
    expect(await damageOf("UPDATE scripts SET org_id = 'org_9'")).toEqual([
      expect.stringMatching(/^row \d+ of scripts refers to a missing row of organizations$/),
    ]);
  });

  it("report a dropped index", async () => {
    expect(await damageOf("DROP INDEX one_draft")).toEqual(["the index one_draft is missing"]);
  });

  it("report a table without its keys, and an unknown table", async () => {
    expect(
      await damageOf(
        `CREATE TABLE other AS SELECT * FROM scripts; DROP TABLE scripts; CREATE TABLE scripts AS SELECT * FROM other`,
      ),
    ).toEqual([
      "the table scripts differs from the one that formctl creates",
      "the table other was not created by formctl",
    ]);
  });

  it("report only the missing table if its records can't be read", async () => {
    expect(await damageOf("DROP TABLE api_tokens")).toEqual(["the table api_tokens is missing"]);
  });

  it("report a column with an invalid value", async () => {
    expect(await damageOf("UPDATE forms SET is_active = 7 WHERE id = 'frm_2'")).toEqual([
      "CHECK constraint failed in forms",
    ]);
  });
});
