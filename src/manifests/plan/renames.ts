/**
 * Manifests of what is not there that look like another name of what is: a place may have missed a rename, or `renamedFrom` has
 * gone from the file again. It is a guess: it is told, and nothing is done about it.
 */

import type { Located } from "../../schemas/diagnostic.ts";
import { settledDigest, withoutStamp } from "../content/content.ts";
import { placeOf } from "../current/layout-state.ts";
import { surfaceOf } from "../current/in-place.ts";
import type { Lock, LockedResource } from "../lock.ts";
import type { Wanted } from "../manifest.ts";
import type { Current } from "../state.ts";
import { objectText } from "../subject.ts";

/** A record that is there, that the lock knows, and that no manifest describes. `name` is what it is called there now. */
export type Former = { id: string; name: string };

export type LikelyRename = { wanted: Wanted; from: readonly Former[] };

/** The lock as the files of the manifests see it. */
export type NamingLock = Pick<Lock, "get" | "entries"> & { fileOf(address: string): string | undefined };

/**
 * By the address of the manifest. It takes that the lock has had the other one from the same file, or with the same content.
 *
 * @param described addresses that manifests beside these describe
 */
export function likelyRenames(
  wanted: readonly Wanted[],
  current: Current,
  lock: NamingLock,
  described: ReadonlySet<string> = new Set(),
): Map<string, LikelyRename> {
  const renames = new Map<string, LikelyRename>();
  const isThere = ({ address }: Wanted) => current.forms.has(address) || current.layouts.has(address);
  const missing = wanted.filter((each) => !isThere(each) && !lock.get(each.address));
  if (missing.length === 0) return renames;
  const taken = new Set([...described, ...wanted.flatMap(addressesOf)]);
  const left = leftBehind(missing, current, lock, taken);
  for (const each of left.length === 0 ? [] : missing) {
    const file = lock.fileOf(each.address);
    const digest = each.content && settledDigest(withoutStamp(each.content), surfaceOf(each));
    const isLike = ({ room, locked }: Left) =>
      room === roomOf(each) &&
      ((file !== undefined && locked.file === file) || (digest !== undefined && locked.base["content"] === digest));
    const from = left.filter(isLike).map(({ former }) => former);
    if (from.length > 0) renames.set(each.address, { wanted: each, from });
  }
  return renames;
}

function addressesOf({ address, formerAddress }: Wanted): string[] {
  return formerAddress === undefined ? [address] : [address, formerAddress];
}

/** What stands before the name: a manifest and what it may have been called stand in the same room. */
function roomOf({ address, name }: Wanted): string {
  return address.slice(0, -name.length);
}

type Left = { former: Former; room: string; locked: LockedResource };

/** What the lock knows and nobody describes, neither under the name that the lock has nor under its present one. */
function leftBehind(
  missing: readonly Wanted[],
  current: Current,
  lock: NamingLock,
  taken: ReadonlySet<string>,
): Left[] {
  const known = [...lock.entries()].filter(([address, { layoutId }]) => layoutId !== undefined && !taken.has(address));
  if (known.length === 0) return [];
  const byLayout = new Map(known.map(([, locked]) => [locked.layoutId!, locked]));
  const kept = new Set(current.forms.values());
  const recordsOf = (each: Wanted, room: string): (Former & { layoutId: string })[] => {
    if (each.kind === "Form") {
      const forms = current.objects.get(objectText(each.object))?.forms ?? [];
      const others = forms.filter((state) => !kept.has(state));
      return others.map(({ form: { id, name, viewLayoutId: layoutId } }) => ({ id, name, layoutId }));
    }
    // Where none are listed, the lock is all that tells of one.
    const others = current.listsLayouts
      ? current.otherLayouts.filter(({ place }) => place === placeOf(each))
      : known.flatMap(([address, { layoutId }]) =>
          address.startsWith(room) ? [{ id: layoutId!, name: address.slice(room.length) }] : [],
        );
    return others.map(({ id, name }) => ({ id, name, layoutId: id }));
  };
  const rooms = new Map(missing.map((each) => [roomOf(each), each]));
  return [...rooms].flatMap(([room, each]) =>
    recordsOf(each, room).flatMap(({ id, name, layoutId }): Left[] => {
      const isTaken = taken.has(`${room}${name}`) || current.leftAside.has(id);
      const locked = isTaken ? undefined : byLayout.get(layoutId);
      return locked ? [{ former: { id, name }, room, locked }] : [];
    }),
  );
}

/** What to do about it, for the manifest. */
export function renameNote({ wanted, from }: LikelyRename): string {
  const names = from.map(({ name }) => JSON.stringify(name));
  const likely = `looks like a rename of ${names.join(" or ")}, which no manifest describes any more`;
  const { kind, name, address, formerAddress } = wanted;
  const another = `another ${kind.toLowerCase()} is made`;
  if (formerAddress === undefined) return `${likely}. Add renamedFrom: ${names[0]}, or ${another}`;
  const former = JSON.stringify(formerAddress.slice(address.length - name.length));
  return `${likely}. renamedFrom says ${former}, which is not there: say ${names[0]} for this place, or ${another}`;
}

/** The same as a warning at its line. */
export function renameWarning(rename: LikelyRename): Located {
  const path = rename.wanted.formerAddress === undefined ? "name" : "renamedFrom";
  return rename.wanted.locate({ severity: "warning", code: "RENAME_LIKELY", message: renameNote(rename), path });
}

/** By the id of a form, what its deletion may really be: whoever consents to it reads this first. */
export function deletedRenames(renames: ReadonlyMap<string, LikelyRename>): Map<string, string> {
  const words = new Map<string, string>();
  for (const { wanted, from } of renames.values()) {
    const { file, line } = renameWarning({ wanted, from });
    const now = `what ${file}:${line} calls ${JSON.stringify(wanted.name)} now`;
    for (const { id, name } of from)
      words.set(id, `it looks like ${now}, and renamedFrom: ${JSON.stringify(name)} there would keep it`);
  }
  return words;
}
