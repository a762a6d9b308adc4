/**
 * Checks the invariants of text columns: hashes, JSON, and values derived from other columns. SQL can't check these
 * invariants.
 */

import { hash as digest } from "node:crypto";
import sql from "sql-template-tag";
import { isJsonObject } from "../schemas/json.ts";
import { targetKey } from "../schemas/target-key.ts";
import { foldName } from "./forms.ts";
import type { Violation } from "../local-service.ts";
import { HASHED, type HashedTable, hashOf, recordHash } from "./record-hash.ts";
import type { Tx } from "./store.ts";
import { parse, STORED_JSON } from "./stored-json.ts";
import { isUploadName } from "./uploads.ts";

type Row = Record<string, string | null>;

/** An invariant of text columns. `problem` describes what is wrong with a row; undefined if the row is valid. */
type TextCheck = {
  id: string;
  about: string;
  columns: readonly string[];
  problem(row: Row): string | undefined;
};

/** The checks of a table. Each row is read once for all checks. */
type TableChecks = {
  table: string;
  checks: readonly TextCheck[];
  /** The column that identifies a record. */
  key: string;
  /** Lists the ids of the records to which an invalid row belongs. Absent if each row is a record itself. */
  users?: (tx: Tx, row: Row) => Promise<string[]>;
};

/** The JSON columns that may be null. */
const NULLABLE: ReadonlySet<string> = new Set([
  "forms.config",
  "layouts.metadata",
  "layout_versions.verdict",
  "fields.default_value",
  "custom_fields.default_value",
]);

const lastParsed = new Map<string, { text: string; value: unknown }>();

/** Parses a text. If the previous text of the column was the same, returns the previous value. */
function parseOnce(column: string, text: string): unknown {
  const last = lastParsed.get(column);
  if (last?.text === text) return last.value;
  const value = parse(text);
  lastParsed.set(column, { text, value });
  return value;
}

const contentHash: TextCheck = {
  id: "I16",
  about: "the content of a version or stored response matches its hash",
  columns: ["content", "sha256"],
  problem: ({ content, sha256 }) =>
    digest("sha256", String(content)) === sha256 ? undefined : "the content does not match content_sha256",
};

const state: TextCheck = {
  id: "I27",
  about: "the state of a version matches its validation",
  columns: ["state", "validation"],
  problem: (row) => {
    const validation = parseOnce("layout_versions.validation", row["validation"] ?? "");
    const found = isJsonObject(validation) ? validation["state"] : undefined;
    return found === row["state"] ? undefined : `state ${row["state"]}, validation ${String(found)}`;
  },
};

const target: TextCheck = {
  id: "I28",
  about: "the target key of a layout matches its target",
  columns: ["target", "target_key"],
  problem: (row) => {
    const value = parseOnce("layouts.target", row["target"] ?? "");
    if (!isJsonObject(value)) return "the target is not an object";
    const key = targetKey(value);
    return key === row["target_key"] ? undefined : `target_key ${row["target_key"]}, from the target ${key}`;
  },
};

const foldedName: TextCheck = {
  id: "I30",
  about: "the searchable name of a form matches its name",
  columns: ["name", "name_folded"],
  problem: (row) =>
    foldName(String(row["name"])) === row["name_folded"]
      ? undefined
      : `name ${row["name"]}, searchable as ${row["name_folded"]}`,
};

const verdictHash: TextCheck = {
  id: "I32",
  about: "the hash of a record matches the record",
  columns: ["id", "verdict", "verdict_hash"],
  problem: ({ id, verdict, verdict_hash }) =>
    verdict === null || verdict === undefined || hashOf([id ?? null, verdict]) === verdict_hash
      ? undefined
      : "layout_versions: the verdict does not match its hash",
};

const uploadPath = (table: string): TextCheck => ({
  id: "I33",
  about: "the path of an uploaded file is a plain name",
  columns: ["path"],
  problem: ({ path }) => (isUploadName(String(path)) ? undefined : `${table}: path ${JSON.stringify(path)}`),
});

const checksByTable: readonly TableChecks[] = [
  {
    table: "layout_contents",
    key: "layout_id",
    checks: [contentHash, jsonCheck("layout_contents")],
    users: usersOfContent,
  },
  { table: "forms", key: "id", checks: [foldedName, jsonCheck("forms"), hashCheck("forms")] },
  { table: "layouts", key: "id", checks: [target, jsonCheck("layouts"), hashCheck("layouts")] },
  {
    table: "layout_versions",
    key: "id",
    checks: [state, jsonCheck("layout_versions"), hashCheck("layout_versions"), verdictHash],
  },
  ...(["fields", "custom_fields", "api_tokens", "migration_entries"] as const).map((table) => ({
    table,
    key: "id",
    checks: [jsonCheck(table), hashCheck(table)],
  })),
  { table: "mutations", key: "client_mutation_id", checks: [jsonCheck("mutations"), hashCheck("mutations")] },
  { table: "public_uploads", key: "id", checks: [uploadPath("public_uploads")] },
  { table: "file_trash", key: "path", checks: [uploadPath("file_trash")] },
];

export async function findTextViolations(tx: Tx): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const each of checksByTable) violations.push(...(await findInTable(tx, each)));
  // The texts can be megabytes long, and a server runs for months. So the last texts are freed.
  lastParsed.clear();
  return violations;
}

async function findInTable(tx: Tx, { table, key, checks, users }: TableChecks): Promise<Violation[]> {
  const violations: Violation[] = [];
  const columns = [...new Set([key, ...checks.flatMap((check) => check.columns)])];
  for await (const rows of tx.pages<Row>(table, columns)) {
    for (const row of rows) {
      for (const check of checks) {
        const detail = check.problem(row);
        if (detail === undefined) continue;
        const records = users ? await users(tx, row) : [String(row[key])];
        const { id: invariant, about } = check;
        violations.push(...records.map((record) => ({ invariant, about, record, detail })));
      }
    }
  }
  return violations;
}

/** Lists the versions and stored responses that refer to this content, by id. */
async function usersOfContent(tx: Tx, { layout_id, sha256 }: Row): Promise<string[]> {
  const found = await tx.all<{ id: string }>(sql`
    SELECT id FROM layout_versions WHERE layout_id = ${layout_id} AND content_sha256 = ${sha256}
    UNION ALL
    SELECT client_mutation_id AS id FROM mutations WHERE owner_layout_id = ${layout_id} AND content_sha256 = ${sha256}`);
  return found.map(({ id }) => id);
}

function hashCheck(table: HashedTable): TextCheck {
  return {
    id: "I32",
    about: "the hash of a record matches the record",
    columns: [...HASHED[table].split(" "), "record_hash"],
    problem: (row) =>
      recordHash(table, row) === row["record_hash"] ? undefined : `${table}: the record does not match its hash`,
  };
}

function jsonCheck(table: keyof typeof STORED_JSON): TextCheck {
  const columns = Object.entries(STORED_JSON[table] as Record<string, (value: unknown) => boolean>);
  return {
    id: "I29",
    about: "JSON columns contain valid values",
    columns: columns.map(([column]) => column),
    problem: (row) => {
      const wrong = columns.filter(([column, isValid]) => {
        const text = row[column];
        const name = `${table}.${column}`;
        return text === null || text === undefined ? !NULLABLE.has(name) : !isValid(parseOnce(name, text));
      });
      return wrong.length === 0 ? undefined : `${table}: ${wrong.map(([column]) => column).join(", ")}`;
    },
  };
}
