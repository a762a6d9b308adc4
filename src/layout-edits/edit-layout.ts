/**
 * Edits the published version of a layout. A draft that differs is left, published or kept. If a run ends between two
 * requests, the next run compares the versions of the layout with the edited contents and sends the missing requests.
 */

import { randomUUID } from "node:crypto";
import { FormctlError } from "../base/error.ts";
import { contentDigest, sameContent } from "../contents/compare.ts";
import { editable } from "../contents/edited.ts";
import { adoptIds } from "../contents/ids.ts";
import { withoutComputed } from "../contents/normal.ts";
import { contentToSave, currentVersion, isStatusShown, shownContent } from "../lists/versions.ts";
import { mutationIds } from "../mutation-ids.ts";
import type { DraftContent } from "../schemas/draft.ts";
import { copyJson } from "../schemas/json.ts";
import { type CallOptions, localRefusal, mayBeDone, notShown, type Service, ServiceError } from "../service.ts";
import { keepDraft, type KeptDraft, keptDraft, type KeptDrafts } from "./kept-drafts.ts";

/** The operations that `editLayout` calls. */
export type EditService = Pick<Service, "getLayout" | "getVersion" | "listVersions" | "publishLayout" | "saveDraft">;

/**
 * Computes the new content of a layout from a copy of its content. Returns null or an equal content to change nothing.
 * Must return its own result unchanged, so that no run applies the edit twice.
 */
export type LayoutEdit = (content: DraftContent) => DraftContent | null;

export type EditOptions = {
  /** Confirms staged field changes that clear values or change types: the draft ids of these changes. */
  confirmFieldChanges?: readonly string[];
  /** Aborted to end the edit before its first write. Later, the edit of the layout is completed. */
  signal?: AbortSignal;
} & (
  | {
      /**
       * What happens with a draft that differs from the published version:
       *
       * - `leave`: the layout is left out
       * - `publish`: the draft is edited and published
       * - `rebase`: the published version is edited and published, and then the edited draft is saved again
       *
       * Default: `leave`.
       */
      drafts?: "leave" | "publish";
    }
  | {
      drafts: "rebase";
      /** Keeps the draft while the edited version takes its place. Another run after an interruption needs it. */
      keep: KeptDrafts;
    }
);

/**
 * - published: the edited version is published
 * - rebased: the edited version is published, and the edited draft is saved again
 * - saved: only the draft was edited, because no version is published or the published version needs no change
 * - left: nothing was written, because the layout has a draft that differs from the published version
 * - unchanged: nothing was written, because the layout needs no change
 */
export type EditOutcome = "published" | "rebased" | "saved" | "left" | "unchanged";

export type EditedLayout = {
  outcome: EditOutcome;
  /** The id of the version that is published after the edit. Null if none is. */
  publishedVersionId: string | null;
  /** The id of the draft after the edit. Null if there is none. */
  draftVersionId: string | null;
};

/**
 * Edits the published version of a layout and publishes the result. Without a published version, edits the draft and
 * leaves it unpublished. If the service refuses to publish, the former draft is saved again, or else a draft with the
 * published content. After an interruption, call the function again.
 *
 * ```ts
 * const { outcome } = await editLayout(service, layoutId, (content) => renameField(content, "notes", "remarks"), {
 *   drafts: "rebase",
 *   keep: draftFiles("kept-drafts"),
 * });
 * ```
 *
 * Each write names the versions that it replaces. If the server does not support that, the versions are read before the
 * write.
 *
 * @throws INVALID_VALUE if `edit` does not return a content, or changes its own result, and for an invalid option
 * @throws NOT_FOUND if the layout has no version
 * @throws NOT_SHOWN if the server does not show a content, or which version is published
 * @throws ServiceError 409 DRAFT_STALE if another user changed the layout during the edit, or saved a draft after an
 *   interrupted `rebase`: the replaced draft is then still in `keep`
 * @throws ServiceError 409 DRAFT_INVALID or FIELD_CHANGES_UNCONFIRMED if the edited version can't be published
 * @throws STOPPED_AFTER_WRITE if the service refuses to publish, and the former draft can't be saved again
 * @throws the errors of `edit`, of `keep` and of the service, and the reason of the signal
 */
export async function editLayout(
  service: EditService,
  layoutId: string,
  edit: LayoutEdit,
  options: EditOptions = {},
): Promise<EditedLayout> {
  requireOptions(options);
  const { confirmFieldChanges = [], signal } = options;
  // A run recognizes the writes of an earlier run by the contents of the versions, so the ids need not be repeated.
  const layout: Layout = { service, layoutId, confirmFieldChanges, mutationId: mutationIds(randomUUID()) };
  let current = await readVersions(layout, signal);
  if (options.drafts === "rebase") {
    const kept = await keptDraft(options.keep, layoutId);
    const rebased = kept && (await completeRebase(layout, current, { edit, kept, keep: options.keep }));
    if (rebased) return rebased;
    if (kept) current = await readVersions(layout, signal);
  }
  const { published, draft } = current;
  const ofDraft = draft && editedContent(draft.content, edit);
  const ofPublished = published && editedContent(published.content, edit);
  if (!published || !ofPublished) {
    if (!published && !draft) throw new FormctlError("NOT_FOUND", `the layout ${layoutId} has no version`);
    if (!draft || !ofDraft) return result("unchanged", current);
    if (published && (options.drafts ?? "leave") === "leave") return result("left", current);
    return result("saved", { published, draft: { id: await saveDraft(layout, current, ofDraft) } });
  }
  // An interrupted run has saved the edited version.
  if (draft && sameContent(ofPublished, draft.content)) return publish(layout, current, draft);
  if (!draft || isEqual(draft.content, published.content)) return saveAndPublish(layout, current, ofPublished);
  switch (options.drafts) {
    case "publish":
      return ofDraft ? saveAndPublish(layout, current, ofDraft) : publish(layout, current, draft);
    case "rebase":
      return rebase(layout, { published, draft }, { edit, ofPublished, keep: options.keep });
    default:
      return result("left", current);
  }
}

/** Programs without types may pass other values. @throws INVALID_VALUE */
function requireOptions(options: EditOptions): void {
  const { drafts = "leave" } = options;
  if (!["leave", "publish", "rebase"].includes(drafts))
    throw new FormctlError("INVALID_VALUE", `drafts must be leave, publish or rebase, not ${JSON.stringify(drafts)}`);
  if (options.drafts === "rebase" && !(options as { keep?: KeptDrafts }).keep)
    throw new FormctlError("INVALID_VALUE", 'drafts: "rebase" requires keep', 'Specify it: keep: draftFiles("FOLDER")');
}

type Layout = {
  service: EditService;
  layoutId: string;
  confirmFieldChanges: readonly string[];
  mutationId: ReturnType<typeof mutationIds>;
};

/** A version. `content` is the content to compare and edit, `saved` the content that saves the version again. */
type Version = { id: string; content: DraftContent; saved: DraftContent };
type Versions = { published: Version | undefined; draft: Version | undefined };
type VersionIds = { [K in keyof Versions]: Pick<Version, "id"> | undefined };

/** @throws NOT_SHOWN if the server does not show which version is published */
async function readVersions(
  { service, layoutId }: Pick<Layout, "service" | "layoutId">,
  signal?: AbortSignal,
): Promise<Versions> {
  signal?.throwIfAborted();
  const reads = readsOf(service, signal);
  const listed = await reads.listVersions({ layoutId });
  const find = async (wanted: "draft" | "latest"): Promise<Version | undefined> => {
    const version = await currentVersion(reads, layoutId, wanted, listed);
    if (!version) return undefined;
    const status = wanted === "draft" ? "DRAFT" : "PUBLISHED";
    const content = contentToSave({ ...(await shownContent(reads, layoutId, version)), status });
    return {
      id: version.id,
      content: editable(content),
      saved: { ...content, blocks: withoutComputed(content.blocks) },
    };
  };
  const [published, draft] = [await find("latest"), await find("draft")];
  if (!published && !draft && !isStatusShown(listed))
    throw notShown(`which version of the layout ${layoutId} is published`);
  signal?.throwIfAborted();
  return { published, draft };
}

/** Returns the reads of a service, which the signal aborts. */
function readsOf(
  service: EditService,
  signal: AbortSignal | undefined,
): Pick<EditService, "getLayout" | "getVersion" | "listVersions"> {
  const options = signal && { signal };
  return {
    getLayout: (input) => service.getLayout(input, options),
    getVersion: (input) => service.getVersion(input, options),
    listVersions: (input) => service.listVersions(input, options),
  };
}

/**
 * Returns the edited content. Undefined if it is equal to the current content.
 *
 * @throws INVALID_VALUE if the result is not a content, or if the edit changes its own result
 */
function editedContent(content: DraftContent, edit: LayoutEdit): DraftContent | undefined {
  const apply = (before: DraftContent): DraftContent | undefined => {
    const after: unknown = edit(copyJson(before));
    if (after === null) return undefined;
    if (typeof after !== "object" || !("blocks" in after))
      throw new FormctlError("INVALID_VALUE", "the edit must return the content, or null to leave it unchanged");
    const adopted = adoptIds(after as DraftContent, before);
    return sameContent(adopted, before) ? undefined : adopted;
  };
  const after = apply(content);
  if (!after || !apply(after)) return after;
  throw new FormctlError(
    "INVALID_VALUE",
    "the edit changes its own result, so a second run would edit the layout twice",
    "Return the content unchanged if it is already edited.",
  );
}

function isEqual(one: DraftContent, other: DraftContent): boolean {
  return contentDigest(one) === contentDigest(other);
}

function result(outcome: EditOutcome, { published, draft }: VersionIds): EditedLayout {
  return { outcome, publishedVersionId: published?.id ?? null, draftVersionId: draft?.id ?? null };
}

type Rebase = { edit: LayoutEdit; keep: KeptDrafts };

/** Publishes the edited version in place of the draft, and saves the edited draft again. */
async function rebase(
  layout: Layout,
  current: { published: Version; draft: Version },
  { edit, keep, ofPublished }: Rebase & { ofPublished: DraftContent },
): Promise<EditedLayout> {
  const { saved } = current.draft;
  const rebased = rebasedContent(saved, edit);
  // After the edit, the draft contains nothing else.
  if (sameContent(rebased, ofPublished)) return saveAndPublish(layout, current, ofPublished);
  await keepDraft(keep, layout.layoutId, { content: saved, replacedBy: contentDigest(ofPublished) });
  const onRestored = () => keep.delete(layout.layoutId);
  const { publishedVersionId } = await saveAndPublish(layout, current, ofPublished, onRestored);
  return saveRebased(layout, publishedVersionId, { rebased, keep });
}

function rebasedContent(draft: DraftContent, edit: LayoutEdit): DraftContent {
  return editedContent(editable(draft), edit) ?? draft;
}

async function saveRebased(
  layout: Layout,
  publishedVersionId: string | null,
  { rebased, keep }: { rebased: DraftContent; keep: KeptDrafts },
): Promise<EditedLayout> {
  const published = publishedVersionId === null ? undefined : { id: publishedVersionId };
  const id = await saveDraft(layout, { published, draft: undefined }, rebased);
  await keep.delete(layout.layoutId);
  return result("rebased", { published, draft: { id } });
}

/**
 * Completes what an interrupted run has begun. If that run did not publish, the former draft is saved again, and the
 * edit starts from the beginning.
 *
 * @returns undefined if the edit must start from the beginning
 * @throws ServiceError 409 DRAFT_STALE if another user has saved a draft since
 */
async function completeRebase(
  layout: Layout,
  current: Versions,
  { edit, kept, keep }: Rebase & { kept: KeptDraft },
): Promise<EditedLayout | undefined> {
  const { published, draft } = current;
  const rebased = rebasedContent(kept.content, edit);
  const isInPlace = (version: Version | undefined) =>
    version !== undefined && [kept.content, rebased].some((content) => isEqual(content, version.content));
  if (!isInPlace(draft) && !isInPlace(published)) {
    if (!draft) return saveRebased(layout, published?.id ?? null, { rebased, keep });
    if (contentDigest(draft.content) !== kept.replacedBy) {
      throw localRefusal(
        409,
        "DRAFT_STALE",
        `the draft ${draft.id} of the layout ${layout.layoutId} was saved after an interrupted edit, which has kept another draft`,
        "Compare the two drafts. Then delete the kept draft, or save it over the other one.",
      );
    }
    await saveDraft(layout, current, kept.content);
  }
  await keep.delete(layout.layoutId);
  return undefined;
}

/**
 * Saves a content as the draft, and publishes it. After a refusal, saves the former draft again, or else the published
 * content.
 *
 * @param onRestored called after a refusal, if the layout has its former draft
 */
async function saveAndPublish(
  layout: Layout,
  current: Versions,
  content: DraftContent,
  onRestored?: () => unknown,
): Promise<EditedLayout> {
  const { published, draft } = current;
  let id: string | undefined;
  try {
    id = await saveDraft(layout, current, content);
    return await publish(layout, current, { id, content });
  } catch (error) {
    const isRefused = error instanceof ServiceError && !mayBeDone(error.status);
    if (!isRefused) throw error;
    const former = draft ?? published;
    if (id !== undefined && former) await restore(layout, { published, draft: { id } }, former.saved, error);
    await onRestored?.();
    throw error;
  }
}

async function restore(layout: Layout, current: VersionIds, content: DraftContent, refusal: ServiceError) {
  try {
    await saveDraft(layout, current, content);
  } catch (error) {
    throw new FormctlError(
      "STOPPED_AFTER_WRITE",
      `the draft ${current.draft?.id} of the layout ${layout.layoutId} is edited and not published (${refusal.message}), and its former content can't be saved again: ${(error as Error).message}`,
      "Compare the draft with the published version.",
      refusal,
    );
  }
}

/** Saves a draft over the current one. @returns the id of the draft */
async function saveDraft(layout: Layout, current: VersionIds, content: DraftContent): Promise<string> {
  const { service, layoutId, mutationId } = layout;
  const expectedDraftVersionId = current.draft?.id ?? null;
  const clientMutationId = mutationId("save", contentDigest(content), expectedDraftVersionId ?? "");
  const body = { clientMutationId, expectedDraftVersionId, ...content, schemaVersion: 1 as const };
  const { draftVersionId } = await service.saveDraft({ layoutId, body }, omitting(layout, current));
  return draftVersionId;
}

async function publish(
  layout: Layout,
  { published }: VersionIds,
  { id: draftVersionId, content }: Pick<Version, "id" | "content">,
): Promise<EditedLayout> {
  const { service, layoutId, mutationId } = layout;
  const staged = new Set(content.stagedFieldDefinitions.map(({ draftId }) => draftId));
  const confirmFieldChanges = layout.confirmFieldChanges
    .filter((draftId) => staged.has(draftId))
    .map((draftId) => ({ draftId, confirmTypeChange: true, confirmValueClear: true }));
  const expectedPublishedVersionId = published?.id ?? null;
  const clientMutationId = mutationId("publish", draftVersionId);
  const body = { clientMutationId, expectedPublishedVersionId, draftVersionId, confirmFieldChanges };
  const current = { published, draft: { id: draftVersionId } };
  const { versionId } = await service.publishLayout({ layoutId, body }, omitting(layout, current));
  return result("published", { published: { id: versionId }, draft: undefined });
}

/** Returns the options of a write for servers that don't check which version it replaces. */
function omitting(layout: Layout, { published, draft }: VersionIds): CallOptions {
  return {
    mayOmit: ["expectedDraftVersionId", "expectedPublishedVersionId", "clientMutationId"],
    async beforeOmission(member) {
      if (member === "clientMutationId") return;
      const now = await readVersions(layout);
      const isExpected =
        member === "expectedDraftVersionId" ? now.draft?.id === draft?.id : now.published?.id === published?.id;
      if (isExpected) return;
      throw localRefusal(409, "DRAFT_STALE", `the layout ${layout.layoutId} was changed after it was read`);
    },
  };
}
