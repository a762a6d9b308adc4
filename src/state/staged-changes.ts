/**
 * Determines which staged field changes of a manifest are already applied. An applied change stays in the manifest, but
 * a server refuses to apply it twice. The first rule that matches a change decides:
 *
 * 1. The published version shows the created field, or contains the staged change: the change is applied.
 * 2. The record lists the change as applied: the change is applied. The record is the lock or the last stamp of formctl
 *    (stamp.ts), whichever is later.
 * 3. The target shows its fields: the change is applied if the field has the values of the change, and otherwise
 *    pending. The rule skips an unlink of an existing field, because a field does not show unlinks.
 * 4. A record exists and does not list the change as assumed: the change is pending.
 * 5. No record exists, and an earlier version shows the created field: the change is applied.
 * 6. The published version matches the manifest in everything else, and no block of the manifest refers to the created
 *    field: the change is assumed to be applied. The plan reports this assumption.
 * 7. In all other cases, the change is pending.
 */

import type { DraftContent, StagedField } from "../schemas/draft.ts";
import { sameJson } from "../schemas/json.ts";
import type { Surface } from "../schemas/layout.ts";
import type { SeedField } from "../schemas/organization.ts";
import { stagedOptions } from "../schemas/staged-fields.ts";
import type { LockedResource } from "./lock.ts";
import type { ContentBase, ContentState, VersionState, VersionTrace } from "./state.ts";
import { sameContent, settle, settledDigest, stagedDigest } from "../contents/compare.ts";
import { normalStaged, walkBlocks } from "../contents/normal.ts";
import { isOwnVersion } from "./stamp.ts";

export type AppliedChanges = {
  has: (staged: StagedField) => boolean;
  /** The changes that are only assumed to be applied (rule 6). */
  assumed: readonly StagedField[];
};

type ChangeState = "applied" | "pending" | "unknown";

/**
 * Finds the staged changes that are already applied.
 *
 * @param current undefined if the layout does not exist yet
 * @param known the lock entry and the current fields. `fields` is undefined if the target does not show them
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
  const record = current && latestRecord(current, surface, locked);
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

/** Returns the notes of a plan about changes that are assumed to be applied. */
export function assumedNotes({ assumed }: Pick<AppliedChanges, "assumed">): string[] {
  return assumed.map(
    ({ draftId }) =>
      `the staged change ${draftId} is assumed to be applied: everything else is in place, and neither the lock nor a stamp ` +
      "lists it. If it was not applied, give it another draftId and apply, or publish a draft that stages it: " +
      "formctl layouts draft push --publish",
  );
}

/** Changes are compared by digest, because a caller may have read the same file again. */
function asApplied(changes: ReadonlySet<StagedField>, assumed: readonly StagedField[]): AppliedChanges {
  const digests = new Set([...changes].map(stagedDigest));
  return { has: (each) => digests.has(stagedDigest(each)), assumed };
}

function showsField({ action, key }: StagedField, { shows }: VersionTrace): boolean {
  return action === "create" && key !== undefined && shows.includes(key);
}

/**
 * Whether the published version contains the staged change. A server may add members to the change. The result is false
 * for a restored version, because a restore does not apply changes.
 */
function keepsChange(staged: StagedField, { committed, isCopy }: VersionState): boolean {
  const wanted = Object.entries(normalStaged(staged));
  return (
    !isCopy && committed.map(normalStaged).some((done) => wanted.every(([name, value]) => sameJson(value, done[name])))
  );
}

/**
 * Returns a function that reports whether an applied change would be invisible in the published version. Only the
 * creation of a field is visible, and only if a block of the given content refers to the field.
 */
function leavesNoTrace({ blocks }: DraftContent): (staged: StagedField) => boolean {
  const placed = new Set<string>();
  walkBlocks(blocks, ({ ref }) => {
    if (ref?.draftFieldDefinitionId) placed.add(ref.draftFieldDefinitionId);
  });
  return ({ action, draftId }) => action !== "create" || !placed.has(draftId);
}

/**
 * Determines from the current fields whether a staged change is applied. An unlink changes the layout, but not the
 * field. So the state of an unlink is unknown while the field exists.
 */
export function stateByField(staged: StagedField, fields: readonly SeedField[]): ChangeState {
  const { action, key, type, existingFieldDefinitionId: id } = staged;
  const field = fields.find((each) => (id && action !== "create" ? each.id === id : each.key === key));
  if (action === "create") return field && field.type === type ? "applied" : "pending";
  if (action === "update") return field && isAsUpdated(staged, field) ? "applied" : "pending";
  if (!field) return "applied";
  return action === "delete" ? "pending" : "unknown";
}

/** Whether a field has all values that an update sets. */
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

/** Digests of staged changes. `assumed` contains the changes that are only assumed to be applied. */
type ChangeRecord = { applied: ReadonlySet<string>; assumed: ReadonlySet<string> };

/**
 * Returns the record of the last publish by formctl: that of the lock or that of the last stamp, whichever is later.
 * Returns undefined if there is no record, or no version is published. A server that hides the published version
 * (`isHidden`) shows no stamps, so the record of the lock counts.
 */
function latestRecord(
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
  const later = laterSource(versions, stampedAt, locked.base, settledDigest(published.content, surface));
  if (later === "lock") return ofLock;
  if (later === "stamp") return ofStamp;
  if (later === "both") return { ...ofLock, applied: new Set([...ofLock.applied, ...ofStamp.applied]) };
  // Only changes in both records are certainly applied.
  return { ...ofStamp, applied: new Set([...ofStamp.applied].filter((each) => ofLock.applied.has(each))) };
}

/**
 * Returns whether the lock or the last stamp records the later publish. `both` means the same version. If the lock
 * names a listed version, the order of the versions decides. Otherwise, the source that describes the published version
 * is later.
 *
 * @param versions newest first
 * @param stampedAt the index of the version with the last stamp
 * @param publishedDigest the digest of the published content
 */
function laterSource(
  versions: readonly VersionTrace[],
  stampedAt: number,
  { version, content }: LockedResource["base"],
  publishedDigest: string,
): "lock" | "stamp" | "both" | "unknown" {
  const lockedAt = versions.findIndex(({ id }) => id === version);
  if (lockedAt === stampedAt) return "both";
  if (lockedAt >= 0) return lockedAt < stampedAt ? "lock" : "stamp";
  if (stampedAt === 0) return "stamp";
  return content === publishedDigest ? "lock" : "unknown";
}

/**
 * Returns the record of the lock. Returns undefined if the lock has no content digest for this layout. The lock's list
 * of applied changes is complete only for the content with that digest.
 */
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
 * Returns the members of the lock for a content: the digest of the content, and the digests of its staged changes.
 *
 * @param applied the changes that are applied after the plan. Default: all changes
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

/** Returns a list of digests as one text, because the values of a lock are texts. */
export function changesText(digests: readonly string[]): string {
  return digests.toSorted().join(" ");
}
