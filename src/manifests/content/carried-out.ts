/** Which staged changes of a manifest have been carried out already: the file keeps them, and a server refuses to repeat them. */

import type { DraftContent, StagedField } from "../../schemas/draft.ts";
import type { Surface } from "../../schemas/layout.ts";
import { sameJson } from "../../schemas/json.ts";
import type { SeedField } from "../../schemas/organization.ts";
import type { LockedResource } from "../lock.ts";
import type { ContentState, VersionState, VersionTrace } from "../state.ts";
import { sameContent, settle, stagedDigest } from "./content.ts";
import { normalStaged } from "./content-normal.ts";
import { fieldSays } from "./field-as-staged.ts";
import { recordedChanges } from "./recorded-changes.ts";

export type CarriedOut = {
  has: (staged: StagedField) => boolean;
  /** Changes that nothing shows: they are taken as done because all the rest is in place. */
  assumed: readonly StagedField[];
};

/** What is known beside the versions of the layout. */
export type Beside = {
  locked: LockedResource | undefined;
  /** The fields that there are now; undefined: nobody shows them. */
  fields: readonly SeedField[] | undefined;
};

/**
 * The table of docs/decisions.md, "Layouts as code": versions that show a field, the record, the field itself; and where there
 * is no record, what leaves no trace is taken as done once nothing else is to be published.
 *
 * @param current undefined: the layout is not there yet
 */
export function findCarriedOut(
  wanted: DraftContent,
  surface: Surface,
  current: ContentState | undefined,
  { locked, fields }: Beside,
): CarriedOut {
  const staged = wanted.stagedFieldDefinitions;
  if (staged.length === 0) return { has: () => false, assumed: [] };
  const published = current?.published ?? undefined;
  const record = current && recordedChanges(current, surface, locked);
  const verdictOf = (each: StagedField) => {
    if (published && (isShown(each, [published]) || isCommitted(each, published))) return "done";
    if (record?.done.has(stagedDigest(each))) return "done";
    const said = fields && fieldSays(each, fields);
    if (said && said !== "untold") return said;
    if (record) return record.assumed.has(stagedDigest(each)) ? "untold" : "pending";
    return published && isShown(each, current!.earlier) ? "done" : "untold";
  };
  const verdicts = Map.groupBy(staged, verdictOf);
  const done = new Set(verdicts.get("done"));
  const untold = verdicts.get("untold") ?? [];
  if (!published || untold.length === 0 || !untold.every(leavesNoTrace(wanted))) return carried(done, []);
  const all = new Set([...done, ...untold]);
  const isRestInPlace = sameContent(
    settle(wanted, surface, (each) => all.has(each)),
    published.content,
  );
  return isRestInPlace ? carried(all, untold) : carried(done, []);
}

/** What is said of changes that are taken as done. */
export function assumedNotes({ assumed }: Pick<CarriedOut, "assumed">): string[] {
  return assumed.map(
    ({ draftId }) =>
      `whether the staged change ${draftId} was carried out can't be observed, and no lock or stamp tells: all else is in place, ` +
      "so it is taken as done. If it was not, give it another draftId and apply, or publish a draft that stages it: " +
      "formctl layouts draft push --publish",
  );
}

/** By what they say: the same file may have been read again meanwhile. */
function carried(changes: ReadonlySet<StagedField>, assumed: readonly StagedField[]): CarriedOut {
  const digests = new Set([...changes].map(stagedDigest));
  return { has: (each) => digests.has(stagedDigest(each)), assumed };
}

function isShown({ action, key }: StagedField, versions: readonly VersionTrace[]): boolean {
  return action === "create" && key !== undefined && versions.some(({ shows }) => shows.includes(key));
}

/** What a server keeps of the changes that it has carried out may have members of its own. A copy has carried out nothing. */
function isCommitted(staged: StagedField, { committed, isCopy }: VersionState): boolean {
  const wanted = Object.entries(normalStaged(staged));
  return (
    !isCopy && committed.map(normalStaged).some((done) => wanted.every(([name, value]) => sameJson(value, done[name])))
  );
}

/** A created field that a block is to show would be seen. */
function leavesNoTrace({ blocks }: DraftContent): (staged: StagedField) => boolean {
  const placed = new Set<string>();
  const stack = [...blocks];
  for (let block = stack.pop(); block; block = stack.pop()) {
    if (block.ref?.draftFieldDefinitionId) placed.add(block.ref.draftFieldDefinitionId);
    stack.push(...(block.children ?? []));
  }
  return ({ action, draftId }) => action !== "create" || !placed.has(draftId);
}
