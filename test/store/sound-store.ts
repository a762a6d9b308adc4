/** A small valid store in which every kind of record occurs once or twice. */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { HASHED, hashedColumns, type HashedTable, hashOf } from "../../src/store/record-hash.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { temporaryFolders } from "../temporary.ts";

const T1 = "2026-01-01T00:00:00.000Z";
const T2 = "2026-01-02T00:00:00.000Z";

/** @returns a function that creates a new sound store and returns its path */
export function soundStores(): () => Promise<string> {
  const folder = temporaryFolders();
  return async () => {
    const path = join(folder(), "store.db");
    await openSqlite(path, { create: true }).close();
    const db = new DatabaseSync(path);
    db.exec(`BEGIN; ${soundRecords}; COMMIT`);
    hashRecords(db);
    db.close();
    return path;
  };
}

/** Sets the hash of every record to the hash of its current content. */
export function hashRecords(db: DatabaseSync): void {
  db.function("record_hash", { useBigIntArguments: true, varargs: true }, (...values) => hashOf(values as string[]));
  for (const table of Object.keys(HASHED) as HashedTable[])
    db.exec(`UPDATE ${table} SET record_hash = record_hash(${hashedColumns(table)})`);
}

/** Changes a store without its keys, checks and triggers: another tool could do that. */
export function tamper(path: string, statements: string): void {
  const db = new DatabaseSync(path, { defensive: false });
  db.exec("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA recursive_triggers = OFF");
  const triggers = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${String(name)}`);
  db.exec(statements);
  for (const { sql } of triggers) db.exec(String(sql));
  db.close();
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

const content =
  '{"blocks":[],"metadata":null,"regions":[],"schemaVersion":1,"scriptBindings":[],"stagedFieldDefinitions":[]}';
const valid = '{"errors":[],"state":"valid","warnings":[]}';
const invalid = '{"errors":[{"code":"NO_REGIONS"}],"state":"invalid","warnings":[]}';
const candidate = '{"moduleKey":"staffing","objectKey":"candidate"}';

function layout(id: string, ownerFormId: string | null, status: string, lastVersion: number): string {
  const owner = ownerFormId === null ? "NULL" : `'${ownerFormId}'`;
  return `INSERT INTO layouts VALUES ('${id}', 'org_1', 'DYNAMIC_OBJECT', '${candidate}', '${candidate}', ${owner},
    'Layout ${id}', NULL, '${status}', ${lastVersion}, '${T1}', '${T1}', '');
    INSERT INTO layout_contents VALUES ('${id}', 'org_1', '${sha256(content)}', '${content}')`;
}

/** Returns the statement that inserts a version. All versions have the same content. */
export function version(id: string, layoutId: string, number: number, status: string): string {
  const published = status === "DRAFT" ? "NULL" : `'${T2}'`;
  const [state, validation] = status === "DRAFT" ? ["invalid", invalid] : ["valid", valid];
  return `INSERT INTO layout_versions VALUES ('${id}', 'org_1', '${layoutId}', ${number}, '${status}', '["VIEW"]',
    '${sha256(content)}', '${state}', '${validation}', NULL, NULL, '${T1}', ${published}, NULL, '')`;
}

/** The statements that insert the records, without their hashes. */
export const soundRecords = [
  ...["1", "2"].flatMap((org) => [
    `INSERT INTO organizations VALUES ('org_${org}', 'org-${org}', 'Organization ${org}')`,
    `INSERT INTO organization_state VALUES ('org_${org}', 0, 2)`,
    `INSERT INTO roles VALUES ('rol_${org}', 'org_${org}', 'recruiter', 'Recruiter')`,
    `INSERT INTO memberships VALUES ('mem_${org}', 'org_${org}', 'ana@example.com', 'Ana')`,
    `INSERT INTO modules VALUES ('mod_${org}', 'org_${org}', 'staffing', 'Staffing')`,
    `INSERT INTO objects VALUES ('obj_${org}', 'org_${org}', 'mod_${org}', 'candidate', 'Candidate', 'REGULAR', NULL, 0)`,
  ]),
  "INSERT INTO objects VALUES ('obj_other', 'org_1', 'mod_1', 'placement', 'Placement', 'REGULAR', NULL, 0)",
  "INSERT INTO objects VALUES ('obj_sub', 'org_1', 'mod_1', 'milestone', 'Milestone', 'SUBORDINATE', 'obj_1', 0)",
  "INSERT INTO fields VALUES ('fld_1', 'org_1', 'obj_1', 'seniority', 'Seniority', 'SELECT', 1, '\"mid\"', '[\"mid\"]', '{}', 0, 0, '')",
  "INSERT INTO custom_fields VALUES ('cus_1', 'org_1', 'CONTRACTOR', '', 'note', 'Note', 'TEXT', 0, NULL, '[]', '{}', 0, 0, '')",
  "INSERT INTO scripts VALUES ('scr_1', 'org_1', 'rate_guard', 'Rate guard')",
  "INSERT INTO membership_roles VALUES ('mem_1', 'rol_1', 'org_1')",
  `INSERT INTO api_tokens VALUES ('tok_1', 'org_1', 'ci', '${sha256("secret")}', 'abcd', '["api.custom_forms.read"]', '${T1}', '${T2}', NULL, NULL, '')`,
  `INSERT INTO forms VALUES ('frm_1', 'org_1', 'obj_1', 'REGULAR', 'Profile', 'profile', 1, 1, 'public-1', '{"title":"Hi"}', '${T1}', '${T1}', '')`,
  `INSERT INTO forms VALUES ('frm_2', 'org_1', 'obj_1', 'REGULAR', 'Intake', 'intake', 0, 0, NULL, NULL, '${T1}', '${T1}', '')`,
  "INSERT INTO form_types VALUES ('frm_1', 'org_1', 'obj_1', 'VIEW', 0), ('frm_1', 'org_1', 'obj_1', 'EDIT', 1)",
  "INSERT INTO form_types VALUES ('frm_2', 'org_1', 'obj_1', 'VIEW', 0)",
  "INSERT INTO form_defaults VALUES ('org_1', 'obj_1', 'VIEW', 'frm_1', 1)",
  "INSERT INTO access_membership_rows VALUES ('frm_1', 'org_1', 'mem_1', 0)",
  "INSERT INTO access_membership_modes VALUES ('frm_1', 'mem_1', 'EDIT', 0, 'org_1')",
  "INSERT INTO access_role_rows VALUES ('frm_1', 'org_1', 'rol_1', 0)",
  "INSERT INTO access_role_modes VALUES ('frm_1', 'rol_1', 'EDIT', 0, 'org_1')",
  `INSERT INTO public_uploads VALUES ('upl_1', 'org_1', 'frm_1', 'cv.pdf', 3, '${sha256("abc")}', 'upl_1', '${T1}')`,
  `INSERT INTO file_trash VALUES ('upl_gone', '${T1}')`,
  layout("lay_frm_1", "frm_1", "ACTIVE", 3),
  version("ver_1", "lay_frm_1", 1, "ARCHIVED"),
  version("ver_2", "lay_frm_1", 2, "PUBLISHED"),
  version("ver_3", "lay_frm_1", 3, "DRAFT"),
  layout("lay_frm_2", "frm_2", "DRAFT", 1),
  version("ver_4", "lay_frm_2", 1, "DRAFT"),
  layout("lay_org", null, "ACTIVE", 1),
  version("ver_5", "lay_org", 1, "PUBLISHED"),
  layout("lay_org_2", null, "DRAFT", 1),
  version("ver_6", "lay_org_2", 1, "DRAFT"),
  layout("lay_old", null, "ARCHIVED", 1),
  version("ver_7", "lay_old", 1, "PUBLISHED"),
  ...["lay_org", "lay_org_2", "lay_old"].map((id) => `INSERT INTO layout_modes VALUES ('${id}', 'org_1', 'VIEW', 0)`),
  "INSERT INTO assignments VALUES ('asg_1', 'org_1', 'lay_org', 'rol_1', 10, 0)",
  `INSERT INTO assignment_defaults VALUES ('org_1', 'DYNAMIC_OBJECT', '${candidate}', 'VIEW', 'lay_org')`,
  `INSERT INTO mutations VALUES ('org_1', 'publishLayout', 'lay_org', 'mut-1', 'lay_org', NULL, '${sha256("body")}', '{}', '${sha256(content)}', '${T2}', '')`,
  `INSERT INTO mutations VALUES ('org_1', 'updateForm', 'path:1', 'key-1', NULL, 'frm_1', '${sha256("form")}', '{}', NULL, '${T2}', '')`,
  "INSERT INTO migration_records VALUES ('org_1', 'mgr_1')",
  "INSERT INTO migration_entries VALUES ('mig_1', 'org_1', 0, '1-first', '{}', ''), ('mig_2', 'org_1', 1, '2-next', '{}', '')",
  `INSERT INTO audit (seq, at, org_id, token_id, operation, target, client_mutation_id)
   VALUES (1, '${T2}', 'org_1', NULL, 'publishLayout', '/v1/view-layouts/lay_org/publish', 'mut-1'),
     (2, '${T2}', 'org_1', NULL, 'updateForm', '/v1/custom-modules/staffing/objects/candidate/forms/frm_1', 'key-1')`,
].join(";\n");
