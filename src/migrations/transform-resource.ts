/**
 * Computes the desired manifest of one form or layout. Reads the content, calls the transform, and checks the result.
 */

import type { References } from "../manifests/references.ts";
import {
  contentChanges,
  contentDigest,
  isInitialDraft,
  rememberDigests,
  sameContent,
  settledDigest,
} from "../contents/compare.ts";
import { editable } from "../contents/edited.ts";
import { adoptIds } from "../contents/ids.ts";
import { withoutComputed } from "../contents/normal.ts";
import type { Reader } from "../state/reader.ts";
import type { Manifest } from "../manifests/manifest.ts";
import { once, remember } from "../contents/memory.ts";
import type { Check } from "../manifests/read/check.ts";
import { manifestOf } from "../manifests/read/read-manifest.ts";
import type { ContentState, VersionState } from "../state/state.ts";
import type { DraftContent } from "../schemas/draft.ts";
import { OpenDraftFile } from "../schemas/draft-schema.ts";
import { type Json, type JsonObject, withSortedMembers } from "../schemas/json.ts";
import type { Surface } from "../schemas/layout.ts";
import { readShape } from "../schemas/shape.ts";
import { unlessForbidden } from "../service.ts";
import { callForm, callLayout, type Location, type MigrationCode } from "./call-transform.ts";
import type { About, FormMembers, Transform } from "./definition.ts";
import type { Found } from "./find-resources.ts";
import { memberDigests, membersOf, noNames } from "./form-members.ts";
import { isBroken, type LeftOut, leftOut, reasonOf } from "./left-out.ts";
import { matchesContent, needsContent } from "./match.ts";
import { membersMade } from "./members-made.ts";
import type { FormerDraft, Replaced } from "./record.ts";
import { objectText } from "../lists/addresses.ts";

export type ResourceContext = {
  transform: Transform;
  code: MigrationCode;
  /** The positions of the functions of the migration. They are found once, because the search takes time. */
  positions: Readonly<Record<"layout" | "form", Location>>;
  reader: Reader;
  check: Check;
  references: References;
  /** Whether drafts of users may be overwritten. */
  allowReplace: boolean;
  /** What an interrupted run of this migration replaced, by layout id. */
  recorded: ReadonlyMap<string, Replaced>;
};

/** The result of a transform for one form or layout. Empty if the form or layout does not change. */
export type Transformed = {
  manifest?: Manifest;
  /** Absent if no content changes. */
  layoutId?: string;
  /** The content that was read. Absent without a manifest, and if no content was needed. */
  content?: ContentState;
  /** The content before and after. Absent if only the members of a form change. */
  change?: ContentChange;
  left?: LeftOut;
  /** The id of the layout whose recorded draft was saved again. The content does not change then. */
  savedDraftOf?: string;
};

export type ContentChange = {
  /** The current content of the target. */
  current: DraftContent;
  /** The content that the function of the migration gets: {@link editable} returns it for the current content. */
  before: DraftContent;
  after: DraftContent;
  /** True if the published version changes, false if the draft changes. */
  publish: boolean;
  /** The draft that is saved again. If the published version does not change, `after` is its content. */
  rebased?: Rebased;
  /** The draft that is published in its changed content. */
  ofDraft?: Rebased & { id: string };
};

/** A former draft, and its content after the migration. */
type Rebased = { draft: DraftContent; content: DraftContent };

export function recordedDraft({ draft, content }: Rebased): FormerDraft {
  return { draft: draft as unknown as Json, sha256: contentDigest(draft), written: contentDigest(content) };
}

/**
 * Transforms one form or layout. If the service can't return this form or layout, the result is `left`.
 *
 * @throws the errors of the migration, located in its file
 * @throws the other errors of the service
 */
export async function transformResource(found: Found, context: ResourceContext): Promise<Transformed> {
  try {
    return await transformFound(found, context);
  } catch (error) {
    if (!isBroken(error)) throw error;
    return { left: leftOut(found.about, `it can't be read: ${reasonOf(error)}`) };
  }
}

async function transformFound(found: Found, context: ResourceContext): Promise<Transformed> {
  const { about, namesakes } = found;
  const { transform, reader } = context;
  const match = transform.match ?? {};
  const refuse = (reason: string, hint?: string, isMeant = true): Transformed => ({
    left: leftOut(about, reason, hint, isMeant),
  });
  const readsContent = transform.layout !== undefined || needsContent(match);
  if (about.layoutId === undefined && readsContent) return refuse("the server does not show its layout");
  const content = readsContent ? await reader.content(about.layoutId!, about.surface) : undefined;
  if (content?.isHidden) return refuse("the server does not show which version of its layout is published");
  const versions = content ? [content.published, content.draft].filter((version) => version !== null) : [];
  const isMatch =
    !content ||
    versions.some((version) => matchesContent(match, version.content)) ||
    (await hasMatched(found, content, context));
  if (namesakes && isMatch) {
    const what = about.kind === "Form" ? "forms" : "layouts";
    return refuse(`${namesakes.length} ${what} have this name: ${namesakes.join(", ")}`, "Rename all but one of them.");
  }
  const other = versions.find((version) => version.content.schemaVersion !== 1);
  if (other) {
    const reason = `its layout has the schema version ${other.content.schemaVersion}, and formctl changes only version 1`;
    return refuse(reason, undefined, isMatch);
  }
  if (!isMatch) return {};

  const form = await changedForm(found, context);
  if (form && "left" in form) return form;
  const layout = content && changedContent(found, content, context);
  if (layout && "left" in layout) return layout;
  if (layout && "savedDraftOf" in layout)
    return { ...(form && desired(found, { form, layout: undefined }, context)), ...layout };
  if (!form && !layout) return {};
  return { ...desired(found, { form, layout }, context), ...(content && { content }) };
}

/**
 * Whether an interrupted run has changed the content of a layout that matched before. The changed content may not match.
 * The record counts only if the migration makes the current content of a former content that matches.
 */
async function hasMatched(
  { about }: Found,
  { published, draft }: ContentState,
  context: ResourceContext,
): Promise<boolean> {
  const { recorded, reader, transform } = context;
  const replaced = recorded.get(about.layoutId ?? "");
  if (replaced?.sha256 === undefined) return false;
  const current = replaced.draft === undefined ? published : draft;
  if (!current || contentDigest(current.content) !== replaced.written.sha256) return false;
  const former = await recordedContent(replaced, about.surface, reader);
  if (!former) return false;
  const ofDraft = replaced.rebased ?? replaced.formerDraft;
  const read = ofDraft && recordedRebase(about, ofDraft, context);
  const contents = [former, ...(read && "draft" in read ? [read.draft] : [])];
  return (
    contents.some((content) => isMadeOf(replaced, content, about, context)) &&
    contents.some((content) => matchesContent(transform.match ?? {}, content))
  );
}

/**
 * Returns the former content that a record names: the version that was published before the migration, or the former
 * draft. Undefined if the server no longer has the version, or its content is another one.
 */
export async function recordedContent(
  { layoutId, publishedVersionId, sha256, draft }: Replaced,
  surface: Surface,
  reader: Reader,
): Promise<DraftContent | undefined> {
  if (draft !== undefined) return draftIn(draft);
  const content = await reader.contentOf(layoutId, publishedVersionId, surface);
  return content && contentDigest(content) === sha256 ? content : undefined;
}

/** Returns a recorded draft without the members that servers compute. Undefined if it is no content. */
function draftIn(draft: unknown): DraftContent | undefined {
  try {
    const content = editable(draft as DraftContent);
    return readShape(OpenDraftFile, content).ok ? content : undefined;
  } catch {
    return undefined;
  }
}

type MadeContext = Pick<ResourceContext, "transform" | "code">;

/** Whether the migration makes of a former content what the record states. */
export function isMadeOf(
  { draft, written }: Replaced,
  former: DraftContent,
  about: About,
  context: MadeContext,
): boolean {
  const made = rebase(former, about, context).content;
  return (draft === undefined ? settledDigest(made, about.surface) : contentDigest(made)) === written.sha256;
}

/** Returns the changed members of a form. Undefined if there are none. */
async function changedForm(
  found: Found,
  context: ResourceContext,
): Promise<{ members: Partial<FormMembers> } | { left: LeftOut } | undefined> {
  const { transform, code, reader, references, recorded } = context;
  if (!transform.form || !("state" in found)) return undefined;
  const { about, state } = found;
  const { object, formId } = about;
  const access = await unlessForbidden(() => reader.access(object, formId));
  const read = { ...state, access };
  const replaced = recorded.get(formId);
  const former = replaced?.members;
  if (!former) {
    const members = callForm(transform, code, membersOf(object, read, references.nameOf), about);
    return members && { members };
  }
  // An interrupted run may have changed some of the members. The function gets the members from before that run. A
  // member of the record counts only if the function makes the current member of it.
  const made = membersMade({ about, state: read }, former, { transform, code, references });
  const now = memberDigests(membersOf(object, read, noNames));
  const old = memberDigests(former);
  const written = replaced.written.members ?? {};
  const isOfRun = (member: string) =>
    now[member] === written[member] && (member === "defaultFor" || now[member] === made?.digests[member]);
  const touched = Object.keys(former).find((member) => now[member] !== old[member] && !isOfRun(member));
  if (!made || touched !== undefined) {
    const reason = `${touched ?? "the form"} was changed since the interrupted run of this migration`;
    return { left: leftOut(about, reason, CHECK_AGAIN) };
  }
  return made.changed && { members: made.changed };
}

const CHECK_AGAIN = "Compare it with the migration, and change it yourself if necessary.";

/** Returns the changed content of a layout. Undefined if the content does not change. */
function changedContent(
  { about }: Found,
  { published, draft }: ContentState,
  context: ResourceContext,
): ContentChange | { left: LeftOut } | { savedDraftOf: string } | undefined {
  const { transform, code, allowReplace, recorded } = context;
  const replaced = recorded.get(about.layoutId ?? "");
  const transformed = (version: VersionState): ContentChange | undefined => {
    const before = editable(version.content);
    const result = callLayout(transform, code, before, about);
    if (!result) return undefined;
    const after = withSortedMembers(adoptIds(result, version.content));
    // The plan compares these contents later. The digests and changes are computed here, while other requests are
    // running.
    remember(after);
    remember(version.content);
    contentChanges(after, version.content);
    if (sameContent(after, version.content)) return undefined;
    rememberDigests([after, version.content]);
    once("sorted", after, undefined, () => after);
    return { before, after, current: version.content, publish: version === published };
  };
  const ofDraft = !published || replaced?.draft !== undefined;
  const compared = ofDraft ? draft : published;
  const progress = compared && replaced ? progressOf(compared, replaced) : "open";
  if (progress === "done" && replaced?.rebased && published)
    return unsavedDraft(about, { recorded: replaced.rebased, published, draft }, context);
  if (progress === "done") return undefined;
  if (progress === "unknown") {
    return { left: leftOut(about, "its layout was changed since the interrupted run of this migration", CHECK_AGAIN) };
  }
  const ownDraft = draft && !isInitialDraft(draft, published) ? draft : null;
  if (!published || !ownDraft) {
    const version = published ?? ownDraft;
    return version ? transformed(version) : undefined;
  }
  const change = transformed(published);
  // The published version does not change, but the draft may still change.
  if (!change) return transformed(ownDraft);
  if (contentDigest(ownDraft.content) === contentDigest(published.content)) return change;
  if (sameContent(change.after, ownDraft.content)) {
    // An interrupted run may have saved the changed layout in place of a draft.
    const rebased = replaced?.rebased && recordedRebase(about, replaced.rebased, context);
    return rebased && "left" in rebased ? rebased : { ...change, ...(rebased && { rebased }) };
  }
  if (transform.drafts === "rebase") return { ...change, rebased: rebase(ownDraft.content, about, context) };
  if (transform.drafts === "publish")
    return changeOfDraft(about, { draft: ownDraft, published, recorded: replaced?.formerDraft }, context);
  if (allowReplace) return change;
  return {
    left: leftOut(
      about,
      `the published layout and the unpublished draft ${ownDraft.id} differ, and publishing the changed layout would lose the draft`,
      `Publish the draft: formctl layouts publish ${about.layoutId}. Or add drafts: "rebase" to the migration to keep it, or drafts: "publish" to change and publish it. Or overwrite it with --allow-replace.`,
    ),
  };
}

/** Returns the change that publishes a draft. An interrupted run may have saved the changed draft. */
function changeOfDraft(
  about: About,
  { published, draft, recorded }: { published: VersionState; draft: VersionState; recorded: FormerDraft | undefined },
  context: ResourceContext,
): ContentChange | { left: LeftOut } {
  const isSaved = recorded !== undefined && contentDigest(draft.content) === recorded.written;
  const made = isSaved ? recordedRebase(about, recorded, context) : rebase(draft.content, about, context);
  if ("left" in made) return made;
  const ofDraft = { ...made, id: draft.id };
  return { before: editable(made.draft), after: made.content, current: published.content, publish: true, ofDraft };
}

function rebase(content: DraftContent, about: About, { transform, code }: MadeContext): Rebased {
  const draft = { ...content, blocks: withoutComputed(content.blocks) };
  const result = callLayout(transform, code, editable(content), about);
  return { draft, content: result ? withSortedMembers(adoptIds(result, draft)) : draft };
}

/** Returns the draft of a record. It counts only if the migration makes of it what the record states. */
export function recordedRebase(
  about: About,
  { draft, sha256, written }: FormerDraft,
  context: MadeContext,
): Rebased | { left: LeftOut } {
  const former = draftIn(draft);
  const rebased = former && contentDigest(former) === sha256 ? rebase(former, about, context) : undefined;
  if (rebased && contentDigest(rebased.content) === written) return rebased;
  return { left: leftOut(about, "the record does not contain its former draft", CHECK_AGAIN) };
}

/** Returns the change that saves a draft again, after an interrupted run has published the changed layout. */
function unsavedDraft(
  about: About,
  { recorded, published, draft }: { recorded: FormerDraft; published: VersionState; draft: VersionState | null },
  context: ResourceContext,
): ContentChange | { left: LeftOut } | { savedDraftOf: string } {
  const digest = draft && contentDigest(draft.content);
  if (digest === recorded.written) return { savedDraftOf: about.layoutId! };
  const isOther = digest !== null && digest !== recorded.sha256 && digest !== contentDigest(published.content);
  if (isOther && !context.allowReplace) {
    return {
      left: leftOut(
        about,
        `the draft ${draft!.id} was saved after the interrupted run of this migration, which has not saved the former draft again`,
        "To overwrite it with the former draft, add --allow-replace.",
      ),
    };
  }
  const rebased = recordedRebase(about, recorded, context);
  if ("left" in rebased) return rebased;
  const { content: after } = rebased;
  return { before: editable(rebased.draft), after, current: published.content, publish: false, rebased };
}

/**
 * Compares a version with the record of an interrupted run:
 * - `open`: the run has not changed the version
 * - `done`: the run has changed the version
 * - `unknown`: the version has changed in another way since the run
 */
function progressOf({ content }: VersionState, { sha256, written }: Replaced): "done" | "open" | "unknown" {
  if (written.sha256 === undefined || written.sha256 === sha256) return "open";
  const digest = contentDigest(content);
  return digest === written.sha256 ? "done" : digest === sha256 ? "open" : "unknown";
}

type Desired = {
  form: { members: Partial<FormMembers> } | undefined;
  layout: ContentChange | undefined;
};

/** Returns the manifest of a resource, and adds it to the check. */
function desired(found: Found, { form, layout }: Desired, context: ResourceContext): Transformed {
  const { about } = found;
  const { transform, code, positions } = context;
  const locate = locatorOf(positions, about.address);
  const staged = new Set(layout?.after.stagedFieldDefinitions.map(({ draftId }) => draftId));
  const confirmFieldChanges = (transform.confirmFieldChanges ?? []).filter((draftId) => staged.has(draftId));
  const members = {
    ...identifyingMembers(found, form),
    ...(confirmFieldChanges.length > 0 && { confirmFieldChanges }),
    publish: layout?.publish ?? true,
  };
  const read = manifestOf(members, {
    file: code.file,
    locate,
    ...(layout && { content: layout.after }),
  });
  if ("problems" in read) {
    // `callForm` has checked the result of the migration. So the problem is in a member that the migration does not
    // change.
    const [problem] = read.problems;
    return { left: leftOut(about, `manifests do not support it: ${problem?.message ?? "a member is invalid"}`) };
  }
  const computedFrom = layout && settledDigest(layout.current, about.surface);
  const manifest: Manifest = {
    ...read.manifest,
    ...(computedFrom !== undefined && { computedFrom }),
    ...(layout?.rebased && { rebased: layout.rebased.content }),
    ...(layout?.ofDraft && { fromDraft: layout.ofDraft.id }),
  };
  context.check.add(manifest);
  return { manifest, ...(layout && { change: layout, layoutId: about.layoutId! }) };
}

/** Returns the members of the manifest that identify the form or layout. Adds the members that change. */
function identifyingMembers(found: Found, form: Desired["form"]): JsonObject {
  if (!("state" in found)) {
    const { name, surface, modes, target } = found.about;
    return { kind: "Layout", name, surface, supportedModes: [...modes], target };
  }
  const { object } = found.about;
  const { name, types } = found.state.form;
  const changed = form?.members ?? {};
  const isRenamed = changed.name !== undefined && changed.name !== name;
  return {
    kind: "Form",
    object: objectText(object),
    name,
    types,
    ...changed,
    ...(isRenamed && { renamedFrom: name }),
  };
}

/**
 * Returns a function that locates the problems of a resource. The location is the migration's function for the form or
 * layout.
 */
function locatorOf(positions: ResourceContext["positions"], address: string): Manifest["locate"] {
  return (problem) => ({
    ...problem,
    message: `${address}: ${problem.message}`,
    ...positions[problem.path?.startsWith("layout") ? "layout" : "form"],
  });
}
