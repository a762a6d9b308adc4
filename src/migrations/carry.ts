/**
 * Carries the changes of a value over to the document from which the value was read. The document may contain
 * placeholders (`${NAME}`), and omit ids and defaults that the value has. What did not change stays as in the document.
 */

import { type IdentityOf, matchItems } from "../documents/match-items.ts";
import { identityOf, mergedOrder } from "../documents/item-identity.ts";
import { escapeTexts, mayHavePlaceholders } from "../manifests/read/environment.ts";
import { canonicalJson, isJsonObject, type JsonObject, sameJson } from "../schemas/json.ts";
import { formatPath, type PathStep } from "../schemas/path.ts";

/** A change that can't be made in the document. `path` is a path in the document. */
export type CarryProblem = { path: string; message: string };

/**
 * An item of a list. `raw` is the item in the document. `before` is its value before the change. `name` is its identity
 * for `identityOf`.
 */
type Origin = { raw: unknown; before: unknown; path: readonly PathStep[]; name: string };

/** Carries the changes of one document. `problems` collects the changes that can't be made. */
export class Carrying {
  readonly problems: CarryProblem[] = [];
  /** The blocks of the document by their ids. A block keeps its text if it moves to another list. */
  readonly #blocks = new Map<string, Origin>();
  /** The names of items, by the canonical JSON of the item: `current` as in the document, `target` after the change. */
  readonly #names = { current: new Map<string, string>(), target: new Map<string, string>() };

  /** Registers the blocks of a layout, so that moved blocks are found. @param path the path of `blocks` */
  addBlocks(raw: unknown, before: unknown, path: readonly PathStep[]): void {
    if (!Array.isArray(raw) || !Array.isArray(before)) return;
    for (const [index, block] of before.entries()) {
      const rawBlock: unknown = raw[index];
      if (!isJsonObject(block) || !isJsonObject(rawBlock)) continue;
      const { id, children } = block;
      if (typeof id === "string") this.#blocks.set(id, this.#originOf(rawBlock, block, [...path, index]));
      this.addBlocks(rawBlock["children"], children, [...path, index, "children"]);
    }
  }

  /** Returns the path of a block in the document. Undefined if the document has no such block. */
  pathOf(id: string): string | undefined {
    const origin = this.#blocks.get(id);
    return origin && formatPath(origin.path);
  }

  /** Returns `raw` with the differences between `before` and `wanted`. Undefined if the value is to be removed. */
  carry(raw: unknown, before: unknown, wanted: unknown, path: readonly PathStep[]): unknown {
    if (sameJson(before, wanted)) return raw;
    if (typeof raw === "string" && mayHavePlaceholders(raw) && raw !== before) {
      const message = `contains ${raw}, and the migration changes its value. Change it by hand`;
      this.problems.push({ path: formatPath(path), message });
      return raw;
    }
    if (isJsonObject(raw) && isJsonObject(before) && isJsonObject(wanted)) {
      return this.#carryMembers(raw, before, wanted, path);
    }
    if (Array.isArray(raw) && Array.isArray(before) && Array.isArray(wanted)) {
      return this.#carryItems(raw, before, wanted, path);
    }
    if (Array.isArray(wanted)) return this.#carryItems([], [], wanted, path);
    return isJsonObject(wanted) ? this.#carryMembers({}, {}, wanted, path) : escapeTexts(wanted);
  }

  /**
   * Identifies an item of an edited list by its origin in the document. A changed or moved item then keeps its text.
   */
  readonly identityOf: IdentityOf = (item, side) => this.#names[side].get(canonicalJson(item)) ?? identityOf(item);

  #carryMembers(raw: JsonObject, before: JsonObject, wanted: JsonObject, path: readonly PathStep[]): JsonObject {
    const result: JsonObject = {};
    for (const name of mergedOrder(Object.keys(raw), Object.keys(wanted))) {
      const carried = this.carry(raw[name], before[name], wanted[name], [...path, name]);
      if (carried !== undefined) result[name] = carried;
    }
    return result;
  }

  #carryItems(
    raw: readonly unknown[],
    before: readonly unknown[],
    wanted: readonly unknown[],
    path: readonly PathStep[],
  ): unknown[] {
    const isOfBlocks = path.at(-1) === "blocks" || path.at(-1) === "children";
    const matched = matchItems(before, wanted, identityOf);
    return wanted.map((item, index) => {
      const old = matched[index]!.old ?? renamedItem(before, wanted, matched, index);
      const found = isOfBlocks ? this.#blockOf(item) : undefined;
      const origin = found ?? (old === undefined ? undefined : this.#originOf(raw[old], before[old], [...path, old]));
      if (!origin) return this.carry(undefined, undefined, item, [...path, index]);
      const carried = this.carry(origin.raw, origin.before, item, origin.path);
      if (isJsonObject(carried)) this.#names.target.set(canonicalJson(carried), origin.name);
      return carried;
    });
  }

  #blockOf(item: unknown): Origin | undefined {
    const id = isJsonObject(item) ? item["id"] : undefined;
    return typeof id === "string" ? this.#blocks.get(id) : undefined;
  }

  #originOf(raw: unknown, before: unknown, path: readonly PathStep[]): Origin {
    const text = canonicalJson(raw);
    const name = this.#names.current.get(text) ?? `origin ${this.#names.current.size}`;
    if (isJsonObject(raw)) this.#names.current.set(text, name);
    return { raw, before, path, name };
  }
}

/**
 * Returns the former index of an item whose identity changed, such as a region with a new key. The item is assumed to
 * keep its index. Undefined if the lists differ in length or another item matches the former item.
 */
function renamedItem(
  before: readonly unknown[],
  wanted: readonly unknown[],
  matched: readonly { old: number | undefined }[],
  index: number,
): number | undefined {
  const isFree = before.length === wanted.length && matched.every(({ old }) => old !== index);
  return isFree && isJsonObject(before[index]) && isJsonObject(wanted[index]) ? index : undefined;
}
