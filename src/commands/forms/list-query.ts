/** Order and conditions as a person types them: `-createdAt`, `name~intake`, `active=true`. */

import type { Filter, FilterCondition, SortTerm } from "../../schemas/page.ts";
import { nearest } from "../../schemas/nearest.ts";
import { SORT_FIELDS } from "../../schemas/words.ts";
import { InvalidValue } from "../command.ts";
import { parseModes } from "./mode-list.ts";

/** `name,-createdAt`: the fields in their order of weight, with `-` from last to first. @throws InvalidValue */
export function parseSort(text: string): SortTerm[] {
  return text.split(",").map((part) => {
    const word = part.trim();
    const name = word.replace(/^[-+]/, "");
    const field = SORT_FIELDS.find((each) => each.toLowerCase() === name.toLowerCase());
    if (!field) {
      const near = nearest(name, SORT_FIELDS);
      throw new InvalidValue(
        `can't sort by "${word}"`,
        near ? `Did you mean ${near}?` : `Forms are sorted by ${SORT_FIELDS.join(", ")}; -name is from last to first.`,
      );
    }
    return { field, direction: word.startsWith("-") ? "desc" : "asc" };
  });
}

export const FILTER_HELP = `Conditions: name=TEXT, name!=TEXT, name~PART (in any case), active=true, public=false,
types=MODE (has the mode). Several conditions must all hold.`;

const CONDITION = /^\s*([a-z]+)\s*(!=|=|~)(.*)$/is;
const NAME_OPERATOR = { "=": "eq", "!=": "ne", "~": "contains" } as const;
type Sign = keyof typeof NAME_OPERATOR;

/** One condition, or for several modes one each. @throws InvalidValue that names the condition */
export function parseCondition(text: string): FilterCondition[] {
  const [, field = "", sign = "=", rest = ""] = CONDITION.exec(text) ?? [];
  const refuse = (reason: string, hint: string = FILTER_HELP): never => {
    throw new InvalidValue(`the condition "${text}" ${reason}`, hint);
  };
  const value = rest.trim();
  switch (field.toLowerCase()) {
    case "name":
      return [{ field: "name", operator: NAME_OPERATOR[sign as Sign], value }];
    case "active":
    case "isactive":
    case "public":
    case "ispublic": {
      if (sign === "~" || !/^(true|false|yes|no)$/i.test(value)) return refuse("must say true or false");
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
      if (sign === "!=") return refuse("can't be turned round: types= asks which forms have a mode");
      try {
        return parseModes(value).map((mode) => ({ field: "types", operator: "contains", value: mode }));
      } catch (error) {
        if (error instanceof InvalidValue) return refuse(`is wrong: ${error.message}`, error.hint);
        throw error;
      }
    }
    case "":
      return refuse("must be FIELD=VALUE");
    default: {
      const near = nearest(field, ["name", "active", "public", "types"]);
      return refuse(`names no field of a form`, near ? `Did you mean ${near}?` : undefined);
    }
  }
}

/** All conditions must hold; undefined where there are none. */
export function allOf(conditions: readonly (readonly FilterCondition[])[]): Filter | undefined {
  const items = conditions.flat();
  return items.length === 0 ? undefined : { op: "and", items };
}
