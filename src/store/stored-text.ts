/** Checks the invariants of text columns that SQL can't check: hashes, JSON, and values derived from other columns. */

import { sha256 } from "../sha256.ts";
import sql, { raw, type Sql } from "sql-template-tag";
import { isJsonObject } from "../schemas/json.ts";
import { targetKey } from "../schemas/target-key.ts";
import { foldName } from "./forms.ts";
import type { Violation } from "../local-service.ts";
import { HASHED, hashedColumns, type HashedTable, hashOf, recordHash } from "./record-hash.ts";
import type { Tx } from "./store.ts";
import { parse, STORED_JSON } from "./stored-json.ts";
import { isUploadName } from "./uploads.ts";

type Row = Record<string, string | null> & { id: string };
/** An invariant of text columns. `problem` describes what is wrong with a row; undefined if the row is valid. */
type TextCheck = {
  id: string;
  about: string;
  /** A table, join or subquery that has a column `id`. */
  table: string;
  columns: string;
  problem(row: Row): string | undefined;
};

const versions = `layout_versions v JOIN layout_contents c ON c.layout_id = v.layout_id AND c.sha256 = v.content_sha256`;

/** Nullable JSON columns. */
const NULLABLE: ReadonlySet<string> = new Set([
  "forms.config",
  "layouts.metadata",
  "layout_versions.verdict",
  "fields.default_value",
  "custom_fields.default_value",
]);

/** The number of rows that are read at once. It is small, because contents are long. */
const PAGE = 100;

const hash: TextCheck = {
  id: "I16",
  about: "the content of a version or stored response matches its hash",
  table: versions,
  columns: "content, content_sha256",
  problem: ({ content, content_sha256 }) =>
    content === null || sha256(String(content)) === content_sha256
      ? undefined
      : "the content does not match content_sha256",
};

const state: TextCheck = {
  id: "I27",
  about: "the state of a version matches its validation",
  table: "layout_versions",
  columns: "state, validation",
  problem: (row) => {
    const validation = parse(row["validation"] ?? "");
    const found = isJsonObject(validation) ? validation["state"] : undefined;
    return found === row["state"] ? undefined : `state ${row["state"]}, validation ${String(found)}`;
  },
};

const target: TextCheck = {
  id: "I28",
  about: "the target key of a layout matches its target",
  table: "layouts",
  columns: "target, target_key",
  problem: (row) => {
    const value = parse(row["target"] ?? "");
    if (!isJsonObject(value)) return "the target is not an object";
    const key = targetKey(value);
    return key === row["target_key"] ? undefined : `target_key ${row["target_key"]}, from the target ${key}`;
  },
};

const foldedName: TextCheck = {
  id: "I30",
  about: "the searchable name of a form matches its name",
  table: "forms",
  columns: "name, name_folded",
  problem: (row) =>
    foldName(String(row["name"])) === row["name_folded"]
      ? undefined
      : `name ${row["name"]}, searchable as ${row["name_folded"]}`,
};

/** The checks of JSON columns. Stored responses are checked separately, because `mutations` has no column `id`. */
const json = Object.entries(STORED_JSON).flatMap(([table, columns]) =>
  table === "mutations" ? [] : [jsonCheck(table, columns, table === "layout_contents" ? versions : table)],
);

const recordHashes = (Object.keys(HASHED) as HashedTable[]).flatMap((table) =>
  table === "mutations" ? [] : [hashCheck(table)],
);

const verdictHash: TextCheck = {
  id: "I32",
  about: "the hash of a record matches the record",
  table: "layout_versions",
  columns: "verdict, verdict_hash",
  problem: ({ id, verdict, verdict_hash }) =>
    verdict === null || verdict === undefined || hashOf([id, verdict]) === verdict_hash
      ? undefined
      : "layout_versions: the verdict does not match its hash",
};

const uploadPath = (table: string, from: string): TextCheck => ({
  id: "I33",
  about: "the path of an uploaded file is a plain name",
  table: from,
  columns: "path",
  problem: ({ path }) => (isUploadName(String(path)) ? undefined : `${table}: path ${JSON.stringify(path)}`),
});

const response = jsonCheck("mutations", STORED_JSON.mutations);
const responseHash = hashCheck("mutations");

export async function findTextViolations(tx: Tx): Promise<Violation[]> {
  const violations: Violation[] = [];
  const uploads = uploadPath("public_uploads", "public_uploads");
  const trash = uploadPath("file_trash", "(SELECT path AS id, path FROM file_trash)");
  for (const check of [hash, state, target, foldedName, ...json, ...recordHashes, verdictHash, uploads, trash]) {
    let after = "";
    for (;;) {
      const rows = await tx.all<Row>(page(check, after));
      violations.push(...violationsOf(check, rows));
      const last = rows.at(-1);
      // In a damaged index, the ids may not be in order. This check prevents an endless loop.
      if (!last || !(last.id > after)) break;
      after = last.id;
    }
  }
  for (const { org_id, operation, scope, id } of await tx.all<Row>(
    sql`SELECT org_id, operation, scope, client_mutation_id AS id FROM mutations`,
  )) {
    const rows = await tx.all<Row>(sql`
      SELECT m.client_mutation_id AS id, m.*, c.content
      FROM mutations m LEFT JOIN layout_contents c ON c.layout_id = m.owner_layout_id AND c.sha256 = m.content_sha256
      WHERE m.org_id = ${org_id} AND m.operation = ${operation} AND m.scope = ${scope} AND m.client_mutation_id = ${id}`);
    violations.push(...violationsOf(response, rows), ...violationsOf(hash, rows), ...violationsOf(responseHash, rows));
  }
  return violations;
}

function page({ table, columns }: TextCheck, after: string): Sql {
  return sql`SELECT id, ${raw(columns)} FROM ${raw(table)} WHERE id > ${after} ORDER BY id LIMIT ${PAGE}`;
}

function violationsOf(check: TextCheck, rows: Row[]): Violation[] {
  return rows.flatMap((row) => {
    const detail = check.problem(row);
    return detail === undefined ? [] : [{ invariant: check.id, about: check.about, record: row.id, detail }];
  });
}

function hashCheck(table: HashedTable): TextCheck {
  return {
    id: "I32",
    about: "the hash of a record matches the record",
    table,
    columns: `${hashedColumns(table)}, record_hash`,
    problem: (row) =>
      recordHash(table, row) === row["record_hash"] ? undefined : `${table}: the record does not match its hash`,
  };
}

/** Checks the JSON columns of a table. @param from what to read instead, if the table has no column `id` */
function jsonCheck(
  table: string,
  columns: Readonly<Record<string, (value: unknown) => boolean>>,
  from: string = table,
): TextCheck {
  return {
    id: "I29",
    about: "JSON columns contain valid values",
    table: from,
    columns: Object.keys(columns).join(", "),
    problem: (row) => {
      const wrong = Object.entries(columns).filter(([column, isValid]) => {
        const text = row[column];
        return text === null || text === undefined ? !NULLABLE.has(`${table}.${column}`) : !isValid(parse(text));
      });
      return wrong.length === 0 ? undefined : `${table}: ${wrong.map(([column]) => column).join(", ")}`;
    },
  };
}
