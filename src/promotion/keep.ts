/**
 * `promote.keep` in the project file names members that a promotion doesn't change. This module removes the kept
 * members from the copied manifest. A kept path may end inside a member. Then the member is copied, with the target's
 * value at that path.
 */

import { FormctlError } from "../base/error.ts";
import type { Wanted } from "../manifests/manifest.ts";
import { withoutStamp } from "../contents/compare.ts";
import type { Current } from "../state/state.ts";
import { isJsonObject, type JsonObject } from "../schemas/json.ts";
import { type KeepRules, type KeepStep, parseKeepPath } from "../schemas/keep-path.ts";

/** A form or layout that is copied. `layout` is the content, and `members` are the other members of the manifest. */
type Copied = { members: JsonObject; layout: JsonObject | undefined };

export type Keeping = {
  /** Removes the kept members from what is copied. @param address the address on the target */
  withoutKept<T extends Copied>(address: string, copied: T): T;
  /** Adds the kept parts of members, with the values of the target. A member that is kept as a whole stays absent. */
  withCurrent(wanted: Wanted, current: Current): Wanted;
};

/** Returns the functions that apply the rules. @throws INVALID_VALUE if a path is invalid */
export function openKeeping(rules: KeepRules): Keeping {
  const parsed = Object.entries(rules).map(([pattern, paths]) => ({
    matches: patternOf(pattern),
    paths: paths.map((path) => {
      const read = parseKeepPath(path);
      if ("problem" in read) throw new FormctlError("INVALID_VALUE", `the kept path ${path} ${read.problem}`);
      return read.steps;
    }),
  }));
  const pathsOf = (address: string) => parsed.flatMap(({ matches, paths }) => (matches.test(address) ? paths : []));
  return {
    withoutKept(address, copied) {
      const paths = pathsOf(address);
      if (paths.length === 0) return copied;
      const members: JsonObject = structuredClone({ ...copied.members, layout: copied.layout });
      for (const path of paths) set(members, path, undefined);
      const { layout, publish, ...rest } = members;
      const isKept = layout === undefined && copied.layout !== undefined;
      // `publish` is about the layout, so it is removed if the layout is kept.
      const own = publish === undefined || isKept ? rest : { ...rest, publish };
      return { ...copied, members: own, layout: layout as JsonObject | undefined };
    },
    withCurrent(wanted, current) {
      const paths = pathsOf(wanted.address).filter(({ length }) => length > 1);
      return paths.reduce((kept, path) => withValue(kept, path, current), wanted);
    },
  };
}

/** Returns a pattern for addresses, in which `*` matches any text. */
function patternOf(text: string): RegExp {
  const escaped = text.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${escaped.join("[^]*")}$`);
}

/** Returns the manifest with the value of the target at a path. If the target has no value, the manifest has none. */
function withValue(wanted: Wanted, [first, ...path]: readonly KeepStep[], current: Current): Wanted {
  const member = first && "member" in first ? first.member : "";
  if (member === "layout") return withContentValue(wanted, path, current);
  const form = wanted.kind === "Form" ? current.forms.get(wanted.address)?.form : undefined;
  const state = wanted.kind === "Form" ? form : current.layouts.get(wanted.address);
  if (!state || !Object.hasOwn(wanted, member)) return wanted;
  const now = (state as JsonObject)[member];
  const { [member]: copied, ...others } = wanted as unknown as JsonObject;
  // If the server does not show the member, the kept part is unknown. Then no part of the member is written.
  if (now === undefined) return others as unknown as Wanted;
  const value = get(now, path);
  const isEmpty = isJsonObject(copied) && Object.keys(copied).length === 0;
  if (value === undefined)
    return isEmpty && now === null ? ({ ...others, [member]: null } as unknown as Wanted) : wanted;
  const kept = isJsonObject(copied) ? structuredClone(copied) : {};
  set(kept, path, value);
  return { ...others, [member]: kept } as unknown as Wanted;
}

function withContentValue(wanted: Wanted, path: readonly KeepStep[], current: Current): Wanted {
  const state = current.forms.get(wanted.address) ?? current.layouts.get(wanted.address);
  // If the published content equals `wanted.content`, the current content is not in memory. `wanted.content` has no
  // kept values, so there is nothing to copy.
  if (!wanted.content || !state?.content) return wanted;
  const { published, draft, isHidden } = state.content;
  if (isHidden) {
    const { content: _unwritten, ...others } = wanted;
    return others;
  }
  const version = wanted.publish ? published : (draft ?? published);
  const value = version ? get(withoutStamp(version.content), path) : undefined;
  if (value === undefined) return wanted;
  const content = structuredClone(wanted.content);
  set(content, path, value);
  return { ...wanted, content };
}

function get(value: unknown, path: readonly KeepStep[]): unknown {
  let at = value;
  let list: unknown;
  for (const step of path) {
    if ("item" in step) at = findItem(list, step.item);
    else {
      at = isJsonObject(at) ? at[step.member] : undefined;
      list = at;
    }
  }
  return at;
}

/**
 * Sets the value at a path. Undefined removes the value. Missing objects on the path are created. Missing items are not
 * created: a block that is not in the layout has no member to keep.
 */
function set(root: JsonObject, path: readonly KeepStep[], value: unknown): void {
  let at: JsonObject = root;
  for (const [index, step] of path.entries()) {
    const isLast = index === path.length - 1;
    if ("item" in step) continue;
    const next = path[index + 1];
    if (isLast) {
      if (value === undefined) delete at[step.member];
      else at[step.member] = value;
      return;
    }
    if (next && "item" in next) {
      const found = findItem(at[step.member], next.item);
      if (!found) return;
      at = found;
    } else {
      if (!isJsonObject(at[step.member])) {
        if (value === undefined) return;
        at[step.member] = {};
      }
      at = at[step.member] as JsonObject;
    }
  }
}

/** Finds a block or script binding by its id, or a region by its key. Blocks are found at any depth. */
function findItem(list: unknown, name: string): JsonObject | undefined {
  if (!Array.isArray(list)) return undefined;
  for (const item of list as unknown[]) {
    if (!isJsonObject(item)) continue;
    if (item["id"] === name || (item["id"] === undefined && item["key"] === name)) return item;
    const below = findItem(item["children"], name);
    if (below) return below;
  }
  return undefined;
}
