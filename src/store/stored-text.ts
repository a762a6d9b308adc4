/** What a text column holds, where a query can't tell: hashes, JSON, and what two columns say of one thing. */

import { MODES, PERMISSIONS } from "../schemas/words.ts";
import { createHash } from "node:crypto";
import sql, { raw, type Sql } from "sql-template-tag";
import { isJsonObject } from "../schemas/json.ts";
import { targetKey } from "../schemas/target-key.ts";
import { foldName } from "./forms.ts";
import type { Violation } from "../schemas/store-facts.ts";
import type { Tx } from "./store.ts";

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

/** Contents are long: so many are in memory at once. */
const PAGE = 100;

const hash: TextCheck = {
  id: "I16",
  about: "a version's content, and that of a kept answer, is the one that was hashed when it was saved",
  table: versions,
  columns: "content, content_sha256",
  complaint: ({ content, content_sha256 }) =>
    content === null || createHash("sha256").update(String(content)).digest("hex") === content_sha256
      ? undefined
      : "the content does not have the hash in content_sha256",
};

const state: TextCheck = {
  id: "I27",
  about: "a version's state is the one of its validation",
  table: "layout_versions",
  columns: "state, validation",
  complaint: (row) => {
    const validation = parse(row["validation"]);
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
    const value = parse(row["target"]);
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

/** Every column of JSON text, and what its value has to be. */
const json = (
  [
    ["layout_contents", { content: isJsonObject }, versions],
    ["layout_versions", { supported_modes: isModes, validation: isJsonObject, verdict: orNull(isJsonObject) }],
    ["layouts", { target: isJsonObject, metadata: orNull(isJsonObject) }],
    ["forms", { config: orNull(isJsonObject) }],
    ["fields", { options: isTexts, config: isJsonObject, default_value: isAnything }],
    ["custom_fields", { options: isTexts, config: isJsonObject, default_value: isAnything }],
    ["api_tokens", { permissions: isPermissions }],
  ] as [string, Record<string, (value: unknown) => boolean>, string?][]
).map(([table, columns, from]) => jsonCheck(table, columns, from));

const answer = jsonCheck("mutations", { response: isAnything });

/** The violations that only reading the texts can find. */
export async function findTextViolations(tx: Tx): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const check of [hash, state, target, foldedName, ...json]) {
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
      SELECT m.client_mutation_id AS id, m.response, c.content, m.content_sha256
      FROM mutations m LEFT JOIN layout_contents c ON c.layout_id = m.owner_layout_id AND c.sha256 = m.content_sha256
      WHERE m.org_id = ${org_id} AND m.operation = ${operation} AND m.scope = ${scope} AND m.client_mutation_id = ${id}`);
    violations.push(...judge(answer, kept), ...judge(hash, kept));
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

/** @param from where the columns are read with an `id`, if the table itself has none */
function jsonCheck(
  table: string,
  columns: Record<string, (value: unknown) => boolean>,
  from: string = table,
): TextCheck {
  return {
    id: "I29",
    about: "what is kept as JSON can be read, and has its shape",
    table: from,
    columns: Object.keys(columns).join(", "),
    complaint: (row) => {
      const wrong = Object.entries(columns).filter(([column, fits]) => !fits(parse(row[column])));
      return wrong.length === 0 ? undefined : `${table}: ${wrong.map(([column]) => column).join(", ")}`;
    },
  };
}

/** The value of a JSON text; null for a column without one, undefined for what is no JSON. */
function parse(text: string | null | undefined): unknown {
  if (text === null || text === undefined) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isAnything(value: unknown): boolean {
  return value !== undefined;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isModes(value: unknown): boolean {
  return isListOf(MODES, value) && (value as unknown[]).length > 0;
}

function isPermissions(value: unknown): boolean {
  return isListOf(PERMISSIONS, value);
}

function isListOf(known: readonly string[], value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => known.includes(item)) && new Set(value).size === value.length;
}

function orNull(fits: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === null || fits(value);
}
