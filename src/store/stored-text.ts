/** What a text column holds, where a query can't tell: hashes, JSON, and what two columns say of one thing. */

import { sha256 } from "../sha256.ts";
import sql, { raw, type Sql } from "sql-template-tag";
import { isJsonObject } from "../schemas/json.ts";
import { targetKey } from "../schemas/target-key.ts";
import { foldName } from "./forms.ts";
import type { Violation } from "../schemas/store-facts.ts";
import { HASHED, hashedColumns, type HashedTable, hashOf, recordHash } from "./record-hash.ts";
import type { Tx } from "./store.ts";
import { parse, STORED_JSON } from "./stored-json.ts";
import { isUploadName } from "./upload-files.ts";

type Row = Record<string, string | null> & { id: string };
/** `complaint` answers what is wrong with a row, or undefined. */
type TextCheck = {
  id: string;
  about: string;
  /** Has a column `id`. */
  table: string;
  columns: string;
  complaint(row: Row): string | undefined;
};

const versions = `layout_versions v JOIN layout_contents c ON c.layout_id = v.layout_id AND c.sha256 = v.content_sha256`;

/** JSON columns that may be empty. */
const NULLABLE: ReadonlySet<string> = new Set([
  "forms.config",
  "layouts.metadata",
  "layout_versions.verdict",
  "fields.default_value",
  "custom_fields.default_value",
]);

/** Contents are long: so many are in memory at once. */
const PAGE = 100;

const hash: TextCheck = {
  id: "I16",
  about: "a version's content, and that of a kept answer, is the one that was hashed when it was saved",
  table: versions,
  columns: "content, content_sha256",
  complaint: ({ content, content_sha256 }) =>
    content === null || sha256(String(content)) === content_sha256
      ? undefined
      : "the content does not have the hash in content_sha256",
};

const state: TextCheck = {
  id: "I27",
  about: "a version's state is the one of its validation",
  table: "layout_versions",
  columns: "state, validation",
  complaint: (row) => {
    const validation = parse(row["validation"] ?? "");
    const found = isJsonObject(validation) ? validation["state"] : undefined;
    return found === row["state"] ? undefined : `state ${row["state"]}, validation ${String(found)}`;
  },
};

const target: TextCheck = {
  id: "I28",
  about: "equal targets have equal keys: the key is made of the target",
  table: "layouts",
  columns: "target, target_key",
  complaint: (row) => {
    const value = parse(row["target"] ?? "");
    if (!isJsonObject(value)) return "the target is not an object";
    const key = targetKey(value);
    return key === row["target_key"] ? undefined : `target_key ${row["target_key"]}, from the target ${key}`;
  },
};

const foldedName: TextCheck = {
  id: "I30",
  about: "a form is found by the name that it has",
  table: "forms",
  columns: "name, name_folded",
  complaint: (row) =>
    foldName(String(row["name"])) === row["name_folded"]
      ? undefined
      : `name ${row["name"]}, sought as ${row["name_folded"]}`,
};

/** Every column of JSON text has a value that fits it. */
const json = Object.entries(STORED_JSON).flatMap(([table, columns]) =>
  table === "mutations" ? [] : [jsonCheck(table, columns, table === "layout_contents" ? versions : table)],
);

const recordIsWhole = (Object.keys(HASHED) as HashedTable[]).flatMap((table) =>
  table === "mutations" ? [] : [hashCheck(table)],
);

const verdictIsWhole: TextCheck = {
  id: "I32",
  about: "a record is what was hashed when it was written",
  table: "layout_versions",
  columns: "verdict, verdict_hash",
  complaint: ({ id, verdict, verdict_hash }) =>
    verdict === null || verdict === undefined || hashOf([id, verdict]) === verdict_hash
      ? undefined
      : "layout_versions: the verdict does not have its hash",
};

const uploadPath = (table: string, from: string): TextCheck => ({
  id: "I33",
  about: "an uploaded file has a plain name in the folder of the uploads",
  table: from,
  columns: "path",
  complaint: ({ path }) => (isUploadName(String(path)) ? undefined : `${table}: path ${JSON.stringify(path)}`),
});

const answer = jsonCheck("mutations", STORED_JSON.mutations);
const answerIsWhole = hashCheck("mutations");

/** The violations that only reading the texts can find. */
export async function findTextViolations(tx: Tx): Promise<Violation[]> {
  const violations: Violation[] = [];
  const uploads = uploadPath("public_uploads", "public_uploads");
  const trash = uploadPath("file_trash", "(SELECT path AS id, path FROM file_trash)");
  for (const check of [hash, state, target, foldedName, ...json, ...recordIsWhole, verdictIsWhole, uploads, trash]) {
    let after = "";
    for (;;) {
      const rows = await tx.all<Row>(page(check, after));
      violations.push(...judge(check, rows));
      const last = rows.at(-1);
      // In a damaged index a page may end before it begins: without this it would be read for ever.
      if (!last || !(last.id > after)) break;
      after = last.id;
    }
  }
  for (const { org_id, operation, scope, id } of await tx.all<Row>(
    sql`SELECT org_id, operation, scope, client_mutation_id AS id FROM mutations`,
  )) {
    const kept = await tx.all<Row>(sql`
      SELECT m.client_mutation_id AS id, m.*, c.content
      FROM mutations m LEFT JOIN layout_contents c ON c.layout_id = m.owner_layout_id AND c.sha256 = m.content_sha256
      WHERE m.org_id = ${org_id} AND m.operation = ${operation} AND m.scope = ${scope} AND m.client_mutation_id = ${id}`);
    violations.push(...judge(answer, kept), ...judge(hash, kept), ...judge(answerIsWhole, kept));
  }
  return violations;
}

function page({ table, columns }: TextCheck, after: string): Sql {
  return sql`SELECT id, ${raw(columns)} FROM ${raw(table)} WHERE id > ${after} ORDER BY id LIMIT ${PAGE}`;
}

function judge(check: TextCheck, rows: Row[]): Violation[] {
  return rows.flatMap((row) => {
    const detail = check.complaint(row);
    return detail === undefined ? [] : [{ invariant: check.id, about: check.about, record: row.id, detail }];
  });
}

function hashCheck(table: HashedTable): TextCheck {
  return {
    id: "I32",
    about: "a record is what was hashed when it was written",
    table,
    columns: `${hashedColumns(table)}, record_hash`,
    complaint: (row) =>
      recordHash(table, row) === row["record_hash"] ? undefined : `${table}: the record does not have its hash`,
  };
}

/** @param from where the columns are read with an `id`, if the table itself has none */
function jsonCheck(
  table: string,
  columns: Readonly<Record<string, (value: unknown) => boolean>>,
  from: string = table,
): TextCheck {
  return {
    id: "I29",
    about: "what is kept as JSON can be read, and has its shape",
    table: from,
    columns: Object.keys(columns).join(", "),
    complaint: (row) => {
      const wrong = Object.entries(columns).filter(([column, fits]) => {
        const text = row[column];
        return text === null || text === undefined ? !NULLABLE.has(`${table}.${column}`) : !fits(parse(text));
      });
      return wrong.length === 0 ? undefined : `${table}: ${wrong.map(([column]) => column).join(", ")}`;
    },
  };
}
