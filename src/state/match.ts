/**
 * Finds the record of each manifest. A record matches by its name, by its former name, or by its layout id in the lock.
 * Defines the error for manifests that could mean several records.
 */

import { FormctlError } from "../base/error.ts";

/** The ids of several records that one manifest could mean, with a message. */
export type Ambiguity = { address: string; message: string; ids: readonly string[] };

export class AmbiguousNames extends FormctlError {
  override readonly name = "AmbiguousNames";
  readonly ambiguities: readonly Ambiguity[];

  constructor(
    ambiguities: readonly Ambiguity[],
    hint = "Rename or delete one of them, so that the manifest means one record.",
  ) {
    const [first] = ambiguities;
    const more = ambiguities.length > 1 ? ` (and ${ambiguities.length - 1} more)` : "";
    super("AMBIGUOUS_NAME", `${first?.message ?? "a name is ambiguous"}${more}`, hint);
    this.ambiguities = ambiguities;
  }
}

/**
 * A manifest whose record is looked for among the forms of its object, or among the layouts of its surface and target.
 */
export type Sought = {
  address: string;
  name: string;
  formerName?: string | undefined;
  /** The layout id in the lock. Undefined if the lock has none. */
  layoutId: string | undefined;
};
export type NamedRecord = { id: string; name: string; layoutId: string | undefined };

/**
 * Returns the record of each manifest, by address. A manifest without a record, or with several possible records, is
 * not in `matches`.
 */
export function matchNames<T extends NamedRecord>(
  sought: readonly Sought[],
  records: readonly T[],
): { matches: Map<string, T>; ambiguities: Ambiguity[] } {
  const byName = Map.groupBy(records, ({ name }) => name);
  const claimed = new Set(sought.map(({ name }) => name));
  const matches = new Map<string, T>();
  const ambiguities: Ambiguity[] = [];
  const refuse = (address: string, message: string, found: readonly T[]) =>
    ambiguities.push({ address, message, ids: found.map(({ id }) => id) });
  const unmatched: Sought[] = [];

  for (const each of sought) {
    const { address, name, formerName } = each;
    const named = byName.get(name) ?? [];
    const former = formerName === undefined ? [] : (byName.get(formerName) ?? []);
    const ids = (found: readonly T[]) => found.map(({ id }) => id).join(", ");
    if (named.length > 1) {
      refuse(address, `${named.length} records are named "${name}": ${ids(named)}`, named);
    } else if (named.length === 1 && former.length > 0 && !claimed.has(formerName!)) {
      const both = [...named, ...former];
      const next = "remove renamedFrom if the rename is done";
      refuse(address, `both "${name}" and its former name "${formerName}" exist: ${ids(both)}; ${next}`, both);
    } else if (named.length === 1) {
      matches.set(address, named[0]!);
    } else if (former.length > 1) {
      refuse(address, `${former.length} records have the former name "${formerName}": ${ids(former)}`, former);
    } else if (former.length === 1 && claimed.has(formerName!)) {
      refuse(address, `its former name "${formerName}" is the name of another manifest: ${ids(former)}`, former);
    } else if (former.length === 1) {
      matches.set(address, former[0]!);
    } else {
      unmatched.push(each);
    }
  }
  // The remaining manifests match by layout id, because a user may have renamed the records on the target.
  const taken = new Set([...matches.values()].map(({ id }) => id));
  const free = unmatched.length === 0 ? [] : records.filter(({ id, name }) => !taken.has(id) && !claimed.has(name));
  const byLayout = new Map(free.map((record) => [record.layoutId, record]));
  for (const { address, layoutId } of unmatched) {
    const renamed = layoutId === undefined ? undefined : byLayout.get(layoutId);
    if (renamed) matches.set(address, renamed);
  }
  return { matches, ambiguities };
}
