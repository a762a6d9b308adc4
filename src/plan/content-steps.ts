/**
 * Plans the steps for the content of a layout. There are four possible results:
 *
 * - no step
 * - publish the existing draft
 * - save a draft and publish it
 * - save a draft and leave it unpublished, if the manifest or the plan does not publish
 *
 * Decides whether the plan may overwrite an existing draft without confirmation.
 */

import type { DraftContent, StagedField } from "../schemas/draft.ts";
import type { Surface } from "../schemas/layout.ts";
import type { SeedField } from "../schemas/organization.ts";
import type { ModeWord } from "../schemas/words.ts";
import {
  digestOf,
  isInitialDraft,
  sameContent,
  settle,
  settledDigest,
  stagedDigest,
  withoutStamp,
} from "../contents/compare.ts";
import { adoptIds } from "../contents/ids.ts";
import { type AppliedChanges, assumedNotes, contentBase, findAppliedChanges } from "../state/staged-changes.ts";
import { isOwnDraft, readStamp, withStamp } from "../state/stamp.ts";
import type { LockedResource } from "../state/lock.ts";
import type { Wanted } from "../manifests/manifest.ts";
import { packLike } from "../contents/memory.ts";
import {
  type ContentBase,
  type ContentState,
  type InPlace,
  type Stamp,
  surfaceOf,
  type VersionState,
} from "../state/state.ts";
import { aspectOf, draftAspect } from "./digests.ts";
import { contentDrift } from "./drift.ts";
import { addStep, isRebase, type Need, overwriteNeed, type Parts, type Phase, type Stamping } from "./planned.ts";

export type ContentOptions = {
  modes: readonly ModeWord[];
  /** Whether the plan removes modes. The draft is then saved after the modes are removed. */
  narrows: boolean;
  /**
   * The desired modes that have no published version, as far as is known: modes that the plan adds, and modes for which
   * the server reports that nothing is published. Used if the server does not show the modes of the published version.
   */
  unpublished: readonly ModeWord[];
  publish: boolean;
  stamp: Stamping;
  locked: LockedResource | undefined;
  /** The current fields of the object or scope. Undefined if the target does not show them. */
  fields: readonly SeedField[] | undefined;
  /** Set if the published content already matched the manifest when it was read. */
  inPlace: InPlace | undefined;
};

/** The desired content of a manifest, prepared for the comparison with the current content. */
type Desired = {
  manifest: Wanted & { content: DraftContent };
  surface: Surface;
  /** The content without a stamp, and without the staged changes that are already applied. */
  target: DraftContent;
  /** `target` with the stamp of this plan. */
  stamped: DraftContent;
  base: ContentBase;
  publish: boolean;
  options: ContentOptions;
};

/**
 * Adds the steps for the content, with its drift, base, notes and confirmations.
 *
 * @param current undefined if the layout does not exist
 */
export function planContent(
  parts: Parts,
  manifest: Wanted & { content: DraftContent },
  current: ContentState | undefined,
  options: ContentOptions,
): void {
  const { inPlace } = options;
  const surface = surfaceOf(manifest);
  const publish = options.publish && manifest.publish;
  if (inPlace) {
    if (!options.publish) throw new Error("the current state was read for a plan that publishes");
    Object.assign(parts.base, inPlace.base, { version: inPlace.version });
    parts.drift["content"] = "same";
    noteIgnoredDraft(parts, inPlace.draft);
  } else planDifference(parts, current, desiredContent(parts, manifest, current, { ...options, publish }));
  noteOwnDraft(parts, surface, { content: current, inPlace, publish });
}

function desiredContent(
  parts: Parts,
  manifest: Wanted & { content: DraftContent },
  current: ContentState | undefined,
  options: ContentOptions,
): Desired {
  const { stamp, publish } = options;
  const surface = surfaceOf(manifest);
  const wanted = withoutStamp(manifest.content);
  const applied = findAppliedChanges(wanted, surface, current, options);
  const target = settle(wanted, surface, applied.has);
  // A publication applies the pending changes. So the base lists pending changes as applied. Assumed changes
  // (state/staged-changes.ts) stay assumed.
  const { assumed } = applied;
  const base = contentBase(wanted, surface, publish ? { has: () => true, assumed } : applied);
  Object.assign(parts.base, base);
  parts.notes.push(...assumedNotes(applied));
  const stamped = stamp ? withStamp(target, { ...stamp, ...stampOf(wanted, base, applied, current) }) : target;
  return { manifest, surface, target, stamped, base, publish, options };
}

/**
 * Returns the stamp of the new content. `replaces` is absent if the server does not show published versions.
 */
function stampOf(
  { stagedFieldDefinitions }: DraftContent,
  { content }: ContentBase,
  { assumed }: AppliedChanges,
  current: ContentState | undefined,
): Stamp {
  const fieldChanges = stagedFieldDefinitions.filter((each) => !assumed.includes(each)).map(stagedDigest);
  return {
    sha256: content,
    ...(fieldChanges.length > 0 && { fieldChanges }),
    ...(!current?.isHidden && { replaces: current?.published?.id ?? null }),
  };
}

function planDifference(parts: Parts, current: ContentState | undefined, desired: Desired): void {
  const { surface, base, target, stamped, publish, options } = desired;
  const { locked } = options;
  if (!current) {
    parts.drift["content"] = "missing";
    save(parts, desired, { content: stamped, draft: undefined, published: null });
    return;
  }
  if (current.isHidden) {
    planHidden(parts, desired);
    return;
  }
  const { published, draft } = current;
  const compared = publish ? published : (draft ?? published);
  const isSame = compared !== null && sameContent(target, compared.content);
  const uncovered = compared ? uncoveredModes(compared, options) : [];
  const isInPlace = isSame && !(publish && uncovered.length > 0);
  // If the plan publishes a new version, the id of the new version is not known yet. The base then names no version.
  if (published && (isInPlace || !publish)) parts.base["version"] = published.id;
  parts.drift["content"] = isSame ? "same" : contentDrift(compared, current, { surface, base, locked });
  if (isInPlace) {
    noteIgnoredDraft(parts, publish && draft && !isInitialDraft(draft, published) ? draft.id : null);
    return;
  }
  if (isSame) parts.effects.push(`will be published again, because it does not serve ${uncovered.join(", ")}`);
  noteReplacedVersion(parts, publish ? published : null);
  if (publish && draft && canPublish(draft, desired)) {
    addPublish(parts, desired, { content: target, draft: draft.id, published: published?.id ?? null });
    addRebase(parts, desired);
    return;
  }
  const { rebased, fromDraft } = desired.manifest;
  const isPublished = draft !== null && draft.id === fromDraft;
  if (isPublished) parts.effects.push(`the unpublished draft ${fromDraft} will be published with the changes`);
  const need = draft && !rebased && !isPublished && replaceNeed(draft, current, { surface, target, locked });
  if (need) parts.needs.push(need);
  const like = compared ?? draft;
  const content = like ? adoptIds(stamped, like.content) : stamped;
  save(parts, desired, { content, draft, published: published?.id ?? null });
  addRebase(parts, desired);
}

/** Adds the step that saves the draft again that the publication has replaced. */
function addRebase(parts: Parts, { manifest, surface, publish }: Desired): void {
  const { rebased } = manifest;
  if (!rebased || !publish) return;
  const request = { operation: "saveDraft", content: packLike(manifest.content, rebased), isRebase: true } as const;
  const staged = rebased.stagedFieldDefinitions.map(stagedDigest);
  const writes = aspectOf("draft", [settledDigest(rebased, surface), staged]);
  addStep(parts, parts.steps.at(-1)?.phase ?? "content", request, { replaces: aspectOf("draft", null), writes });
  parts.effects.push(REBASED);
}

const REBASED = "the unpublished draft will be saved again, and will stay unpublished";

/**
 * Plans a content that the server does not show. The content is assumed to be unchanged since the last apply. A draft
 * is saved if the lock does not match the manifest. A draft is also saved if some desired modes have no published
 * version.
 */
function planHidden(parts: Parts, desired: Desired): void {
  const { base, publish, stamped, options } = desired;
  const { content, fieldChanges, waitingChanges } = options.locked?.base ?? {};
  const isKnown =
    content === base.content && fieldChanges === base.fieldChanges && waitingChanges === base.waitingChanges;
  parts.drift["content"] = content === undefined || isKnown ? "unobservable" : "files";
  const uncovered = isKnown && publish ? options.unpublished : [];
  const isWritten = !isKnown || uncovered.length > 0;
  const reason = isKnown
    ? "some modes have no published version"
    : "the server and the lock don't show its current state";
  const known = isWritten
    ? `it will be written, because ${reason}. A draft of another user would be replaced without notice`
    : "assumed to be as last applied";
  parts.notes.push(`content can't be read, because this server does not show what is published: ${known}`);
  if (!isWritten) return;
  if (isKnown) parts.effects.push(`will be published again, because it does not serve ${uncovered.join(", ")}`);
  save(parts, desired, { content: stamped, draft: undefined, published: undefined });
}

type Saved = {
  content: DraftContent;
  /** The existing draft. Null if no draft exists. Undefined if the server does not show the draft. */
  draft: VersionState | null | undefined;
  published: string | null | undefined;
};

function save(parts: Parts, desired: Desired, { content, draft, published }: Saved): void {
  // The content is hashed and written several times, always with sorted members. So the members are sorted only once,
  // here.
  const kept = packLike(desired.manifest.content, content);
  const isOnlyRebase = desired.manifest.rebased !== undefined && !desired.publish;
  const request = {
    operation: "saveDraft",
    content: kept,
    replaces: draft && draft.id,
    ...(isOnlyRebase && { isRebase: true as const }),
  } as const;
  const staged = content.stagedFieldDefinitions.map(stagedDigest);
  const writes = aspectOf("draft", [desired.base.content, staged]);
  const replaces = published === undefined ? {} : draftAspect(draft, published !== null);
  addStep(parts, phaseOf(content, desired.options), request, { replaces, writes });
  if (desired.publish) addPublish(parts, desired, { content, published });
  else parts.effects.push(isOnlyRebase ? REBASED : "the draft will be saved and will stay unpublished");
}

type Published = {
  content: DraftContent;
  /** The id of the existing draft. Absent if the preceding step saves the draft. */
  draft?: string;
  published: string | null | undefined;
};

/** What a publication writes. The id of the new version is not known yet. */
const PUBLISHED = "the version of this plan";

/** Returns the text that names a version: its number, or else its id. */
export function versionText({ id, number }: Pick<VersionState, "id" | "number">): string {
  return number === undefined ? id : `version ${number}`;
}

function addPublish(parts: Parts, { manifest, options }: Desired, { content, draft, published }: Published): void {
  const staged = new Set(content.stagedFieldDefinitions.map(({ draftId }) => draftId));
  const request = {
    operation: "publishLayout" as const,
    ...(draft !== undefined && { draft }),
    // The service refuses the confirmation of a change that is not staged.
    confirmFieldChanges: manifest.confirmFieldChanges.filter((draftId) => staged.has(draftId)),
    published,
  };
  const aspects = { replaces: aspectOf("published", published), writes: aspectOf("published", PUBLISHED) };
  addStep(parts, phaseOf(content, options), request, aspects);
  addFieldEffects(parts, content, manifest, options.stamp);
}

/** Adds the effects of a publication on fields. The texts state which effects may clear values. */
function addFieldEffects(
  parts: Parts,
  { stagedFieldDefinitions }: DraftContent,
  { confirmFieldChanges: confirmed, computedFrom }: Wanted,
  stamp: Stamping,
): void {
  // The target records a migration. So neither a stamp nor a lock has to record the field changes of a migration.
  if (!stamp && computedFrom === undefined && stagedFieldDefinitions.length > 0)
    parts.notes.push("without a stamp, only the lock in .formctl records that the field changes are applied: keep it");
  for (const staged of stagedFieldDefinitions) {
    const { draftId, action, key, existingFieldDefinitionId, name, type } = staged;
    const field = key ?? existingFieldDefinitionId ?? draftId;
    const risk = confirmed.includes(draftId)
      ? ", confirmed by confirmFieldChanges"
      : `; if that clears values, publishing stops until confirmFieldChanges names ${draftId}`;
    if (action === "create") parts.effects.push(`creates the field ${field}${type === undefined ? "" : ` (${type})`}`);
    if (action === "update") {
      const what = [...(name === undefined ? [] : [`name "${name}"`]), ...(type === undefined ? [] : [`type ${type}`])];
      parts.effects.push(`changes the field ${field}${what.length > 0 ? ` (${what.join(", ")})` : ""}${risk}`);
    }
    if (action === "unlink") parts.effects.push(`removes the field ${field} from this layout`);
    if (action === "delete") parts.effects.push(`deletes the field ${field} and its values${risk}`);
  }
}

/**
 * Returns the confirmation that is required to overwrite a draft. Returns undefined in two cases:
 *
 * - The draft contains no change that could be lost.
 * - formctl saved the draft: the draft's stamp, or the lock, has the digest of the draft's content. The stamp of a
 *   restored version does not count.
 */
function replaceNeed(
  draft: VersionState,
  { published }: Pick<ContentState, "published">,
  { surface, target, locked }: { surface: Surface; target: DraftContent; locked: LockedResource | undefined },
): Need | undefined {
  const { content, stamp, isCopy } = draft;
  const origin = "which these manifests did not create";
  const need = overwriteNeed(draft, { wanted: target, published: published?.content, origin });
  if (!need) return undefined;
  const digest = settledDigest(content, surface);
  const changes = new Set(stamp?.fieldChanges);
  const isStamped =
    stamp?.sha256 === digest && content.stagedFieldDefinitions.every((each) => changes.has(stagedDigest(each)));
  return (isStamped && !isCopy) || locked?.base["content"] === digest ? undefined : need;
}

/**
 * Adds a note about the existing draft in two cases: the plan publishes this draft, or an earlier apply saved the draft
 * and did not publish it.
 * Call this function after the content is planned.
 */
function noteOwnDraft(
  { notes, steps }: Parts,
  surface: Surface,
  { content, inPlace, publish }: { content: ContentState | undefined; inPlace: InPlace | undefined; publish: boolean },
): void {
  const draft = content?.draft;
  const isOwn = inPlace ? inPlace.isOwnDraft === true : draft != null && isOwnDraft(draft, surface);
  const requests = steps.map(({ request }) => request);
  const published = requests.find((request) => request.operation === "publishLayout")?.draft;
  if (published !== undefined) {
    const whose = isOwn ? "saved but not published by an earlier apply" : "which has the same content";
    notes.push(`the draft ${published}, ${whose}, will be published as it is`);
  } else if (!isOwn) return;
  else if (steps.some(isRebase)) return;
  else if (requests.some(({ operation }) => operation === "saveDraft")) {
    notes.push(`the draft ${draft!.id}, saved but not published by an earlier apply, will be replaced`);
  } else if (publish) notes.push("that draft was saved but not published by an earlier apply");
}

function phaseOf({ stagedFieldDefinitions }: DraftContent, { narrows }: ContentOptions): Phase {
  const stages = (action: StagedField["action"]) => stagedFieldDefinitions.some((staged) => staged.action === action);
  if (stages("create") && !narrows) return "fields";
  if (stages("delete")) return "loseFields";
  return narrows ? "narrowContent" : "content";
}

function noteReplacedVersion(parts: Parts, published: VersionState | null): void {
  if (!published) return;
  const kept = `this apply replaces it; ${versionText(published)} remains in the version history`;
  const drift = parts.drift["content"];
  if (drift === "target" || drift === "both")
    parts.notes.push(`the published layout was changed on the target: ${kept}`);
  if (drift === "differs") parts.notes.push(`who published the layout last is unknown: ${kept}`);
}

function noteIgnoredDraft(parts: Parts, draft: string | null): void {
  if (draft !== null) parts.notes.push(`the unpublished draft ${draft} will not be changed`);
}

/** Returns the desired modes that the version does not serve. */
function uncoveredModes({ modes: served }: VersionState, { modes, unpublished }: ContentOptions): readonly ModeWord[] {
  return served === undefined ? unpublished : modes.filter((mode) => !served.includes(mode));
}

/**
 * Whether the existing draft can be published unchanged. Its content must be the desired content. The field changes in
 * its stamp must be those that the plan would write into a new stamp.
 */
function canPublish(draft: VersionState, { target, stamped }: Desired): boolean {
  if (!sameContent(target, draft.content)) return false;
  const { fieldChanges = [] } = readStamp(stamped) ?? {};
  return digestOf(fieldChanges) === digestOf(draft.stamp?.fieldChanges ?? []);
}
