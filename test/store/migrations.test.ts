/** Checks that a store of an earlier schema is migrated to the current schema without loss. */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import sql from "sql-template-tag";
import { describe, expect, it } from "vitest";
import { restoreStore } from "../../src/store/backup.ts";
import { checkStore } from "../../src/store/invariants.ts";
import { migrations, SCHEMA_VERSION } from "../../src/store/migrations/migrations.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { inOrganization } from "../../src/store/store.ts";
import { readMigrations, writeMigrations } from "../../src/engine/setup/migration-record.ts";
import { migrate, PAGE_SIZE } from "../../src/store/sqlite-schema.ts";
import { findForm } from "../../src/store/forms.ts";
import { ConstraintViolation } from "../../src/store/store.ts";
import { deleteDraft, findDraft } from "../../src/store/versions.ts";
import { tamper } from "./sound-store.ts";
import { temporaryFolders } from "../temporary.ts";

const folder = temporaryFolders();

const T = "2026-01-01T00:00:00.000Z";
const APPLICATION_ID = 0x66_63_74_6c;
const target = '{"moduleKey":"staffing","objectKey":"candidate"}';
const valid = '{"errors":[],"state":"valid","warnings":[]}';
const published = '{"blocks":[],"metadata":null,"regions":[]}';
const drafted = '{"blocks":[],"metadata":{"ticket":7},"regions":[]}';

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function version(id: string, number: number, status: string, content: string): string {
  const time = status === "DRAFT" ? "NULL" : `'${T}'`;
  return `INSERT INTO layout_versions
    (id, org_id, layout_id, number, status, supported_modes, content, content_sha256, state, validation, created_at, published_at)
    VALUES ('${id}', 'org_1', 'lay_1', ${number}, '${status}', '["VIEW"]', '${content}', '${sha256(content)}', 'valid', '${valid}', '${T}', ${time})`;
}

/**
 * Returns statements for a stored response of the old schema. The response to a publish has no content: the published
 * version has the content.
 */
function answer(operation: string, id: string, response: string): string[] {
  return [
    `INSERT INTO mutations (org_id, operation, scope, client_mutation_id, owner_layout_id, body_sha256, response, created_at)
     VALUES ('org_1', '${operation}', 'lay_1', '${id}', 'lay_1', '${sha256(id)}', '${response}', '${T}')`,
    `INSERT INTO audit (at, org_id, operation, target, client_mutation_id)
     VALUES ('${T}', 'org_1', '${operation}', '/v1/view-layouts/lay_1', '${id}')`,
  ];
}

const records = [
  "INSERT INTO organizations VALUES ('org_1', 'org-1', 'Organization 1')",
  "INSERT INTO modules VALUES ('mod_1', 'org_1', 'staffing', 'Staffing')",
  "INSERT INTO objects VALUES ('obj_1', 'org_1', 'mod_1', 'candidate', 'Candidate', 'REGULAR', NULL, 0)",
  `INSERT INTO layouts VALUES ('lay_1', 'org_1', 'DYNAMIC_OBJECT', '${target}', '${target}', NULL, 'Layout', NULL, 'ACTIVE', 3, '${T}', '${T}')`,
  "INSERT INTO layout_modes VALUES ('lay_1', 'org_1', 'VIEW', 0)",
  version("ver_1", 1, "ARCHIVED", published),
  version("ver_2", 2, "PUBLISHED", published),
  version("ver_3", 3, "DRAFT", drafted),
  ...answer("publishLayout", "mut-published", '{"publishedVersion":{"id":"ver_2"}}'),
  ...answer("saveDraft", "mut-saved", '{"draftVersion":{"id":"ver_9","blocks":[]}}'),
].join(";\n");

/** Creates a store with the schema of an earlier version of the program. */
function makeStore(path: string, schema: number): void {
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA page_size = ${PAGE_SIZE}; BEGIN`);
  for (const step of migrations.slice(0, schema)) for (const statement of step) db.exec(statement);
  db.exec(`${records}; PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${schema}; COMMIT`);
  db.close();
}

/** Opens the store, which migrates it to the current schema. Returns the violations in the store. */
async function violationsOf(path: string) {
  const store = openSqlite(path, { create: false });
  const violations = await checkStore(store);
  await store.close();
  return violations;
}

describe.each([1, 2])("a store of schema %i", (schema) => {
  it("is migrated when it is opened", async () => {
    const path = join(folder(), "old.db");
    makeStore(path, schema);
    expect(await violationsOf(path)).toEqual([]);
    const db = new DatabaseSync(path, { readOnly: true });
    expect(db.prepare("PRAGMA user_version").get()).toEqual({ user_version: SCHEMA_VERSION });
    db.close();
  });

  it("keeps its versions, and stores each content once", async () => {
    const path = join(folder(), "old.db");
    makeStore(path, schema);
    await violationsOf(path);
    const db = new DatabaseSync(path, { readOnly: true });
    const versions = db.prepare(`
      SELECT v.id, v.status, c.content FROM layout_versions v
      JOIN layout_contents c ON c.layout_id = v.layout_id AND c.sha256 = v.content_sha256 ORDER BY v.number`);
    expect(versions.all()).toEqual([
      { id: "ver_1", status: "ARCHIVED", content: published },
      { id: "ver_2", status: "PUBLISHED", content: published },
      { id: "ver_3", status: "DRAFT", content: drafted },
    ]);
    expect(db.prepare("SELECT count(*) AS contents FROM layout_contents").get()).toEqual({ contents: 2 });
    db.close();
  });

  it("keeps its stored responses, with the content of a published version, and its audit log", async () => {
    const path = join(folder(), "old.db");
    makeStore(path, schema);
    await violationsOf(path);
    const db = new DatabaseSync(path, { readOnly: true });
    const answers = db.prepare("SELECT client_mutation_id, owner_layout_id, content_sha256 FROM mutations ORDER BY 1");
    expect(answers.all()).toEqual([
      { client_mutation_id: "mut-published", owner_layout_id: "lay_1", content_sha256: sha256(published) },
      { client_mutation_id: "mut-saved", owner_layout_id: "lay_1", content_sha256: null },
    ]);
    expect(db.prepare("SELECT seq, operation, request_id FROM audit ORDER BY seq").all()).toEqual([
      { seq: 1, operation: "publishLayout", request_id: null },
      { seq: 2, operation: "saveDraft", request_id: null },
    ]);
    db.close();
  });
});

describe("a damaged store of an earlier schema", () => {
  it.each([
    ["an answer", "I29", "mut-saved", "UPDATE mutations SET response = '{' WHERE client_mutation_id = 'mut-saved'"],
    ["a hash", "I16", "ver_1", "UPDATE layout_versions SET content_sha256 = 'none' WHERE id = 'ver_1'"],
    ["a content", "I16", "ver_3", "UPDATE layout_versions SET content = '{}' WHERE id = 'ver_3'"],
    ["a version without its layout", "I12", "ver_1", "UPDATE layout_versions SET layout_id = 'x' WHERE id = 'ver_1'"],
    [
      "a version of a missing organization",
      "I12",
      "ver_1",
      "UPDATE layout_versions SET org_id = 'org_9' WHERE id = 'ver_1'",
    ],
    ["an answer of no layout", "I14", "mut-saved", "UPDATE mutations SET owner_layout_id = 'x' WHERE scope = 'lay_1'"],
  ])("can be opened and checked, and reports %s", async (_what, invariant, record, statements) => {
    const path = join(folder(), "old.db");
    makeStore(path, 2);
    tamper(path, statements);
    expect(await violationsOf(path)).toContainEqual(expect.objectContaining({ invariant, record }));
  });

  it("is migrated, and keys and checks are enabled afterwards", async () => {
    const path = join(folder(), "old.db");
    makeStore(path, 2);
    const store = openSqlite(path, { create: false });
    for (const statement of [
      sql`UPDATE layout_versions SET content_sha256 = ${"0".repeat(64)} WHERE status = 'DRAFT'`,
      sql`UPDATE layout_versions SET number = 0 WHERE status = 'DRAFT'`,
    ]) {
      await expect(store.write((tx) => tx.run(statement))).rejects.toBeInstanceOf(ConstraintViolation);
    }
    await store.close();
  });
});

describe("a store of schema 3", () => {
  const form = `INSERT INTO forms VALUES ('frm_1', 'org_1', 'obj_1', 'REGULAR', 'Profile', 'profile', 1, 0, NULL, '{"title":"Hi"}', '${T}', '${T}')`;
  const others = [
    ...records.split(";\n").slice(0, 3),
    form,
    "INSERT INTO form_types VALUES ('frm_1', 'org_1', 'obj_1', 'VIEW', 0)",
    `INSERT INTO layouts VALUES ('lay_1', 'org_1', 'DYNAMIC_OBJECT', '${target}', '${target}', 'frm_1', 'Layout', NULL, 'ACTIVE', 1, '${T}', '${T}')`,
    `INSERT INTO layout_contents VALUES ('lay_1', 'org_1', '${sha256(published)}', '${published}')`,
    `INSERT INTO layout_versions VALUES ('ver_1', 'org_1', 'lay_1', 1, 'PUBLISHED', '["VIEW"]', '${sha256(published)}', 'valid', '${valid}', '{"checks":1}', NULL, '${T}', '${T}')`,
    "INSERT INTO fields VALUES ('fld_1', 'org_1', 'obj_1', 'seniority', 'Seniority', 'SELECT', 1, '\"mid\"', '[\"mid\"]', '{}', 0, 7)",
    `INSERT INTO api_tokens VALUES ('tok_1', 'org_1', 'ci', '${sha256("secret")}', 'abcd', '[]', '${T}', NULL, NULL, NULL)`,
  ].join(";\n");

  function makeThird(path: string): void {
    const db = new DatabaseSync(path);
    db.exec(`PRAGMA page_size = ${PAGE_SIZE}; BEGIN`);
    for (const step of migrations.slice(0, 3)) for (const statement of step) db.exec(statement);
    db.exec(`${others}; PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 3; COMMIT`);
    db.close();
  }

  it("gets a hash for each record", async () => {
    const path = join(folder(), "old.db");
    makeThird(path);
    expect(await violationsOf(path)).toEqual([]);
    tamper(path, "UPDATE forms SET name = 'Other'");
    expect(await violationsOf(path)).toContainEqual(expect.objectContaining({ invariant: "I32", record: "frm_1" }));
  });

  it("is opened with a number that JavaScript can't represent, so that the check can report it", async () => {
    const path = join(folder(), "old.db");
    makeThird(path);
    tamper(path, "UPDATE fields SET value_count = 9007199254740993");
    expect(await violationsOf(path)).not.toEqual([]);
  });

  it("is refused with an error if a required value is missing, and stays unchanged", async () => {
    const path = join(folder(), "old.db");
    makeThird(path);
    const rename = (from: string, to: string) =>
      `PRAGMA writable_schema = ON;
       UPDATE sqlite_schema SET sql = replace(sql, '${from}', '${to}') WHERE name = 'forms'`;
    const required = "created_at TEXT NOT NULL";
    for (const statements of [
      rename(required, "created_at TEXT"),
      "UPDATE forms SET created_at = NULL",
      rename("created_at TEXT", required),
    ]) {
      const db = new DatabaseSync(path, { defensive: false });
      db.exec(statements);
      db.close();
    }
    await expect(violationsOf(path)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    const db = new DatabaseSync(path, { readOnly: true });
    expect(db.prepare("PRAGMA user_version").get()).toEqual({ user_version: 3 });
    db.close();
  });

  it.each([
    ["the columns of schema 4 in a store of schema 3", 3, "ALTER TABLE mutations ADD COLUMN record_hash TEXT"],
    ["a store of the current schema without its columns", SCHEMA_VERSION, "SELECT 1"],
  ])("is refused if it is partially migrated: %s", async (_what, says, statement) => {
    const path = join(folder(), "old.db");
    makeThird(path);
    const db = new DatabaseSync(path);
    db.exec(`${statement}; PRAGMA user_version = ${says}`);
    db.close();
    const attempt = async () => {
      const store = openSqlite(path, { create: false });
      try {
        return await store.read((tx) => findForm(inOrganization(tx, "org_1"), "obj_1", "frm_1"));
      } finally {
        await store.close();
      }
    };
    await expect(attempt()).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    const after = new DatabaseSync(path, { readOnly: true });
    expect(after.prepare("PRAGMA user_version").get()).toEqual({ user_version: says });
    after.close();
  });
});

describe("a store of schema 4", () => {
  it("gets an empty record of migrations for each organization", async () => {
    const path = join(folder(), "old.db");
    makeStore(path, 2);
    const db = new DatabaseSync(path);
    migrate(db, 4);
    db.close();
    const store = openSqlite(path, { create: false });
    const record = (orgId: string) => store.read((tx) => readMigrations(inOrganization(tx, orgId)));
    expect(await record("org_1")).toEqual({ entries: [], revision: null });
    const entries = [{ name: "1-first", entry: { name: "1-first" } }];
    const change = { entries, revision: null, newId: () => "mgr_1" };
    expect(await store.write((tx) => writeMigrations(inOrganization(tx, "org_1"), change))).toBe("mgr_1");
    expect(await record("org_1")).toEqual({ entries, revision: "mgr_1" });
    await store.close();
    expect(await violationsOf(path)).toEqual([]);
  });
});

describe("a store that is open while its schema changes", () => {
  it("is migrated if a backup with an earlier schema replaces it", async () => {
    const [backup, path] = [join(folder(), "old.db"), join(folder(), "store.db")];
    makeStore(backup, 2);
    const store = openSqlite(path, { create: true });
    expect(await store.read((tx) => findDraft(inOrganization(tx, "org_1"), "lay_1"))).toBeUndefined();
    await restoreStore(backup, path);
    expect(await store.read((tx) => findDraft(inOrganization(tx, "org_1"), "lay_1"))).toMatchObject({
      id: "ver_3",
      content: drafted,
    });
    expect(await checkStore(store)).toEqual([]);
    await restoreStore(backup, path);
    expect(await store.write((tx) => deleteDraft(inOrganization(tx, "org_1"), "lay_1"))).toBe(true);
    await store.close();
  });

  it("is refused, but not as damaged, if a newer formctl migrated it", async () => {
    const path = join(folder(), "store.db");
    const store = openSqlite(path, { create: true });
    const look = () => store.read((tx) => tx.all(sql`SELECT key FROM meta`));
    expect(await look()).toEqual([]);
    const db = new DatabaseSync(path);
    db.exec(`ALTER TABLE meta RENAME TO facts; PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    for (let time = 0; time < 2; time++) await expect(look()).rejects.toMatchObject({ code: "STORE_NEWER" });
    // The store is usable again after the former schema is restored.
    db.exec(`ALTER TABLE facts RENAME TO meta; PRAGMA user_version = ${SCHEMA_VERSION}`);
    db.close();
    expect(await look()).toEqual([]);
    await store.close();
  });
});

describe("a new store", () => {
  it("has the schema that the migrations create", async () => {
    expect(SCHEMA_VERSION).toBe(migrations.length);
    const path = join(folder(), "new.db");
    await openSqlite(path, { create: true }).close();
    // A difference would be reported as a violation.
    expect(await violationsOf(path)).toEqual([]);
  });
});
