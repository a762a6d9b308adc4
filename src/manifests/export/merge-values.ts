/** A value of a file, brought to what is there, node by node: what only the file has changed stays, and so do its `${…}`. */

import { matchItems } from "../../documents/match-items.ts";
import { isJsonObject, type JsonObject, sameJson } from "../../schemas/json.ts";
import { formatPath, type PathStep } from "../../schemas/path.ts";
import { mayHavePlaceholders } from "../read/environment.ts";
import { literally } from "./manifest-text.ts";

/** A node that was left as it is in the file, and why. `path` is one of the document in which it stands. */
export type Conflict = { path: string; message: string };

/** What a node was when both sides were the same; undefined where that is not known. */
export type Base = { value: unknown } | undefined;

export type Sides = {
  /** As the file has it, with `${…}` in it. */
  raw: unknown;
  /** What that means: the same with the environment filled in. */
  said: unknown;
  there: unknown;
  base: Base;
};

/** No lock, no stamp: it may be somebody's work of an hour ago. */
export const UNTOLD =
  "differs from what is there, and nothing tells who has changed it. With --overwrite what is there is taken";
const BOTH = "was changed in the file and there, each in another way";

export class Merging {
  readonly conflicts: Conflict[] = [];

  /** @param members those of the node in which both sides differ, where it is told as a whole */
  report(path: readonly PathStep[], message: string = BOTH, members: readonly string[] = []): void {
    const told = members.length === 0 ? message : `${message}. It differs in ${members.join(", ")}`;
    this.conflicts.push({ path: formatPath(path), message: told });
  }

  /** What the file shall have: undefined for nothing. */
  merge({ raw, said, there, base }: Sides, path: readonly PathStep[]): unknown {
    if (sameJson(said, there) || isSameText(raw, said, there)) return raw;
    if (base && sameJson(base.value, there)) return raw;
    if (isJsonObject(raw) && isJsonObject(said) && isJsonObject(there)) {
      return this.mergeMembers({ raw, said, there, base }, path);
    }
    if (base && !sameJson(base.value, said)) {
      this.report(path);
      return raw;
    }
    if (Array.isArray(raw) && Array.isArray(said) && Array.isArray(there))
      return this.mergeItems(raw, said, there, path);
    if (raw !== said && typeof raw === "string" && mayHavePlaceholders(raw)) {
      this.report(path, `holds ${raw}, and what that stands for is not what is there`);
      return raw;
    }
    return literally(there);
  }

  private mergeMembers(
    { raw, said, there, base }: { raw: JsonObject; said: JsonObject; there: JsonObject; base: Base },
    path: readonly PathStep[],
  ): JsonObject {
    const result: JsonObject = {};
    for (const name of mergedOrder(Object.keys(raw), Object.keys(there))) {
      const sides = {
        raw: raw[name],
        said: said[name],
        there: there[name],
        base: base && { value: isJsonObject(base.value) ? base.value[name] : undefined },
      };
      const merged = this.merge(sides, [...path, name]);
      if (merged !== undefined) result[name] = merged;
    }
    return result;
  }

  /** All of the list is taken; what of its items is the same keeps how it is written. */
  private mergeItems(
    raw: readonly unknown[],
    said: readonly unknown[],
    there: readonly unknown[],
    path: readonly PathStep[],
  ): unknown[] {
    return matchItems(said, there, identityOf).map(({ old }, index) => {
      if (old === undefined) return literally(there[index]);
      const sides = { raw: raw[old], said: said[old], there: there[index], base: undefined };
      return this.merge(sides, [...path, old]);
    });
  }
}

/** The members of two objects that are not the same; none where they are no objects. */
export function differingMembers(one: unknown, other: unknown): string[] {
  if (!isJsonObject(one) || !isJsonObject(other)) return [];
  return mergedOrder(Object.keys(one), Object.keys(other)).filter((name) => !sameJson(one[name], other[name]));
}

/** What tells the items of lists apart, in manifests and layouts. */
const IDENTITIES = ["id", "draftId", "membershipId", "member", "roleId", "role", "key"];

export function identityOf(item: JsonObject): string | undefined {
  const member = IDENTITIES.find((name) => typeof item[name] === "string");
  return member === undefined ? undefined : `${member} ${item[member] as string}`;
}

/** The names of both, each new one behind the one that it follows. */
export function mergedOrder(first: readonly string[], second: readonly string[]): string[] {
  const order = [...first];
  const known = new Set(first);
  let at = 0;
  for (const name of second) {
    if (known.has(name)) at = order.indexOf(name) + 1;
    else order.splice(at++, 0, name);
  }
  return order;
}

/** A list of texts in the order of another one, as far as it has the same: of modes the order means nothing. */
export function likeOrder(before: unknown, list: unknown): unknown {
  if (!isListOfTexts(before) || !isListOfTexts(list)) return list;
  return [...before.filter((text) => list.includes(text)), ...list.filter((text) => !before.includes(text))];
}

function isListOfTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** `priority: ${P}` says a number by a text. */
function isSameText(raw: unknown, said: unknown, there: unknown): boolean {
  return (
    raw !== said && typeof said === "string" && said === (typeof there === "string" ? there : JSON.stringify(there))
  );
}
