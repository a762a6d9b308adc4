/**
 * Detects likely renames. The manifest of such a rename has no `renamedFrom`, or a `renamedFrom` that matches no
 * record. (`state/match.ts` handles a `renamedFrom` that matches a record.) A rename is likely under three
 * conditions:
 *
 * - A manifest has no record.
 * - A record in the lock has no manifest.
 * - The manifest and the record have the same file or the same content.
 *
 * Such a rename is a guess. It is only reported: the plan does not use it.
 */

import type { Located } from "../schemas/diagnostic.ts";
import { settledDigest, withoutStamp } from "../contents/compare.ts";
import { pageKeyOf } from "../lists/layouts.ts";
import type { Lock, LockedResource } from "../state/lock.ts";
import { type Wanted, type WantedForm, type WantedLayout, addressesOf } from "../manifests/manifest.ts";
import { type Current, surfaceOf } from "../state/state.ts";
import { objectText } from "../lists/addresses.ts";

/** A record in the lock without a manifest, with its name on the target. */
export type Former = {
  id: string;
  name: string;
  /** Whether another record has the same name. `renamedFrom` would then be ambiguous. */
  isTwin: boolean;
};

export type LikelyRename = {
  wanted: Wanted;
  /** The possible former records, at least one. Several records are equally likely. */
  from: readonly Former[];
  /**
   * The number of manifests that are a likely rename of the same record in `from`. This manifest counts too. If `from`
   * has several records, this is the largest number among them.
   */
  alike: number;
};

export type NamingLock = Pick<Lock, "get" | "entries" | "fileOf">;

/**
 * Returns the likely renames, by the address of the manifest. A manifest and a record match by file, by content, or by
 * both. A user may rename all forms of a file. Then each manifest of the file matches each record of the file. So if a
 * manifest or a record has a match by both, its matches by file or content alone are ignored. A content without blocks
 * never matches, because all empty contents are equal.
 *
 * @param described addresses that manifests outside `wanted` describe
 */
export function likelyRenames(
  wanted: readonly Wanted[],
  current: Current,
  lock: NamingLock,
  described: ReadonlySet<string> = new Set(),
): Map<string, LikelyRename> {
  const renames = new Map<string, LikelyRename>();
  const exists = ({ address }: Wanted) => current.forms.has(address) || current.layouts.has(address);
  const missing = wanted.filter((each) => !exists(each) && !lock.get(each.address));
  if (missing.length === 0) return renames;
  const taken = new Set([...described, ...wanted.flatMap(addressesOf)]);
  const candidates = findCandidates(missing, current, lock, taken);
  const matches = missing.flatMap((each) => matchesOf(each, candidates, lock.fileOf(each.address)));
  const sure = matches.filter(({ isSure }) => isSure);
  const sureOf = new Set(sure.map(({ wanted: each }) => each));
  const sureFrom = new Set(sure.map(({ former }) => former));
  const likely = matches.filter(
    ({ isSure, wanted: each, former }) => isSure || !(sureOf.has(each) || sureFrom.has(former)),
  );
  const claims = Map.groupBy(likely, ({ former }) => former);
  for (const [each, own] of Map.groupBy(likely, ({ wanted: one }) => one)) {
    const from = own.map(({ former }) => former);
    const alike = Math.max(...from.map((former) => claims.get(former)!.length));
    renames.set(each.address, { wanted: each, from, alike });
  }
  return renames;
}

type Match = { wanted: Wanted; former: Former; isSure: boolean };

function matchesOf(wanted: Wanted, candidates: readonly Candidate[], file: string | undefined): Match[] {
  if (candidates.length === 0) return [];
  const { content } = wanted;
  const hasBlocks = content !== undefined && content.blocks.length > 0;
  const digest = hasBlocks ? settledDigest(withoutStamp(content), surfaceOf(wanted)) : undefined;
  const prefix = prefixOf(wanted);
  return candidates.flatMap(({ former, prefix: other, locked }): Match[] => {
    if (prefix !== other) return [];
    const isSameFile = file !== undefined && locked.file === file;
    const isSameContent = digest !== undefined && locked.base["content"] === digest;
    return isSameFile || isSameContent ? [{ wanted, former, isSure: isSameFile && isSameContent }] : [];
  });
}

/** Returns the address without the name. A rename does not change this part. */
function prefixOf({ address, name }: Wanted): string {
  return address.slice(0, -name.length);
}

type Candidate = { former: Former; prefix: string; locked: LockedResource };

function findCandidates(
  missing: readonly Wanted[],
  current: Current,
  lock: NamingLock,
  taken: ReadonlySet<string>,
): Candidate[] {
  const known = [...lock.entries()].filter(([address, { layoutId }]) => layoutId !== undefined && !taken.has(address));
  if (known.length === 0) return [];
  // A list of forms may omit the layout ids. So forms are also found by their own ids.
  const byId = new Map(
    known.flatMap(([, locked]) => [[locked.layoutId, locked] as const, [locked.formId, locked] as const]),
  );
  const prefixes = new Map(missing.map((each) => [prefixOf(each), each]));
  return [...prefixes].flatMap(([prefix, each]) => {
    const { names, others } = each.kind === "Form" ? otherForms(each, current) : otherLayouts(each, current, known);
    const byName = Map.groupBy(names, (name) => name);
    return others.flatMap(({ id, name, layoutId }): Candidate[] => {
      const isTaken = taken.has(`${prefix}${name}`) || current.ambiguousIds.has(id);
      const locked = isTaken ? undefined : byId.get(layoutId ?? id);
      return locked ? [{ former: { id, name, isTwin: (byName.get(name)?.length ?? 0) > 1 }, prefix, locked }] : [];
    });
  });
}

/** `names`: the names of all records whose address has the same prefix. `others`: the records without a manifest. */
type Others = { names: string[]; others: { id: string; name: string; layoutId: string | undefined }[] };

function otherForms({ object }: WantedForm, current: Current): Others {
  const all = current.objects.get(objectText(object))?.forms ?? [];
  const kept = new Set(current.forms.values());
  const others = all.filter((state) => !kept.has(state));
  return {
    names: all.map(({ form }) => form.name),
    others: others.map(({ form: { id, name, viewLayoutId: layoutId } }) => ({ id, name, layoutId })),
  };
}

/**
 * Returns the `Others` of a layout: layouts with the same surface and the same target (for example the same object). If
 * the server does not list layouts, the layouts in the lock (`known`) are used.
 */
function otherLayouts(each: WantedLayout, current: Current, known: readonly [string, LockedResource][]): Others {
  const prefix = prefixOf(each);
  const listed = current.otherLayouts.filter(({ page }) => page === pageKeyOf(each));
  const locked = known.flatMap(([address, { layoutId }]) =>
    address.startsWith(prefix) ? [{ id: layoutId!, name: address.slice(prefix.length) }] : [],
  );
  const others = (current.listsLayouts ? listed : locked).map((other) => ({ ...other, layoutId: other.id }));
  const described = [...current.layouts].flatMap(([address, { name }]) =>
    address.startsWith(prefix) ? (name ?? []) : [],
  );
  return { names: [...described, ...others.map(({ name }) => name)], others };
}

/** Returns the text of a likely rename, with the next step for the user. */
export function renameNote({ wanted, from, alike }: LikelyRename): string {
  const names = [...new Set(from.map(({ name }) => JSON.stringify(name)))];
  const twin = from.find(({ isTwin }) => isTwin);
  const first = twin
    ? `. More than one is named ${JSON.stringify(twin.name)} on the target: rename the others first`
    : "";
  const others = alike === 2 ? "another manifest does" : `${alike - 1} other manifests do`;
  const shared = alike > 1 ? `; ${others} too, and each record can be renamed once` : "";
  const likely = `looks like a rename of ${oneOf(names)}, which no manifest describes${shared}${first}`;
  const { kind, name, address, formerAddress } = wanted;
  const otherwise = `Otherwise another ${kind.toLowerCase()} will be created`;
  const isClear = names.length === 1 && alike === 1;
  if (formerAddress === undefined) {
    const next = isClear ? `Add renamedFrom: ${names[0]}` : "Add renamedFrom with its former name";
    return `${likely}. ${next}. ${otherwise}`;
  }
  const former = JSON.stringify(formerAddress.slice(address.length - name.length));
  const next = isClear ? `Change it to ${names[0]} for this target` : "Change it to its name on this target";
  return `${likely}. renamedFrom is ${former}, which does not exist. ${next}. ${otherwise}`;
}

/** Returns a warning with the text of `renameNote`, located at `name` or `renamedFrom` of the manifest. */
export function renameWarning(rename: LikelyRename): Located {
  const path = rename.wanted.formerAddress === undefined ? "name" : "renamedFrom";
  return rename.wanted.locate({ severity: "warning", code: "RENAME_LIKELY", message: renameNote(rename), path });
}

/**
 * Returns warnings by the id of the form. Each warning states that a deletion may be a rename without `renamedFrom`.
 * The confirmation of the deletion includes the warning.
 */
export function deletedRenames(renames: ReadonlyMap<string, LikelyRename>): Map<string, string> {
  const likely = [...renames.values()].flatMap((rename) => rename.from.map((former) => ({ former, rename })));
  const warnings = Map.groupBy(likely, ({ former }) => former);
  return new Map(
    [...warnings].map(([{ id, name }, all]) => {
      const manifests = all.map(({ rename }) => manifestText(rename));
      return [id, `it looks like ${oneOf(manifests)}, and renamedFrom: ${JSON.stringify(name)} there would keep it`];
    }),
  );
}

function manifestText(rename: LikelyRename): string {
  const { file, line } = renameWarning(rename);
  return `${JSON.stringify(rename.wanted.name)} of ${file}:${line}`;
}

function oneOf(texts: readonly string[]): string {
  const more = texts.length > MAX_NAMED ? [`one of ${texts.length - MAX_NAMED} more`] : [];
  return [...texts.slice(0, MAX_NAMED), ...more].join(" or ");
}

const MAX_NAMED = 3;

/**
 * Returns a note that the former record of a manifest was deleted or renamed. Returns undefined if the lock has no
 * record for the manifest. Call this function only for a manifest without a record on the target.
 */
export function deletedNote(wanted: Wanted, locked: LockedResource | undefined, current: Current): string | undefined {
  const id = wanted.kind === "Form" ? locked?.formId : locked?.layoutId;
  if (id === undefined) return undefined;
  const name = currentName(id, wanted, current);
  if (name !== undefined) return `its former record, ${id}, is named ${JSON.stringify(name)} now`;
  const wasDeleted = wanted.kind === "Form" ? "was deleted" : "was archived or deleted";
  return `it existed at the last apply or export (${id}) and ${wasDeleted} since: it will be created again`;
}

function currentName(
  id: string,
  wanted: Wanted,
  { objects, otherLayouts: others, layouts }: Current,
): string | undefined {
  if (wanted.kind === "Form") {
    const forms = objects.get(objectText(wanted.object))?.forms ?? [];
    return forms.find(({ form }) => form.id === id)?.form.name;
  }
  const described = [...layouts.values()].find(({ layoutId }) => layoutId === id);
  return described?.name ?? others.find((other) => other.id === id)?.name;
}
