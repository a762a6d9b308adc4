/**
 * A manner of a server that differs from ours: some of its values are unknown to formctl, its ids are numbers, and it
 * ignores parameters.
 */

import { isJsonObject, type JsonObject } from "../../src/schemas/json.ts";
import type { Manner } from "./proxy.ts";

/** Pairs of our value and the value of the newer server. */
const WORDS = [
  ['"surface":"USER"', '"surface":"PAGE_X"'],
  ['"type":"custom_html"', '"type":"kanban"'],
  ['"source":"module"', '"source":"formula"'],
  ['"requiredPolicy":"system_locked"', '"requiredPolicy":"sometimes"'],
  ['"schemaVersion":1', '"schemaVersion":2'],
] as const;

const OUR_ID = /^(frm|lay|ver|mem|rol|org|obj|asg|fld|mod)_/;

/** @param known our ids that have the first numbers, from 100 */
export function speaksNewer(known: readonly string[] = []): Manner {
  const numbers = new Map<string, number>();
  const ids = new Map<string, string>();
  const numberOf = (id: string) => {
    if (!numbers.has(id)) {
      numbers.set(id, 100 + numbers.size);
      ids.set(String(100 + ids.size), id);
    }
    return numbers.get(id)!;
  };

  known.forEach(numberOf);

  function toTheirs(value: unknown, member = ""): unknown {
    if (Array.isArray(value)) {
      const items = value.map((each) => toTheirs(each));
      return MODES_OF.has(member) && value.length > 0 ? [...items, "WORKSPACE"] : items;
    }
    if (isJsonObject(value)) return mapped(value, toTheirs);
    return typeof value === "string" && OUR_ID.test(value) ? numberOf(value) : value;
  }

  function toOurs(value: unknown, member = ""): unknown {
    if (Array.isArray(value)) {
      const items = value.map((each) => toOurs(each));
      return MODES_OF.has(member) ? items.filter((mode) => mode !== "WORKSPACE") : items;
    }
    if (isJsonObject(value)) return mapped(value, toOurs);
    return typeof value === "string" && member.endsWith("Id") ? (ids.get(value) ?? value) : value;
  }

  return {
    request(asked) {
      asked.path = asked.path.replace(/[^/]+/g, (step) => ids.get(step) ?? step);
      asked.query = new URLSearchParams();
      if (asked.body) asked.body = replaced(toOurs(asked.body), 1, 0) as JsonObject;
      return undefined;
    },
    answer: ({ body, ...reply }) => ({
      ...reply,
      ...(body !== undefined && { body: replaced(toTheirs(body), 0, 1) }),
    }),
  };
}

/** Members that list modes. */
const MODES_OF = new Set(["types", "supportedModes"]);

function mapped(record: object, map: (value: unknown, member: string) => unknown): object {
  return Object.fromEntries(Object.entries(record).map(([member, value]) => [member, map(value, member)]));
}

function replaced(value: unknown, from: 0 | 1, to: 0 | 1): unknown {
  const text = WORDS.reduce((done, pair) => done.replaceAll(pair[from], pair[to]), JSON.stringify(value));
  return JSON.parse(text) as unknown;
}
