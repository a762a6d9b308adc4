/** What a layout is to show: nothing to do, a draft to publish, or a draft to save and publish. */

import type { ModeWord } from "../../schemas/words.ts";
import type { DraftContent, StagedField } from "../../schemas/draft.ts";
import { withSortedMembers } from "../../schemas/json.ts";
import type { Surface } from "../../schemas/layout.ts";
import type { SeedField } from "../../schemas/organization.ts";
import { assumedNotes, type CarriedOut, findCarriedOut } from "../content/carried-out.ts";
import {
  adoptIds,
  contentChanges,
  contentDigest,
  digestOf,
  readStamp,
  sameContent,
  settle,
  settledDigest,
  stagedDigest,
  withoutStamp,
  withStamp,
} from "../content/content.ts";
import { lastStamp } from "../content/recorded-changes.ts";
import { contentBase, isInitial, isOwnDraft } from "../current/in-place.ts";
import type { ContentBase, ContentState, InPlace, VersionState } from "../state.ts";
import type { LockedResource } from "../lock.ts";
import type { Wanted } from "../manifest.ts";
import { tellFields } from "./field-effects.ts";
import { replacedDraft } from "./replaced.ts";
import type { Drift, Need, Phase, Stamping } from "./planned.ts";
import { lossOf, summaryOf } from "./content-words.ts";
import { addStep, driftOf, type Parts } from "./parts.ts";

export type ContentOptions = {
  surface: Surface;
  /** The modes that the layout is to have. */
  modes: readonly ModeWord[];
  /** Whether modes go in this plan, so that a draft has to wait until they are gone. */
  narrows: boolean;
  /** Modes that the published version was not made for, where the version itself does not say which it was made for. */
  unpublished: readonly ModeWord[];
  publish: boolean;
  stamp: Stamping;
  locked: LockedResource | undefined;
  /** The fields of the layout's object or scope as they are now; undefined: the server does not show them. */
  fields: readonly SeedField[] | undefined;
  /** It was found in place when it was read. */
  inPlace: InPlace | undefined;
};

/** Adds what it takes that the layout shows the manifest's content. `current` is undefined for a layout that is made first. */
export function planContent(
  parts: Parts,
  manifest: Wanted & { content: DraftContent },
  current: ContentState | undefined,
  options: ContentOptions,
): void {
  const { surface, stamp } = options;
  if (options.inPlace) {
    if (!options.publish) throw new Error("what exists was read for a plan that publishes");
    noteInPlace(parts, options.inPlace);
    return;
  }
  const wanted = withoutStamp(manifest.content);
  const carriedOut = findCarriedOut(wanted, surface, current, options);
  const target = settle(wanted, surface, carriedOut.has);
  const publish = options.publish && manifest.publish;
  // Publishing carries out what is left, and tells nothing of what is only taken as done.
  const { assumed } = carriedOut;
  const base = contentBase(wanted, surface, publish ? { has: () => true, assumed } : carriedOut);
  Object.assign(parts.base, base);
  parts.notes.push(...assumedNotes(carriedOut));
  const stamped = stamp
    ? withStamp(target, { ...stamp, ...stampOf(wanted, base, carriedOut), ...savedOver(current) })
    : target;
  if (!current) {
    parts.drift["content"] = "missing";
    parts.changes.push({ kind: "added", path: "layout", after: summaryOf(target) });
    save(parts, { content: stamped, draft: undefined, published: null, publish, manifest, options });
    return;
  }
  if (current.isUntold) {
    planUntold(parts, base, target, { ...options, publish }, () =>
      save(parts, { content: stamped, draft: undefined, published: undefined, publish, manifest, options }),
    );
    return;
  }
  const { published, draft } = current;
  const keepVersion = () => published && Object.assign(parts.base, { version: published.id });
  // A publish makes another one.
  if (!publish) keepVersion();
  const seen = publish ? published : (draft ?? published);
  const isSame = seen !== null && sameContent(target, seen.content);
  parts.drift["content"] = isSame ? "same" : contentDrift(base, seen, current, options);
  const uncovered = seen ? uncoveredModes(seen, options) : [];
  if (isSame && !(publish && uncovered.length > 0)) {
    keepVersion();
    noteOthersDraft(parts, publish && draft && !isInitial(draft, published) ? draft.id : null);
    return;
  }
  if (isSame) parts.effects.push(`published again, because it was not made for ${uncovered.join(", ")}`);
  parts.changes.push(
    ...(seen
      ? contentChanges(target, seen.content).map((change) => ({ ...change, path: `layout.${change.path}` }))
      : [{ kind: "added" as const, path: "layout", after: summaryOf(target) }]),
  );
  noteReplaced(parts, publish ? published : null);
  if (publish && draft && canPublish(draft, target, stamped)) {
    addStep(parts, phaseOf(target, options), publishStep(draft.id, target, manifest, published), replacedDraft(draft));
    tellFields(parts, target, manifest, options);
    return;
  }
  const need = draft && replaceNeed(draft, current, { surface, target, locked: options.locked });
  if (need) parts.needs.push(need);
  const like = seen ?? draft;
  save(parts, {
    content: like ? adoptIds(stamped, like.content) : stamped,
    draft,
    published: published?.id ?? null,
    publish,
    manifest,
    options,
  });
}

/** What can't be seen is taken to be as it was last written. */
function planUntold(
  parts: Parts,
  base: ContentBase,
  target: DraftContent,
  { locked, publish, unpublished }: ContentOptions,
  write: () => void,
): void {
  const { content, fieldChanges, waitingChanges } = locked?.base ?? {};
  const isKnown =
    content === base.content && fieldChanges === base.fieldChanges && waitingChanges === base.waitingChanges;
  parts.drift["content"] = content === undefined || isKnown ? "unobservable" : "here";
  const uncovered = isKnown && publish ? unpublished : [];
  const isWritten = !isKnown || uncovered.length > 0;
  const known = isWritten
    ? `written, because ${isKnown ? "nothing is published for some modes" : "nothing says that it is in place"}; a draft of another user would be replaced unseen`
    : "taken to be as it was last applied";
  parts.notes.push(`content can't be observed on this server, which does not show what is published: ${known}`);
  if (!isWritten) return;
  if (isKnown) parts.effects.push(`published again, because it was not made for ${uncovered.join(", ")}`);
  else parts.changes.push({ kind: "added", path: "layout", after: summaryOf(target) });
  write();
}

type Saving = {
  content: DraftContent;
  /** The draft that is there; null: there is none; undefined: the server does not tell. */
  draft: VersionState | null | undefined;
  published: string | null | undefined;
  publish: boolean;
  manifest: Wanted;
  options: ContentOptions;
};

function save(parts: Parts, { content, draft, published, publish, manifest, options }: Saving): void {
  const phase = phaseOf(content, options);
  // It is hashed and written several times on its way.
  const request = { operation: "saveDraft", content: withSortedMembers(content), replaces: draft && draft.id } as const;
  addStep(parts, phase, request, draft ? replacedDraft(draft) : undefined);
  if (!publish) {
    parts.effects.push("the draft is saved and left unpublished");
    return;
  }
  addStep(parts, phase, publishStep(undefined, content, manifest, published == null ? published : { id: published }));
  tellFields(parts, content, manifest, options);
}

function publishStep(
  draft: string | undefined,
  { stagedFieldDefinitions }: DraftContent,
  { confirmFieldChanges }: Wanted,
  published: { id: string } | null | undefined,
) {
  const staged = new Set(stagedFieldDefinitions.map(({ draftId }) => draftId));
  return {
    operation: "publishLayout" as const,
    ...(draft !== undefined && { draft }),
    // A confirmation of what is not staged would be refused.
    confirmFieldChanges: confirmFieldChanges.filter((draftId) => staged.has(draftId)),
    published: published ? published.id : published,
  };
}

function phaseOf({ stagedFieldDefinitions }: DraftContent, { narrows }: ContentOptions): Phase {
  const does = (action: StagedField["action"]) => stagedFieldDefinitions.some((staged) => staged.action === action);
  if (does("create") && !narrows) return "fields";
  if (does("delete")) return "loseFields";
  return narrows ? "narrowContent" : "content";
}

function stampOf(
  { stagedFieldDefinitions }: DraftContent,
  { content }: ContentBase,
  { assumed }: Pick<CarriedOut, "assumed">,
): { sha256: string; fieldChanges?: string[] } {
  const fieldChanges = stagedFieldDefinitions.filter((each) => !assumed.includes(each)).map(stagedDigest);
  return { sha256: content, ...(fieldChanges.length > 0 && { fieldChanges }) };
}

/** Where the server does not say what is published, the stamp doesn't either. */
function savedOver(current: ContentState | undefined): { over?: string | null } {
  return current?.isUntold ? {} : { over: current?.published?.id ?? null };
}

function noteInPlace(parts: Parts, { base, draft, version }: InPlace): void {
  Object.assign(parts.base, base, { version });
  parts.drift["content"] = "same";
  noteOthersDraft(parts, draft);
}

/**
 * By our last stamp and by the lock: one that has the content as it is wanted now knows that the manifest has not moved, and
 * one that knows the published version that nothing has moved there, for such a version never changes.
 */
function contentDrift(
  { content: wanted }: ContentBase,
  seen: VersionState | null,
  current: ContentState,
  { surface, locked }: ContentOptions,
): Drift {
  if (!seen) return "missing";
  if (seen === current.published && locked?.base["version"] === seen.id) return "here";
  const stamp = seen === current.draft ? (seen.isCopy ? undefined : seen.stamp) : lastStamp(current);
  const base = locked?.base["content"];
  // Restored by hand since our last publish, which a lock from before it does not know.
  const isRestored = seen.isCopy && stamp?.sha256 === wanted;
  // By an apply that published nothing: it may be later than the lock and the file, or the file was set back since.
  if (base === wanted && seen === current.draft && isOwnDraft(seen, surface)) return "differs";
  const bases = base === wanted || isRestored ? [wanted] : [stamp?.sha256, base];
  const drift = driftOf(wanted, settledDigest(seen.content, surface), bases);
  // Field changes and ids are no part of the digests.
  return drift === "same" ? "here" : drift;
}

function noteReplaced(parts: Parts, published: VersionState | null): void {
  if (!published) return;
  const version = published.number === undefined ? published.id : `version ${published.number}`;
  const stays = `this apply replaces it; ${version} stays in the history`;
  const drift = parts.drift["content"];
  if (drift === "there" || drift === "both") parts.notes.push(`the published layout has been changed there: ${stays}`);
  if (drift === "differs") parts.notes.push(`who published the layout last is not known: ${stays}`);
}

function noteOthersDraft(parts: Parts, draft: string | null): void {
  if (draft !== null) parts.notes.push(`an unpublished draft, ${draft}, is left alone`);
}

/** The modes that came after the published version was made. */
function uncoveredModes({ modes: covered }: VersionState, { modes, unpublished }: ContentOptions): readonly ModeWord[] {
  return covered === undefined ? unpublished : modes.filter((mode) => !covered.includes(mode));
}

/** A draft that says the same may be published as it is, unless our stamp has to tell of field changes. */
function canPublish(draft: VersionState, target: DraftContent, stamped: DraftContent): boolean {
  if (!sameContent(target, draft.content)) return false;
  const { fieldChanges = [] } = readStamp(stamped) ?? {};
  return digestOf(fieldChanges) === digestOf(draft.stamp?.fieldChanges ?? []);
}

/** A draft that somebody else made is overwritten only by consent. */
export function replaceNeed(
  draft: VersionState,
  { published }: Pick<ContentState, "published">,
  { surface, target, locked }: { surface: Surface; target: DraftContent; locked: LockedResource | undefined },
): Need | undefined {
  const { content, stamp, isCopy } = draft;
  if (isInitial(draft, published) || sameContent(target, content)) return undefined;
  if (published && contentDigest(content) === contentDigest(published.content)) return undefined;
  const digest = settledDigest(content, surface);
  const changes = new Set(stamp?.fieldChanges);
  const isStamped =
    stamp?.sha256 === digest && content.stagedFieldDefinitions.every((each) => changes.has(stagedDigest(each)));
  if ((isStamped && !isCopy) || locked?.base["content"] === digest) return undefined;
  return {
    consent: "allow-replace",
    what: `overwrite the unpublished draft ${draft.id}, which was not made from these manifests`,
    lost: [`the draft ${draft.id}: ${lossOf(content, published?.content)}`],
  };
}
