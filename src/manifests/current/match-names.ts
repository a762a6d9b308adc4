/** Which record a manifest means: by its name, by the name that it had before, or as the one that it made. */

import type { Ambiguity } from "./read-errors.ts";

/** What is looked for in one place: the forms of an object, or the layouts of a surface and target. */
export type Sought = {
  address: string;
  name: string;
  formerName?: string | undefined;
  /** The layout that was made for it, where that is known. */
  layoutId: string | undefined;
};
export type Found = { id: string; name: string; layoutId: string | undefined };

/**
 * The record of each address; one that is not there has none. A record that was made for the address before, and that nobody
 * else's name means, is found by its id though it has been renamed there.
 */
export function matchNames<T extends Found>(
  sought: readonly Sought[],
  records: readonly T[],
): { matches: Map<string, T>; ambiguities: Ambiguity[] } {
  const byName = Map.groupBy(records, ({ name }) => name);
  const claimed = new Set(sought.map(({ name }) => name));
  const matches = new Map<string, T>();
  const ambiguities: Ambiguity[] = [];
  const complain = (address: string, message: string, found: readonly T[]) =>
    ambiguities.push({ address, message, ids: found.map(({ id }) => id) });
  const lost: Sought[] = [];

  for (const each of sought) {
    const { address, name, formerName } = each;
    const named = byName.get(name) ?? [];
    const former = formerName === undefined ? [] : (byName.get(formerName) ?? []);
    const ids = (found: readonly T[]) => found.map(({ id }) => id).join(", ");
    if (named.length > 1) {
      complain(address, `${named.length} records are named "${name}": ${ids(named)}`, named);
    } else if (named.length === 1 && former.length > 0 && !claimed.has(formerName!)) {
      const both = [...named, ...former];
      const way = "remove renamedFrom where the renaming is done";
      complain(address, `both "${name}" and "${formerName}", its name before, are there: ${ids(both)}; ${way}`, both);
    } else if (named.length === 1) {
      matches.set(address, named[0]!);
    } else if (former.length > 1) {
      complain(address, `${former.length} records are named "${formerName}", its name before: ${ids(former)}`, former);
    } else if (former.length === 1 && claimed.has(formerName!)) {
      complain(address, `"${formerName}", its name before, is the name of another manifest: ${ids(former)}`, former);
    } else if (former.length === 1) {
      matches.set(address, former[0]!);
    } else {
      lost.push(each);
    }
  }
  const taken = new Set([...matches.values()].map(({ id }) => id));
  const free = lost.length === 0 ? [] : records.filter(({ id, name }) => !taken.has(id) && !claimed.has(name));
  const byLayout = new Map(free.map((record) => [record.layoutId, record]));
  for (const { address, layoutId } of lost) {
    const made = layoutId === undefined ? undefined : byLayout.get(layoutId);
    if (made) matches.set(address, made);
  }
  return { matches, ambiguities };
}
