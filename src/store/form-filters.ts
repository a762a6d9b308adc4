/** Translates the filter and sort order of a list of forms to SQL. */

import sql, { join, type Sql } from "sql-template-tag";
import type { Mode } from "../schemas/form.ts";
import type { Filter, FilterCondition, SortTerm } from "../schemas/page.ts";
import { DEFAULT_FLAG, MODES } from "../schemas/words.ts";
import { foldName, hasMode, type SelectiveKey } from "./forms.ts";
import type { OrgTx } from "./store.ts";

const ALWAYS = sql`1 = 1`;
const NEVER = sql`1 = 0`;

/**
 * Translates a filter to a condition on `forms`. If the filter is undefined or an empty `and`, all forms match. If the
 * filter is an empty `or`, no form matches.
 */
export function filterCondition(tx: OrgTx, filter: Filter | undefined): Sql {
  return filter ? conditionOfGroup(tx, filter) : ALWAYS;
}

function conditionOfGroup(tx: OrgTx, filter: Filter): Sql {
  const conditions = filter.items.map((item) => ("op" in item ? conditionOfGroup(tx, item) : conditionOf(tx, item)));
  if (conditions.length === 0) return filter.op === "and" ? ALWAYS : NEVER;
  return filter.op === "and" ? allOfThem(conditions) : anyOfThem(conditions);
}

function conditionOf(tx: OrgTx, condition: FilterCondition): Sql {
  if (condition.field === "name") return nameCondition(condition);
  if (condition.field === "types") return typesCondition(tx, condition);
  if (condition.field === "id") return startCondition(sql`forms.id`, condition.value);
  const expected = (condition.operator === "eq") === condition.value;
  const mode = modeOfFlag(condition.field);
  if (mode !== undefined) {
    const defaults = sql`(SELECT form_id FROM form_defaults WHERE org_id = ${tx.orgId} AND mode = ${mode})`;
    return expected ? sql`forms.id IN ${defaults}` : sql`forms.id NOT IN ${defaults}`;
  }
  const column = condition.field === "isActive" ? sql`forms.is_active` : sql`forms.is_public`;
  return sql`${column} = ${expected ? 1 : 0}`;
}

function modeOfFlag(field: FilterCondition["field"]): Mode | undefined {
  return MODES.find((mode) => DEFAULT_FLAG[mode] === field);
}

function startCondition(column: Sql, start: string): Sql {
  const end = textAfter(start);
  return end === undefined ? sql`${column} >= ${start}` : sql`(${column} >= ${start} AND ${column} < ${end})`;
}

/**
 * Returns the first text that sorts after all texts with the given start. Undefined if no text sorts after them. Both
 * databases sort texts by code point.
 */
function textAfter(start: string): string | undefined {
  const points = Array.from(start, (character) => character.codePointAt(0)!);
  while (points.at(-1) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  const next = last === BEFORE_SURROGATES ? AFTER_SURROGATES : last + 1;
  return String.fromCodePoint(...points, next);
}

const LAST_CODE_POINT = 0x10ffff;
/** The code points around the surrogates, which are not characters. */
const [BEFORE_SURROGATES, AFTER_SURROGATES] = [0xd7ff, 0xe000];

function nameCondition(condition: Extract<FilterCondition, { field: "name" }>): Sql {
  const { operator, value } = condition;
  if (operator === "in") return value.length === 0 ? NEVER : sql`forms.name IN (${join(value)})`;
  if (operator === "eq") return sql`forms.name = ${value}`;
  if (operator === "ne") return sql`forms.name <> ${value}`;
  if (operator === "startsWith") return startCondition(sql`forms.name`, value);
  const part = foldName(value).replace(/[\\%_]/g, String.raw`\$&`);
  return sql`forms.name_folded LIKE ${`%${part}%`} ESCAPE '\\'`;
}

/**
 * Translates a condition on the modes of a form:
 *
 * - `eq` and `ne` compare the whole set of modes.
 * - `contains` requires a mode.
 * - `in` requires one of several modes.
 */
function typesCondition(tx: OrgTx, condition: Extract<FilterCondition, { field: "types" }>): Sql {
  const { operator, value } = condition;
  if (operator === "contains") return hasMode(tx, value);
  if (operator === "in") return value.length === 0 ? NEVER : anyOfThem(value.map((mode) => hasMode(tx, mode)));
  return operator === "eq" ? hasExactly(tx, value) : sql`NOT ${hasExactly(tx, value)}`;
}

function hasExactly(tx: OrgTx, modes: readonly Mode[]): Sql {
  const expected = [...new Set(modes)];
  // Every form has a mode (R16), so no form has an empty set of modes.
  if (expected.length === 0) return NEVER;
  const others = sql`EXISTS (
    SELECT 1 FROM form_types t
    WHERE t.org_id = ${tx.orgId} AND t.form_id = forms.id AND t.mode NOT IN (${join(expected)}))`;
  return sql`(${join(
    expected.map((mode) => hasMode(tx, mode)),
    " AND ",
  )} AND NOT ${others})`;
}

function allOfThem(conditions: readonly Sql[]): Sql {
  return join(conditions, " AND ", "(", ")");
}

function anyOfThem(conditions: readonly Sql[]): Sql {
  return join(conditions, " OR ", "(", ")");
}

const COLUMNS = {
  name: sql`forms.name_folded`,
  createdAt: sql`forms.created_at`,
  updatedAt: sql`forms.updated_at`,
};

/**
 * Returns the column by which the filter selects few forms. The query makes SQLite use the index of this column.
 * Otherwise SQLite, which has no statistics of the store, might choose another index and read all forms of the object.
 */
export function selectiveKey(filter: Filter | undefined): SelectiveKey {
  if (!filter) return undefined;
  const keys = filter.items.map((item) => ("op" in item ? selectiveKey(item) : keyOf(item)));
  if (filter.op === "and") return keys.find((key) => key !== undefined);
  const [key] = keys;
  return keys.every((each) => each === key) ? key : undefined;
}

function keyOf({ field, operator, value }: FilterCondition): SelectiveKey {
  if (field === "name") return operator === "eq" || operator === "in" ? "name" : undefined;
  if (field === "id") return "id";
  const isDefaultOnly = modeOfFlag(field) !== undefined && (operator === "eq") === value;
  return isDefaultOnly ? "id" : undefined;
}

/**
 * Translates sort terms to SQL. Names are sorted case-insensitively. By default the oldest form comes first. Forms with
 * equal values are sorted by id.
 *
 * @param key the column by which the filter selects few forms. With `key`, a concatenation disables the index on the
 *   sorted column. With that index, SQLite would read all forms of the object
 */
export function sortOrder(terms: readonly SortTerm[] = [], key?: SelectiveKey): Sql {
  const chosen = new Map<SortTerm["field"], Sql>();
  for (const { field, direction } of terms.length === 0 ? OLDEST_FIRST : terms) {
    const column = key === undefined ? COLUMNS[field] : sql`${COLUMNS[field]} || ''`;
    // A second term for the same field has no effect.
    if (!chosen.has(field)) chosen.set(field, direction === "desc" ? sql`${column} DESC` : column);
  }
  return join([...chosen.values(), sql`forms.id`]);
}

const OLDEST_FIRST: readonly SortTerm[] = [{ field: "createdAt", direction: "asc" }];
