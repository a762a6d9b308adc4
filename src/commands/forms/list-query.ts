/** Parses the order, columns and conditions of a list: `-createdAt`, `name,types`, `name~intake`, `active=true`. */

import { LocatedError } from "../../documents/located-error.ts";
import { FormctlError, hasCode } from "../../base/error.ts";
import type { Filter, FilterCondition, SortTerm } from "../../schemas/page.ts";
import { nearest } from "../../base/nearest.ts";
import { MODES, SORT_FIELDS } from "../../schemas/words.ts";
import type { CommandContext, Parse } from "../command.ts";
import { parseModes } from "../modes.ts";

/** The orders by one field. */
export const SORTS = SORT_FIELDS.flatMap((field) => [field, `-${field}`]);

/** Parses `name,-createdAt`. `-` means descending order. @throws INVALID_VALUE */
export function parseSort(text: string): SortTerm[] {
  return text.split(",").map((part) => {
    const word = part.trim();
    const name = word.replace(/^[-+]/, "");
    const field = SORT_FIELDS.find((each) => each.toLowerCase() === name.toLowerCase());
    if (!field) {
      const near = nearest(name, SORT_FIELDS);
      throw new FormctlError(
        "INVALID_VALUE",
        `can't sort by "${word}"`,
        near ? `Did you mean ${near}?` : `Valid fields: ${SORT_FIELDS.join(", ")}; -name sorts in descending order`,
      );
    }
    return { field, direction: word.startsWith("-") ? "desc" : "asc" };
  });
}

export const FILTER_HELP = `Conditions: name=TEXT, name!=TEXT, name~PART (in any case), active=true, public=false,
types=MODE (has the mode). All filters must match. For "or" and "in", write the filter of the API in JSON or YAML:
{"op": "or", "items": [{"field": "name", "operator": "in", "value": ["Intake", "Profile"]}, {"field": "isPublic",
"operator": "eq", "value": true}]}. Its items are conditions or filters.`;

/** The conditions that have a fixed value, and the starts of the others. */
export const CONDITIONS = [
  "name=",
  "name!=",
  "name~",
  ...["active", "public"].flatMap((field) => [`${field}=true`, `${field}=false`]),
  ...MODES.map((mode) => `types=${mode}`),
];

const CONDITION = /^\s*([a-z]+)\s*(!=|=|~)(.*)$/is;
const NAME_OPERATOR = { "=": "eq", "!=": "ne", "~": "contains" } as const;
type Sign = keyof typeof NAME_OPERATOR;

/**
 * Parses one condition. A condition with several modes becomes one condition for each mode.
 *
 * @throws INVALID_VALUE that quotes the condition
 */
export function parseCondition(text: string): FilterCondition[] {
  const [, field = "", sign = "=", rest = ""] = CONDITION.exec(text) ?? [];
  const refuse = (reason: string, hint: string = FILTER_HELP): never => {
    throw new FormctlError("INVALID_VALUE", `the condition "${text}" ${reason}`, hint);
  };
  const value = rest.trim();
  switch (field.toLowerCase()) {
    case "name":
      return [{ field: "name", operator: NAME_OPERATOR[sign as Sign], value }];
    case "active":
    case "isactive":
    case "public":
    case "ispublic": {
      if (sign === "~" || !/^(true|false|yes|no)$/i.test(value)) return refuse("must have the value true or false");
      const isTrue = /^(true|yes)$/i.test(value);
      return [
        {
          field: /active/i.test(field) ? "isActive" : "isPublic",
          operator: sign === "!=" ? "ne" : "eq",
          value: isTrue,
        },
      ];
    }
    case "type":
    case "types": {
      if (sign === "!=") return refuse("is not supported: specify the modes that a form must have, such as types=VIEW");
      try {
        return parseModes(value).map((mode) => ({ field: "types", operator: "contains", value: mode }));
      } catch (error) {
        if (hasCode(error, "INVALID_VALUE")) return refuse(`is invalid: ${error.message}`, error.hint);
        throw error;
      }
    }
    case "":
      return refuse("must be FIELD=VALUE");
    default: {
      const near = nearest(field, ["name", "active", "public", "types"]);
      return refuse(`has an unknown field "${field}"`, near ? `Did you mean ${near}?` : undefined);
    }
  }
}

/** The ways in which a page can report the size of the list. */
export const COUNTS = ["exact", "hasMore", "none"] as const;

/** @throws INVALID_VALUE */
export const parseCount: Parse<(typeof COUNTS)[number]> = (text) => {
  const count = COUNTS.find((each) => each.toLowerCase() === text.trim().toLowerCase());
  if (count) return count;
  throw new FormctlError("INVALID_VALUE", `must be one of ${COUNTS.join(", ")}, not "${text}"`);
};

/** Parses `name,types`. @throws USAGE for an empty name */
export function parseColumns(text: string): string[] {
  const columns = text.split(",").map((part) => part.trim());
  if (columns.includes(""))
    throw new FormctlError("USAGE", `must be names separated by commas, such as name,types, not "${text}"`);
  return columns;
}

/** The values of the filter options: conditions, filters as JSON text, and a file with a filter. */
export type TypedFilters = {
  filter: readonly (readonly FilterCondition[])[];
  filterJson: readonly string[];
  file: string | undefined;
};

/**
 * Joins all filters into one filter. A form must match every joined filter. Undefined without filters.
 *
 * @throws INVALID_FILE that lists every problem of a filter with line and column; USAGE for a filter of the command line
 */
export async function readFilters(
  context: Pick<CommandContext, "readFile">,
  { filter, filterJson, file }: TypedFilters,
): Promise<Filter | undefined> {
  const filters: Filter[] = [];
  const conditions = filter.flat();
  if (conditions.length > 0) filters.push({ op: "and", items: conditions });
  if (filterJson.length > 0 || file !== undefined) {
    const { Filter: schema } = await import("../../schemas/page-schema.ts");
    const { readBody } = await import("../read-input.ts");
    for (const text of filterJson) {
      const typed = { readFile: async () => Buffer.from(text) };
      filters.push((await readBody(typed, "--filter-json", schema).catch(asUsage)).value);
    }
    if (file !== undefined) filters.push((await readBody(context, file, schema)).value);
  }
  const [only] = filters;
  return filters.length > 1 ? { op: "and", items: filters } : only;
}

/** Throws the error of an invalid file as the error of a wrong option, with the same problems. */
function asUsage(error: unknown): never {
  if (!(error instanceof LocatedError)) throw error;
  const { message, location, problems, sources, hint, cause } = error;
  throw new LocatedError("USAGE", message, { location, problems, sources, hint, cause });
}
