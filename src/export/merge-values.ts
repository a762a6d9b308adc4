/**
 * Merges a value of the target into a value of a file, node by node. These nodes stay as in the file:
 *
 * - a node that only the file has changed
 * - a `${NAME}` whose value equals the value of the target
 */

import { matchItems } from "../documents/match-items.ts";
import { identityOf, mergedOrder } from "../documents/item-identity.ts";
import { isJsonObject, type JsonObject, sameJson } from "../schemas/json.ts";
import { formatPath, type PathStep } from "../schemas/path.ts";
import { escapeTexts, mayHavePlaceholders } from "../manifests/read/environment.ts";

/**
 * A node that stays as in the file and differs from the target. `path` is its path in the document. `message` is the
 * reason for the conflict.
 */
export type Conflict = { path: string; message: string };

export type Sides = {
  /** The value as in the file, with placeholders. */
  raw: unknown;
  /** The value in the file, with placeholders substituted. */
  file: unknown;
  target: unknown;
  /** The value when file and target were last equal. If undefined, the merge takes the target. */
  base: { value: unknown } | undefined;
};

export const UNKNOWN_BASE =
  "differs from the target, and which side has changed it is unknown. To take it from the target, add --overwrite";

export class Merging {
  readonly conflicts: Conflict[] = [];

  /** Reports a conflict. @param members the members that differ, if the conflict is about the whole node */
  report(
    path: readonly PathStep[],
    message = "was changed differently in the file and on the target",
    members: readonly string[] = [],
  ): void {
    const more = members.length === 0 ? "" : `. It differs in ${members.join(", ")}`;
    this.conflicts.push({ path: formatPath(path), message: message + more });
  }

  /** Returns the merged value for the file, with placeholders. Undefined if the merge removes the value. */
  merge({ raw, file, target, base }: Sides, path: readonly PathStep[]): unknown {
    if (sameJson(file, target) || isSameText(raw, file, target)) return raw;
    if (base && sameJson(base.value, target)) return raw;
    if (isJsonObject(raw) && isJsonObject(file) && isJsonObject(target)) {
      return this.#mergeMembers(raw, file, target, base, path);
    }
    if (base && !sameJson(base.value, file)) {
      this.report(path);
      return raw;
    }
    if (Array.isArray(raw) && Array.isArray(file) && Array.isArray(target)) {
      return this.#mergeList(raw, file, target, path);
    }
    if (raw !== file && typeof raw === "string" && mayHavePlaceholders(raw)) {
      this.report(path, `contains ${raw}, whose value differs from the target`);
      return raw;
    }
    return escapeTexts(target);
  }

  #mergeMembers(
    raw: JsonObject,
    file: JsonObject,
    target: JsonObject,
    base: Sides["base"],
    path: readonly PathStep[],
  ): JsonObject {
    const result: JsonObject = {};
    for (const name of mergedOrder(Object.keys(raw), Object.keys(target))) {
      const sides = {
        raw: raw[name],
        file: file[name],
        target: target[name],
        base: base && { value: isJsonObject(base.value) ? base.value[name] : undefined },
      };
      const merged = this.merge(sides, [...path, name]);
      if (merged !== undefined) result[name] = merged;
    }
    return result;
  }

  /** Returns the list of the target. Items that are also in the file keep their text. */
  #mergeList(
    raw: readonly unknown[],
    file: readonly unknown[],
    target: readonly unknown[],
    path: readonly PathStep[],
  ): unknown[] {
    return matchItems(file, target, identityOf).map(({ old }, index) => {
      if (old === undefined) return escapeTexts(target[index]);
      const sides = { raw: raw[old], file: file[old], target: target[index], base: undefined };
      return this.merge(sides, [...path, old]);
    });
  }
}

/** Returns the names of the members in which two objects differ. Empty if one of the values is not an object. */
export function differingMembers(one: unknown, other: unknown): string[] {
  if (!isJsonObject(one) || !isJsonObject(other)) return [];
  return mergedOrder(Object.keys(one), Object.keys(other)).filter((name) => !sameJson(one[name], other[name]));
}

/**
 * Returns a list of texts. The texts that `before` also contains are first, in the order of `before`. Used for modes,
 * because the order of modes has no meaning. Returns any other value unchanged.
 */
export function likeOrder(before: unknown, list: unknown): unknown {
  if (!isListOfTexts(before) || !isListOfTexts(list)) return list;
  return [...before.filter((text) => list.includes(text)), ...list.filter((text) => !before.includes(text))];
}

function isListOfTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/**
 * Whether a placeholder has the value of the target as text. Example: in `priority: ${P}`, the text `5` for the number
 * 5.
 */
function isSameText(raw: unknown, file: unknown, target: unknown): boolean {
  return (
    raw !== file && typeof file === "string" && file === (typeof target === "string" ? target : JSON.stringify(target))
  );
}
