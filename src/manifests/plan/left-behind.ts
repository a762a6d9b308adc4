/** What the lock knows and no manifest describes any more, and what is there all the same: a missing manifest may be its new name. */

import { placeOf } from "../current/layout-state.ts";
import type { Lock, LockedResource } from "../lock.ts";
import type { Wanted, WantedForm, WantedLayout } from "../manifest.ts";
import type { Current } from "../state.ts";
import { objectText } from "../subject.ts";

/** A record that is there, that the lock knows, and that no manifest describes. `name` is what it is called there now. */
export type Former = {
  id: string;
  name: string;
  /** Another record there has that name too, so that `renamedFrom` would mean neither. */
  isTwin: boolean;
};

/** The lock as the files of the manifests see it. */
export type NamingLock = Pick<Lock, "get" | "entries"> & { fileOf(address: string): string | undefined };

/** What stands before the name: a manifest and what it may have been called stand in the same room. */
export function roomOf({ address, name }: Wanted): string {
  return address.slice(0, -name.length);
}

export type Left = { former: Former; room: string; locked: LockedResource };

/** Not described, neither under the name that the lock has nor under its present one. */
export function leftBehind(
  missing: readonly Wanted[],
  current: Current,
  lock: NamingLock,
  taken: ReadonlySet<string>,
): Left[] {
  const known = [...lock.entries()].filter(([address, { layoutId }]) => layoutId !== undefined && !taken.has(address));
  if (known.length === 0) return [];
  // A list of forms may leave their layouts out.
  const byId = new Map(
    known.flatMap(([, locked]) => [[locked.layoutId, locked] as const, [locked.formId, locked] as const]),
  );
  const rooms = new Map(missing.map((each) => [roomOf(each), each]));
  return [...rooms].flatMap(([room, each]) => {
    const { names, others } = each.kind === "Form" ? formsOf(each, current) : layoutsOf(each, current, known);
    const borne = Map.groupBy(names, (name) => name);
    return others.flatMap(({ id, name, layoutId }): Left[] => {
      const isTaken = taken.has(`${room}${name}`) || current.leftAside.has(id);
      const locked = isTaken ? undefined : byId.get(layoutId ?? id);
      return locked ? [{ former: { id, name, isTwin: (borne.get(name)?.length ?? 0) > 1 }, room, locked }] : [];
    });
  });
}

/** What is there in a room: the names of all, and those that no manifest means. */
type InRoom = { names: string[]; others: { id: string; name: string; layoutId: string | undefined }[] };

function formsOf({ object }: WantedForm, current: Current): InRoom {
  const all = current.objects.get(objectText(object))?.forms ?? [];
  const kept = new Set(current.forms.values());
  const others = all.filter((state) => !kept.has(state));
  return {
    names: all.map(({ form }) => form.name),
    others: others.map(({ form: { id, name, viewLayoutId: layoutId } }) => ({ id, name, layoutId })),
  };
}

/** Where none are listed, the lock is all that tells of one. */
function layoutsOf(each: WantedLayout, current: Current, known: readonly [string, LockedResource][]): InRoom {
  const room = roomOf(each);
  const listed = current.otherLayouts.filter(({ place }) => place === placeOf(each));
  const locked = known.flatMap(([address, { layoutId }]) =>
    address.startsWith(room) ? [{ id: layoutId!, name: address.slice(room.length) }] : [],
  );
  const others = (current.listsLayouts ? listed : locked).map((other) => ({ ...other, layoutId: other.id }));
  const meant = [...current.layouts].flatMap(([address, { name }]) => (address.startsWith(room) ? (name ?? []) : []));
  return { names: [...meant, ...others.map(({ name }) => name)], others };
}
