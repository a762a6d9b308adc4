/** Reverts a transform: opens a project whose plan brings back what the transform replaced. */

import pMap from "p-map";
import { layoutAddress, formAddress, objectText, type ObjectKey } from "../lists/addresses.ts";
import { isUserLayout } from "../lists/layouts.ts";
import { contentDigest, isInitialDraft, sameContent, settledDigest } from "../contents/compare.ts";
import { editable } from "../contents/edited.ts";
import { toFormState, type ContentState, type FormState } from "../state/state.ts";
import type { Reader } from "../state/reader.ts";
import type { Manifest } from "../manifests/manifest.ts";
import type { ProjectHost, Project, ProjectSetup } from "../project/project.ts";
import type { Check } from "../manifests/read/check.ts";
import { manifestOf } from "../manifests/read/read-manifest.ts";
import type { References } from "../manifests/references.ts";
import type { LayoutAnswer } from "../schemas/answers.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { JsonObject } from "../schemas/json.ts";
import type { Surface } from "../schemas/layout.ts";
import { unlessForbidden } from "../service.ts";
import type { MigrationCode } from "./call-transform.ts";
import { type Computed, type Computing, openComputed } from "./computed-project.ts";
import type { About, FormMembers, Transform } from "./definition.ts";
import { type FoundForm, type FoundLayout, ownTarget } from "./find-resources.ts";
import { memberDigests, membersOf, noNames } from "./form-members.ts";
import { byAddress, isBroken, type LeftOut, leftOut, reasonOf } from "./left-out.ts";
import { matchesContent, matchesRecord, needsContent } from "./match.ts";
import { type MembersMade, membersMade } from "./members-made.ts";
import type { Replaced } from "./record.ts";
import { isMadeOf, recordedContent, recordedRebase } from "./transform-resource.ts";

export type DownOptions = Omit<ProjectSetup, "desired" | "manifests" | "variables"> & {
  /** What the migration replaced: a result of `TransformProject.replaced`. */
  replaced: readonly Replaced[];
  /** The migration. Only what it matches and changes is brought back. */
  transform: Transform;
  code: MigrationCode;
  /** The name of the migration file, in which the problems of the plan are located. */
  file: string;
  /** Whether drafts of users may be overwritten. If not, a layout with a user's draft is left out. Default: false. */
  allowReplace?: boolean;
  /**
   * Also brings back forms and layouts that were changed after the migration. By default, these resources are left out.
   */
  overwrite?: boolean;
};

export type DownProject = Project & {
  /** Returns what the last `plan` or `apply` left out. */
  left(): readonly LeftOut[];
  /**
   * Returns the effects that can't be reverted, such as cleared values. Includes only the resources that the last
   * `plan` or `apply` brings back.
   */
  lost(): readonly { address: string; what: string }[];
};

/** The current state of a form or layout. */
type Present =
  | { kind: "Form"; object: ObjectKey; state: FormState }
  | { kind: "Layout"; layout: LayoutAnswer & { name: string; surface: Surface } };

type DownContext = Pick<DownOptions, "allowReplace" | "overwrite" | "file" | "transform" | "code"> & {
  reader: Reader;
  check: Check;
  references: References;
  /** Whether the migration changes the default forms of an object, also of forms that it does not match. */
  takesDefaults: (object: ObjectKey) => Promise<boolean>;
};
type Restored = { manifest?: Manifest; left?: LeftOut };

/**
 * Opens the reversal of a transform as a project. Its plan brings back the former contents and members. A resource that
 * can't come back is left out. Without `overwrite`, a resource that was changed after the migration is left out too. A
 * resource that is as before needs no step.
 */
export function downProject(options: DownOptions, host: ProjectHost): DownProject {
  const { replaced, target, onProgress, transform } = options;
  const match = transform.match ?? {};
  let left: readonly LeftOut[] = [];
  let lost: { address: string; what: string }[] = [];

  async function compute({ reader, check }: Computing): Promise<Computed> {
    const references = await target.references();
    const presentOf = await findPresent(reader, options);
    const takesDefaults = async (object: ObjectKey) => {
      const text = objectText(object);
      const ofObject = replaced.filter(
        ({ formId, address }) => formId !== undefined && objectText(objectOf(address)) === text,
      );
      const changes = ofObject.map(async (each) => {
        const present = await presentOf(each);
        if (present?.kind !== "Form" || !matchesRecord(match, aboutForm(each, present))) return false;
        const { changed } = formMade(each, present, { ...options, references }) ?? {};
        return changed?.["defaultFor"] !== undefined || changed?.types !== undefined;
      });
      return (await Promise.all(changes)).includes(true);
    };
    const context = { ...options, reader, check, references, takesDefaults };
    let done = 0;
    const restored = await pMap(
      replaced,
      async (each) => {
        const result = await restore(each, presentOf(each), context);
        onProgress?.({ stage: "reading", done: ++done, total: replaced.length });
        return result;
      },
      { concurrency: reader.concurrency },
    );
    const invalid = invalidContents(restored, check);
    left = [...restored.flatMap((each) => each.left ?? []), ...invalid.values()].toSorted(byAddress);
    const kept = restored.map(({ manifest }) => (manifest && !invalid.has(manifest.address) ? manifest : undefined));
    lost = replaced.flatMap(({ address, lost: texts = [] }, index) =>
      kept[index] ? texts.map((what) => ({ address, what })) : [],
    );
    return { manifests: kept.filter((each) => each !== undefined) };
  }

  return {
    ...openComputed(options, host, compute).project,
    left: () => left,
    lost: () => lost,
  };
}

/**
 * Reads the current resources. @returns a function that returns a resource, or undefined if the resource was deleted
 */
async function findPresent(
  reader: Reader,
  { replaced, transform }: Pick<DownOptions, "replaced" | "transform">,
): Promise<(each: Replaced) => Promise<Present | undefined>> {
  const isForm = ({ formId }: Replaced) => formId !== undefined;
  const objects = new Map(
    replaced.filter(isForm).map(({ address }) => [objectText(objectOf(address)), objectOf(address)]),
  );
  const lists = await reader.forms([...objects.values()]);
  const forms = new Map(
    [...objects.values()].flatMap((object, index) => lists[index]!.map((form) => [form.id, { object, form }] as const)),
  );
  const listed = replaced.every(isForm) ? [] : ((await reader.layouts()) ?? []);
  const layouts = new Map(listed.map((layout) => [layout.id, layout]));
  const read = async ({ formId, layoutId }: Replaced): Promise<Present | undefined> => {
    if (formId === undefined) {
      const layout = layouts.get(layoutId) ?? (await reader.layout(layoutId));
      const { name, surface, status } = layout ?? {};
      if (!layout || name === undefined || surface === undefined || status === "ARCHIVED") return undefined;
      return { kind: "Layout", layout: { ...layout, name, surface: surface as Surface } };
    }
    const found = forms.get(formId);
    if (!found) return undefined;
    const { object } = found;
    const form = await reader.form(object, found.form);
    // The function of the migration gets the access too.
    const access = transform.form && (await unlessForbidden(() => reader.access(object, formId)));
    return { kind: "Form", object, state: { ...toFormState(found.form), form, access } };
  };
  const known = new Map<Replaced, Promise<Present | undefined>>();
  return (each) => {
    const reading = known.get(each) ?? read(each);
    known.set(each, reading);
    return reading;
  };
}

function objectOf(address: string): ObjectKey {
  const [moduleKey = "", objectKey = ""] = address.split("/");
  return { moduleKey, objectKey };
}

async function restore(
  replaced: Replaced,
  reading: Promise<Present | undefined>,
  context: DownContext,
): Promise<Restored> {
  try {
    const present = await reading;
    if (!present) return { left: leftOut(replaced, "it no longer exists") };
    return await restorePresent(replaced, present, context);
  } catch (error) {
    if (!isBroken(error)) throw error;
    return { left: leftOut(replaced, `it can't be read: ${reasonOf(error)}`) };
  }
}

async function restorePresent(replaced: Replaced, present: Present, context: DownContext): Promise<Restored> {
  const about = present.kind === "Form" ? aboutForm(replaced, present) : aboutLayout(present.layout);
  const isMatch = about !== undefined && matchesRecord(context.transform.match ?? {}, about);
  if (!about || (!isMatch && !(await isFormerDefault(replaced, present, context)))) {
    return { left: leftOut(replaced, NO_MATCH, NOT_MADE) };
  }
  const former = present.kind === "Form" ? await formerMembers(replaced, present, isMatch, context) : { members: {} };
  if ("left" in former) return former;
  const { members } = former;
  const content = replaced.sha256 === undefined ? undefined : await formerContent(replaced, about, context);
  if (content && "left" in content) return content;
  if (!content && Object.keys(members).length === 0) return {};
  const formerContents = content ? [content.content, content.wanted.rebased].filter((one) => one !== undefined) : [];
  if (isMatch && !(await hasMatchingContent(about, formerContents, context)))
    return { left: leftOut(replaced, NO_MATCH, NOT_MADE) };
  const read = manifestOf(
    { ...resourceMembers(present, members), publish: content?.publish ?? true },
    {
      file: context.file,
      locate: (problem) => ({ ...problem, file: context.file, line: 1, column: 1 }),
      ...(content && { content: content.content }),
    },
  );
  if ("problems" in read) return { left: leftOut(replaced, read.problems[0]?.message ?? "a member is invalid") };
  const manifest = { ...read.manifest, ...(content && content.wanted) };
  if (content?.publish) context.check.add(manifest);
  return { manifest };
}

/** Returns the members of the manifest that identify the resource, and the former members. */
function resourceMembers(present: Present, members: JsonObject): JsonObject {
  if (present.kind === "Layout") {
    const { name, surface, supportedModes = [], target } = present.layout;
    return { kind: "Layout", name, surface, supportedModes, target: ownTarget(target) };
  }
  const { object, state } = present;
  const { name, types } = state.form;
  const isRenamed = members["name"] !== undefined && members["name"] !== name;
  return { kind: "Form", object: objectText(object), name, types, ...members, ...(isRenamed && { renamedFrom: name }) };
}

const NO_MATCH = "the migration does not match it";
const NOT_MADE =
  "Another user may have changed the record of migrations. Compare it with the migration, and change the form or layout yourself.";

/** Returns the form before the migration. */
function aboutForm(
  { members = {}, layoutId }: Replaced,
  { object, state }: Present & { kind: "Form" },
): FoundForm["about"] {
  const { id: formId } = state.form;
  const { name, types } = { ...state.form, ...(members as Partial<FormMembers>) };
  const address = formAddress(objectText(object), name);
  return { kind: "Form", address, name, surface: "DYNAMIC_OBJECT", modes: types, object, formId, layoutId };
}

/** Returns a layout. Undefined if a form owns the layout, or if it contains the record: no migration matches these. */
function aboutLayout(layout: Extract<Present, { kind: "Layout" }>["layout"]): FoundLayout["about"] | undefined {
  const { id: layoutId, name, surface, supportedModes: modes = [] } = layout;
  if (!isUserLayout(layout)) return undefined;
  const target = ownTarget(layout.target);
  return { kind: "Layout", address: layoutAddress(surface, target, name), name, surface, modes, target, layoutId };
}

/** Whether a former or a current content matches. True for a match without conditions on contents. */
async function hasMatchingContent(
  { layoutId, surface }: FoundForm["about"] | FoundLayout["about"],
  former: readonly DraftContent[],
  { transform: { match = {} }, reader }: DownContext,
): Promise<boolean> {
  if (!needsContent(match) || former.some((content) => matchesContent(match, content))) return true;
  const { published, draft } = await reader.content(layoutId!, surface);
  return [published, draft].some((version) => version && matchesContent(match, version.content));
}

/** Whether a form has only lost its defaults to forms of the migration. */
async function isFormerDefault(
  { members = {}, sha256 }: Replaced,
  present: Present,
  { takesDefaults }: DownContext,
): Promise<boolean> {
  const isOther = present.kind === "Layout" || sha256 !== undefined;
  if (isOther || Object.keys(members).some((member) => member !== "defaultFor")) return false;
  return takesDefaults(present.object);
}

function formMade(
  replaced: Replaced,
  present: Present & { kind: "Form" },
  context: Pick<DownContext, "transform" | "code" | "references">,
): MembersMade | undefined {
  return membersMade({ about: aboutForm(replaced, present), state: present.state }, replaced.members ?? {}, context);
}

/**
 * Returns the former values of the members that the migration changed. Members that already have their former value are
 * left out.
 *
 * @param isMatch whether the migration matches the form
 */
async function formerMembers(
  replaced: Replaced,
  present: Present & { kind: "Form" },
  isMatch: boolean,
  context: DownContext,
): Promise<{ members: JsonObject } | { left: LeftOut }> {
  const { members = {}, written, layoutId } = replaced;
  const { object, state } = present;
  const refuse = (reason: string, hint: string) => ({ left: leftOut(replaced, reason, hint) });
  const ownLayoutId = state.form.viewLayoutId;
  if (ownLayoutId !== undefined && ownLayoutId !== layoutId) return refuse("the record names another layout", NOT_MADE);
  const names = Object.keys(members);
  const made = isMatch && names.length > 0 ? formMade(replaced, present, context) : undefined;
  const old = memberDigests(members);
  const hasDefaults = names.includes("defaultFor") && (await context.takesDefaults(object));
  // The record alone restores nothing, not even with --overwrite: the migration must change each of its members.
  const isMade = (member: string) => {
    if (member === "defaultFor") return hasDefaults;
    const digest = made?.digests[member];
    return digest === written.members?.[member] && digest !== old[member];
  };
  const foreign = names.find((member) => !isMade(member));
  if (foreign !== undefined)
    return refuse(`the migration does not change its ${foreign} as the record states`, NOT_MADE);
  const now = memberDigests(membersOf(object, state, noNames));
  const different = names.filter((member) => now[member] !== old[member]);
  const touched = different.filter((member) => now[member] !== written.members?.[member]);
  // Without its former name or its name after the migration, the form may be another one.
  if (touched.includes("name")) return refuse("its name changed since the migration", "Rename it yourself.");
  if (touched.length > 0 && !context.overwrite) {
    return refuse(`${touched.join(", ")} changed since the migration`, OVERWRITE);
  }
  return { members: Object.fromEntries(different.map((member) => [member, members[member]])) };
}

const OVERWRITE = "Change it yourself, or bring back the former state anyway with --overwrite.";

type FormerContent = {
  content: DraftContent;
  publish: boolean;
  /** Further members of the manifest. */
  wanted: Pick<Manifest, "computedFrom" | "rebased">;
};

/** Returns the former content. Undefined if the layout already has the former content. */
async function formerContent(
  replaced: Replaced,
  about: About,
  context: DownContext,
): Promise<FormerContent | { left: LeftOut } | undefined> {
  const { layoutId, sha256, written, draft: formerDraft } = replaced;
  const { reader, overwrite, allowReplace } = context;
  const { surface } = about;
  const refuse = (reason: string, hint?: string) => ({ left: leftOut(replaced, reason, hint) });
  const current = await reader.content(layoutId, surface);
  if (current.isHidden) return refuse("the server does not show which version of its layout is published");
  const draftDigest = current.draft && contentDigest(current.draft.content);
  if (replaced.rebased && draftDigest !== replaced.rebased.sha256 && draftDigest !== replaced.rebased.written)
    return refuse(
      "the interrupted migration has not saved its draft again",
      "Complete the migration: formctl migrate run",
    );
  const publish = formerDraft === undefined;
  const compared = publish ? current.published : current.draft;
  const digest = compared && contentDigest(compared.content);
  const recorded = replaced.formerDraft ?? replaced.rebased;
  const isRestored = digest === sha256 && sha256 !== written.sha256;
  if (isRestored && (!recorded || draftDigest === recorded.sha256)) return undefined;
  if (digest !== written.sha256 && !isRestored && !overwrite) return refuse(changeSince(replaced, current), OVERWRITE);
  const former = await recordedContent(replaced, surface, reader);
  if (!former) {
    return publish
      ? refuse(`the server no longer has the version ${replaced.publishedVersionId} with its former content`)
      : refuse("the record does not contain its former draft", NOT_MADE);
  }
  const draft = recorded && recordedRebase(about, recorded, context);
  if (draft && "left" in draft) return { left: { ...draft.left, hint: NOT_MADE } };
  // After an interruption, only the draft is saved again.
  if (!isRestored && !isMadeOf(replaced, former, about, context)) {
    // The record alone shows what was published before. A user who may write layouts could name any version there.
    if (draft && isMadeOf(replaced, draft.draft, about, context))
      return refuse(
        "the migration published its draft, so its former version can't be verified",
        `Restore and publish it yourself, then revert the rest: formctl layouts versions restore ${layoutId} ${replaced.publishedVersionId}`,
      );
    return refuse("the migration does not change its layout as the record states", NOT_MADE);
  }
  const content = editable(former);
  const isOfMigration = draftDigest !== null && draftDigest === recorded?.written;
  if (publish && current.draft && !allowReplace && !isOfMigration && isOwnWork(current.draft, current, content)) {
    return refuse(
      `its layout has the unpublished draft ${current.draft.id}, which would be lost`,
      `Publish the draft: formctl layouts publish ${layoutId}. Or overwrite it with --allow-replace.`,
    );
  }
  const computedFrom = compared ? settledDigest(compared.content, surface) : "";
  const wanted = { computedFrom, ...(draft && { rebased: draft.draft }) };
  // An interrupted reversal has published the former content, and not saved the former draft again.
  if (isRestored && draft) return { content: draft.draft, publish: false, wanted };
  return { content, publish, wanted };
}

function changeSince({ draft, written }: Replaced, current: ContentState): string {
  if (draft === undefined) return current.published ? "its layout changed since the migration" : "nothing is published";
  if (current.draft) return "its draft changed since the migration";
  const { published } = current;
  const isPublished = published && contentDigest(published.content) === written.sha256;
  return isPublished ? "its draft was published since the migration" : "its draft no longer exists";
}

/** Whether saving and publishing `content` would lose changes in a draft. */
function isOwnWork(
  draft: NonNullable<ContentState["draft"]>,
  { published }: ContentState,
  content: DraftContent,
): boolean {
  if (isInitialDraft(draft, published) || sameContent(content, draft.content)) return false;
  return !published || contentDigest(draft.content) !== contentDigest(published.content);
}

/** Returns the resources whose former content is no longer valid, for example because a field was deleted. */
function invalidContents(restored: readonly Restored[], check: Check): Map<string, LeftOut> {
  const { problems, ofContents } = check.finish();
  const manifests = new Map(restored.flatMap(({ manifest }) => (manifest ? [[manifest.address, manifest]] : [])));
  const invalid = new Map<string, LeftOut>();
  for (const problem of problems) {
    const manifest = manifests.get(ofContents.get(problem) ?? "");
    if (problem.severity !== "error" || !manifest || invalid.has(manifest.address)) continue;
    invalid.set(manifest.address, leftOut(manifest, `its former layout is no longer valid: ${problem.message}`));
  }
  return invalid;
}
