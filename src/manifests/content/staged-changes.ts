/**
 * Which staged field changes of a manifest are applied. The manifest keeps a change after it was applied, and a server
 * refuses to apply it twice. The first rule that knows a change decides:
 *
 * 1. The published version shows the created field, or keeps the change as it was staged: applied.
 * 2. The record lists the change: applied. The record is the stamp of our last publish or the lock, whichever is later.
 * 3. The store shows the fields: applied if the field is as the change leaves it, else pending. A field does not show an
 *    unlink.
 * 4. There is a record, and it does not list the change: pending.
 * 5. There is no record, and an earlier version shows the created field: applied.
 * 6. Everything else is in place, and no block waits for the field: assumed to be applied. The plan reports it.
 * 7. Otherwise: pending.
 */

import type { DraftContent, StagedField } from "../../schemas/draft.ts";
import { sameJson } from "../../schemas/json.ts";
import type { Surface } from "../../schemas/layout.ts";
import type { SeedField } from "../../schemas/organization.ts";
import { stagedOptions } from "../../schemas/staged-fields.ts";
import type { LockedResource } from "../lock.ts";
import type { ContentBase, ContentState, VersionState, VersionTrace } from "../state.ts";
import { sameContent, settle, settledDigest, stagedDigest } from "./compare.ts";
import { normalStaged, walkBlocks } from "./normal.ts";
import { isOwnVersion } from "./stamp.ts";

export type AppliedChanges = {
  has: (staged: StagedField) => boolean;
  /** Those that are only assumed to be applied (rule 6). */
  assumed: readonly StagedField[];
};

type ChangeState = "applied" | "pending" | "unknown";

/**
 * @param current undefined: the layout does not exist yet
 * @param known the lock, and the current fields; undefined fields: the target does not show them
 */
export function findAppliedChanges(
  wanted: DraftContent,
  surface: Surface,
  current: ContentState | undefined,
  { locked, fields }: { locked: LockedResource | undefined; fields: readonly SeedField[] | undefined },
): AppliedChanges {
  const staged = wanted.stagedFieldDefinitions;
  if (staged.length === 0) return { has: () => false, assumed: [] };
  const published = current?.published ?? undefined;
  const record = current && findRecord(current, surface, locked);
  const stateOf = (each: StagedField): ChangeState => {
    if (published && (showsField(each, published) || keepsChange(each, published))) return "applied";
    if (record?.applied.has(stagedDigest(each))) return "applied";
    const byField = fields && stateByField(each, fields);
    if (byField && byField !== "unknown") return byField;
    if (record) return record.assumed.has(stagedDigest(each)) ? "unknown" : "pending";
    return published && current!.earlier.some((version) => showsField(each, version)) ? "applied" : "unknown";
  };
  const states = Map.groupBy(staged, stateOf);
  const applied = new Set(states.get("applied"));
  const unknown = states.get("unknown") ?? [];
  if (!published || unknown.length === 0 || !unknown.every(leavesNoTrace(wanted))) return asApplied(applied, []);
  const all = new Set([...applied, ...unknown]);
  const isRestInPlace = sameContent(
    settle(wanted, surface, (each) => all.has(each)),
    published.content,
  );
  return isRestInPlace ? asApplied(all, unknown) : asApplied(applied, []);
}

/** Notes of a plan about the changes that it assumes to be applied. */
export function assumedNotes({ assumed }: Pick<AppliedChanges, "assumed">): string[] {
  return assumed.map(
    ({ draftId }) =>
      `the staged change ${draftId} is assumed to be applied: everything else is in place, and neither the lock nor a stamp ` +
      "lists it. If it was not applied, give it another draftId and apply, or publish a draft that stages it: " +
      "formctl layouts draft push --publish",
  );
}

/** Changes are compared by digest: a caller may have read the same file again. */
function asApplied(changes: ReadonlySet<StagedField>, assumed: readonly StagedField[]): AppliedChanges {
  const digests = new Set([...changes].map(stagedDigest));
  return { has: (each) => digests.has(stagedDigest(each)), assumed };
}

function showsField({ action, key }: StagedField, { shows }: VersionTrace): boolean {
  return action === "create" && key !== undefined && shows.includes(key);
}

/** A server may add members to a change that it keeps. A restored version has applied nothing. */
function keepsChange(staged: StagedField, { committed, isCopy }: VersionState): boolean {
  const wanted = Object.entries(normalStaged(staged));
  return (
    !isCopy && committed.map(normalStaged).some((done) => wanted.every(([name, value]) => sameJson(value, done[name])))
  );
}

/** Whether the published version can be the same with and without the change: a block would show a created field. */
function leavesNoTrace({ blocks }: DraftContent): (staged: StagedField) => boolean {
  const placed = new Set<string>();
  walkBlocks(blocks, ({ ref }) => {
    if (ref?.draftFieldDefinitionId) placed.add(ref.draftFieldDefinitionId);
  });
  return ({ action, draftId }) => action !== "create" || !placed.has(draftId);
}

/** Whether a field is as a staged change leaves it. An unlink changes the layout and not the field. */
export function stateByField(staged: StagedField, fields: readonly SeedField[]): ChangeState {
  const { action, key, type, existingFieldDefinitionId: id } = staged;
  const field = fields.find((each) => (id && action !== "create" ? each.id === id : each.key === key));
  if (action === "create") return field && field.type === type ? "applied" : "pending";
  if (action === "update") return field && isAsUpdated(staged, field) ? "applied" : "pending";
  if (!field) return "applied";
  return action === "delete" ? "pending" : "unknown";
}

/** An absent member of an update changes nothing. */
function isAsUpdated(staged: StagedField, field: SeedField): boolean {
  const { name = field.name, type = field.type, presentation } = staged;
  const { required = field.required, defaultValue = field.default, options: _options, ...rest } = staged.config ?? {};
  const options = stagedOptions(staged) ?? field.options;
  const more = { ...rest, ...(presentation && { presentation }) };
  return (
    name === field.name &&
    type === field.type &&
    required === field.required &&
    sameJson(defaultValue ?? null, field.default ?? null) &&
    sameJson(options, field.options) &&
    Object.entries(more).every(([member, value]) => sameJson(value, field.config[member] ?? null))
  );
}

/** Digests of staged changes: those that were applied, and those that were only assumed to be. */
type ChangeRecord = { applied: ReadonlySet<string>; assumed: ReadonlySet<string> };

/** Undefined: neither the lock nor a stamp knows a publish by formctl. */
function findRecord(
  current: ContentState,
  surface: Surface,
  locked: LockedResource | undefined,
): ChangeRecord | undefined {
  const { published, earlier } = current;
  const ofLock = lockRecord(current, surface, locked);
  if (!published) return current.isHidden ? ofLock : undefined;
  const versions = [published, ...earlier];
  const stampedAt = versions.findIndex(isOwnVersion);
  if (stampedAt < 0) return ofLock;
  const ofStamp = { applied: new Set(versions[stampedAt]!.stamp!.fieldChanges), assumed: new Set<string>() };
  if (!ofLock || !locked) return ofStamp;
  const lockedAt = versions.findIndex(({ id }) => id === locked.base["version"]);
  if (lockedAt === stampedAt) return { ...ofLock, applied: new Set([...ofLock.applied, ...ofStamp.applied]) };
  if (lockedAt >= 0) return lockedAt < stampedAt ? ofLock : ofStamp;
  // The lock names no version of the list. It is the later record if it knows the published content.
  if (stampedAt === 0) return ofStamp;
  if (locked.base["content"] === settledDigest(published.content, surface)) return ofLock;
  return { ...ofStamp, applied: new Set([...ofStamp.applied].filter((each) => ofLock.applied.has(each))) };
}

/** A lock that knows a content of this layout lists all changes that were applied with it. */
function lockRecord(
  { layoutId, published }: ContentState,
  surface: Surface,
  locked: LockedResource | undefined,
): ChangeRecord | undefined {
  if (locked?.base["content"] === undefined) return undefined;
  if (locked.layoutId !== undefined && locked.layoutId !== layoutId) return undefined;
  const { content, fieldChanges, assumedChanges, waitingChanges, version } = locked.base;
  const applied = new Set(fieldChanges?.split(" "));
  const isDraftPublished =
    published && published.id !== version && settledDigest(published.content, surface) === content;
  if (waitingChanges && isDraftPublished) for (const each of waitingChanges.split(" ")) applied.add(each);
  return { applied, assumed: new Set(assumedChanges?.split(" ")) };
}

/**
 * What the lock keeps of a content: its digest, and digests of its staged changes.
 *
 * @param applied those that are applied once the content is as planned; absent: all
 */
export function contentBase(wanted: DraftContent, surface: Surface, applied?: AppliedChanges): ContentBase {
  const isAssumed = new Set(applied?.assumed);
  const groups = Map.groupBy(wanted.stagedFieldDefinitions, (staged) => {
    if (isAssumed.has(staged)) return "assumedChanges";
    return !applied || applied.has(staged) ? "fieldChanges" : "waitingChanges";
  });
  const changes = [...groups].map(([name, staged]) => [name, changesText(staged.map(stagedDigest))]);
  return { content: settledDigest(wanted, surface), ...Object.fromEntries(changes) };
}

/** A list of digests as one text: the values of a lock are texts. */
export function changesText(digests: readonly string[]): string {
  return digests.toSorted().join(" ");
}
