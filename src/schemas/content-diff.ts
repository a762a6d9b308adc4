/** Compares two contents of a layout. Recognizes moved items that have an identity, such as blocks. */

import { canonicalJson, isJsonObject, type JsonObject } from "./json.ts";
import { longestRise } from "../base/longest-rise.ts";
import { formatPath, type PathStep } from "./path.ts";

/**
 * A change between two contents. `path` is the path in the new content. For a removed part, `path` is the path in the
 * old content. `id` is the identity of the changed item, or of the nearest item that contains the change. For a move,
 * `before` and `after` are the old and the new path. Other changes of a moved item are separate changes.
 */
export type Change = {
  kind: "added" | "removed" | "changed" | "moved";
  path: string;
  id?: string;
  before?: unknown;
  after?: unknown;
};

/** The lists whose items have an identity. `kind` is the kind of the items, and `by` is the identifying member. */
const IDENTIFIED: Record<string, { kind: string; by: string } | undefined> = {
  regions: { kind: "region", by: "key" },
  blocks: { kind: "block", by: "id" },
  children: { kind: "block", by: "id" },
  stagedFieldDefinitions: { kind: "field", by: "draftId" },
  scriptBindings: { kind: "binding", by: "id" },
};

type Item = {
  id: string;
  /** The path of the list that contains the item. The items of one list share one array. */
  listPath: readonly PathStep[];
  /**
   * A name for the list that contains the item, built from the identity of the list's owner. The owner is another item,
   * or the content. A list has the same name in both contents, even if the owner is moved.
   */
  list: string;
  index: number;
  /**
   * The item without the lists in {@link IDENTIFIED}. `Side.items` has its own entries for the items of these lists.
   */
  shell: JsonObject;
};

type Side = { root: unknown; items: Map<string, Item> };

/**
 * Returns the changes from `before` to `after`, two JSON values.
 * - At any depth, regions are identified by `key`, blocks and bindings by `id`, and staged fields by `draftId`.
 * - In all other lists of objects, items are compared by position. The same applies to a list in which an identity is
 *   missing or repeated.
 * - A list of scalars is compared as one value.
 *
 * Takes linear time, except for the order of moved items (n log n).
 */
export function diffContent(before: unknown, after: unknown): Change[] {
  const plain = new Set<object>();
  const old = takeApart(before, plain);
  const now = takeApart(after, plain);
  const changes: Change[] = [];
  compare(old.root, now.root, [], undefined, changes);
  for (const [identity, item] of old.items) {
    if (now.items.has(identity)) continue;
    changes.push({ kind: "removed", path: formatPath(pathOf(item)), id: item.id, before: item.shell });
  }
  const moved = movedItems(old.items, now.items);
  for (const [identity, item] of now.items) {
    const earlier = old.items.get(identity);
    if (!earlier) {
      changes.push({ kind: "added", path: formatPath(pathOf(item)), id: item.id, after: item.shell });
      continue;
    }
    if (moved.has(identity)) {
      const path = formatPath(pathOf(item));
      changes.push({ kind: "moved", path, id: item.id, before: formatPath(pathOf(earlier)), after: path });
    }
    if (earlier.shell !== item.shell) compare(earlier.shell, item.shell, pathOf(item), item.id, changes);
  }
  return changes;
}

function pathOf({ listPath, index }: Item): PathStep[] {
  return [...listPath, index];
}

/**
 * Splits a content into the items with an identity, and the remaining values.
 *
 * @param plain collects the items that contain no other items. The calls for the two contents share it: often both
 *   contents contain the same object, and such an object is searched only once
 */
function takeApart(content: unknown, plain: Set<object>): Side {
  const items = new Map<string, Item>();
  let lists = 0;

  /** The path of the value that is taken apart. */
  const path: PathStep[] = [];

  /**
   * Returns a value without its items. A value without items is returned as the same object. So `compare` recognizes
   * common parts of the two contents with `===`.
   */
  function strip(value: unknown, owner: string): unknown {
    if (typeof value !== "object" || value === null) return value;
    return Array.isArray(value) ? stripList(value, owner) : stripObject(value as JsonObject, owner);
  }

  function stripAt(step: PathStep, value: unknown, owner: string): unknown {
    path.push(step);
    const shell = strip(value, owner);
    path.pop();
    return shell;
  }

  function stripList(list: unknown[], owner: string): unknown[] {
    let shells: unknown[] | undefined;
    for (let index = 0; index < list.length; index++) {
      const shell = stripAt(index, list[index], owner);
      if (shell !== list[index]) (shells ??= list.slice())[index] = shell;
    }
    return shells ?? list;
  }

  function stripObject(members: JsonObject, owner: string): JsonObject {
    let shell: JsonObject | undefined;
    for (const name of Object.keys(members)) {
      const member = members[name];
      if (typeof member !== "object" || member === null) continue;
      const identified = Array.isArray(member) ? identify(name, member) : undefined;
      if (identified) lists++;
      if (!identified || identified.some(([identity]) => items.has(identity))) {
        const stripped = stripAt(name, member, owner);
        if (stripped !== member) (shell ??= { ...members })[name] = stripped;
        continue;
      }
      delete (shell ??= { ...members })[name];
      path.push(name);
      const listPath = path.slice();
      const listName = `${owner}/${name}`;
      for (const [index, [identity, id, item]] of identified.entries()) {
        const entry: Item = { id, listPath, list: listName, index, shell: item };
        items.set(identity, entry);
        if (plain.has(item)) continue;
        const before = lists;
        entry.shell = stripAt(index, item, identity) as JsonObject;
        if (lists === before) plain.add(item);
      }
      path.pop();
    }
    return shell ?? members;
  }

  return { root: strip(content, ""), items };
}

/**
 * Returns the items of a list, each with its identity. Returns undefined in these cases:
 * - lists called `name` are not in {@link IDENTIFIED}
 * - an item has no identity
 * - two items have the same identity
 */
function identify(
  name: string,
  list: readonly unknown[],
): [identity: string, id: string, item: JsonObject][] | undefined {
  const identified = Object.hasOwn(IDENTIFIED, name) ? IDENTIFIED[name] : undefined;
  if (!identified) return undefined;
  const found: [string, string, JsonObject][] = [];
  const ids = new Set<string>();
  for (const item of list) {
    const id = isJsonObject(item) ? item[identified.by] : undefined;
    if (typeof id !== "string") return undefined;
    ids.add(id);
    found.push([`${identified.kind} ${id}`, id, item as JsonObject]);
  }
  return ids.size === found.length ? found : undefined;
}

/**
 * Returns the moved items. An item that is now in another list has moved. Within a list, the result has the fewest
 * items whose move explains the new order.
 */
function movedItems(old: ReadonlyMap<string, Item>, now: ReadonlyMap<string, Item>): Set<string> {
  const moved = new Set<string>();
  const stayed = new Map<string, { identity: string; index: number }[]>();
  for (const [identity, item] of now) {
    const earlier = old.get(identity);
    if (!earlier) continue;
    if (earlier.list !== item.list) {
      moved.add(identity);
      continue;
    }
    const list = stayed.get(item.list) ?? [];
    stayed.set(item.list, list);
    list.push({ identity, index: earlier.index });
  }
  for (const items of stayed.values()) {
    const kept = longestRise(items.map(({ index }) => index));
    for (const [position, { identity }] of items.entries()) if (!kept.has(position)) moved.add(identity);
  }
  return moved;
}

function compare(before: unknown, after: unknown, path: PathStep[], id: string | undefined, changes: Change[]): void {
  if (Object.is(before, after)) return;
  const owner = id === undefined ? {} : { id };
  if (isJsonObject(before) && isJsonObject(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      compare(before[name], after[name], [...path, name], id, changes);
    }
  } else if (isListOfContainers(before) && isListOfContainers(after)) {
    for (let index = 0; index < Math.max(before.length, after.length); index++) {
      compare(before[index], after[index], [...path, index], id, changes);
    }
  } else if (before === undefined) {
    changes.push({ kind: "added", path: formatPath(path), ...owner, after });
  } else if (after === undefined) {
    changes.push({ kind: "removed", path: formatPath(path), ...owner, before });
  } else if (canonicalJson(before) !== canonicalJson(after)) {
    changes.push({ kind: "changed", path: formatPath(path), ...owner, before, after });
  }
}

/** Lists of objects are compared item by item. A list of scalars, such as modes, is compared as one value. */
function isListOfContainers(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.every((item) => typeof item === "object");
}
