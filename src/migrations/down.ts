/** Reverts a transform: opens a project whose plan brings back what the transform replaced. */

import pMap from "p-map";
import { wholeForm } from "../lists/forms.ts";
import { wholeVersion } from "../lists/versions.ts";
import { objectText } from "../manifests/address.ts";
import { contentDigest, isInitialDraft, sameContent, settledDigest } from "../manifests/content/compare.ts";
import { listForms, toFormState } from "../manifests/current/forms.ts";
import { listAllLayouts } from "../manifests/current/layouts.ts";
import { readContent, shownContentOf } from "../manifests/current/versions.ts";
import type { Manifest, ObjectKey } from "../manifests/manifest.ts";
import type { ProjectHost } from "../manifests/project/context.ts";
import type { Project, ProjectOptions } from "../manifests/project/project.ts";
import type { Check } from "../manifests/read/check.ts";
import { manifestOf } from "../manifests/read/read-manifest.ts";
import type { ContentState, FormState } from "../manifests/state.ts";
import type { LayoutAnswer } from "../schemas/answers.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { JsonObject } from "../schemas/json.ts";
import type { Surface } from "../schemas/layout.ts";
import { readLayout, type Service } from "../service.ts";
import { type Computed, type Computing, openComputed } from "./computed-project.ts";
import { ownTarget } from "./find-resources.ts";
import { memberDigests, membersOf, noNames } from "./form-members.ts";
import { byAddress, isBroken, type LeftOut, leftOut, reasonOf } from "./left-out.ts";
import type { Replaced } from "./record.ts";
import { editable } from "./transform-resource.ts";

export type DownOptions = Omit<ProjectOptions, "desired" | "manifests" | "variables"> & {
  /** What the migration replaced: a result of `TransformProject.replaced`. */
  replaced: readonly Replaced[];
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

type DownContext = Pick<DownOptions, "allowReplace" | "overwrite" | "file"> & { service: Service; check: Check };
type Restored = { manifest?: Manifest; left?: LeftOut };

/**
 * Opens the reversal of a transform as a project. Its plan brings back the former contents and members. A resource that
 * can't come back is left out. Without `overwrite`, a resource that was changed after the migration is left out too. A
 * resource that is as before needs no step.
 */
export function downProject(options: DownOptions, host: ProjectHost): DownProject {
  const { replaced, target, onProgress } = options;
  const concurrency = options.concurrency ?? target.concurrency;
  let left: readonly LeftOut[] = [];
  let lost: { address: string; what: string }[] = [];

  async function compute({ service, check }: Computing): Promise<Computed> {
    const context = { ...options, service, check };
    const presentOf = await findPresent(service, replaced, concurrency);
    let done = 0;
    const restored = await pMap(
      replaced,
      async (each) => {
        const result = await restore(each, presentOf(each), context);
        onProgress?.({ stage: "reading", done: ++done, total: replaced.length });
        return result;
      },
      { concurrency },
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
  service: Service,
  replaced: readonly Replaced[],
  concurrency: number,
): Promise<(each: Replaced) => Promise<Present | undefined>> {
  const isForm = ({ formId }: Replaced) => formId !== undefined;
  const objects = new Map(
    replaced.filter(isForm).map(({ address }) => [objectText(objectOf(address)), objectOf(address)]),
  );
  const lists = await listForms(service, [...objects.values()], concurrency);
  const forms = new Map(
    [...objects.values()].flatMap((object, index) => lists[index]!.map((form) => [form.id, { object, form }] as const)),
  );
  const listed = replaced.every(isForm) ? [] : ((await listAllLayouts(service, undefined, concurrency)) ?? []);
  const layouts = new Map(listed.map((layout) => [layout.id, layout]));
  return async ({ formId, layoutId, members }) => {
    if (formId === undefined) {
      const layout = layouts.get(layoutId) ?? (await readLayout(service, layoutId));
      const { name, surface, status } = layout ?? {};
      if (!layout || name === undefined || surface === undefined || status === "ARCHIVED") return undefined;
      return { kind: "Layout", layout: { ...layout, name, surface: surface as Surface } };
    }
    const found = forms.get(formId);
    if (!found) return undefined;
    const { object } = found;
    const form = await wholeForm(service, object, found.form);
    const access = members?.["access"] === undefined ? undefined : await service.getFormAccess({ ...object, formId });
    return { kind: "Form", object, state: { ...toFormState(found.form), form, access } };
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
  const surface = present.kind === "Form" ? "DYNAMIC_OBJECT" : present.layout.surface;
  const former = present.kind === "Form" ? formerMembers(replaced, present, context) : { members: {} };
  if ("left" in former) return former;
  const { members } = former;
  const content = replaced.sha256 === undefined ? undefined : await formerContent(replaced, surface, context);
  if (content && "left" in content) return content;
  if (!content && Object.keys(members).length === 0) return {};
  const read = manifestOf(
    { ...resourceMembers(present, members), publish: content?.publish ?? true },
    {
      file: context.file,
      locate: (problem) => ({ ...problem, file: context.file, line: 1, column: 1 }),
      ...(content && { content: content.content }),
    },
  );
  if ("problems" in read) return { left: leftOut(replaced, read.problems[0]?.message ?? "a member is invalid") };
  const manifest = { ...read.manifest, ...(content && { computedFrom: content.computedFrom }) };
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

/**
 * Returns the former values of the members that the migration changed. Members that already have their former value are
 * left out.
 */
function formerMembers(
  replaced: Replaced,
  { object, state }: Present & { kind: "Form" },
  { overwrite }: DownContext,
): { members: JsonObject } | { left: LeftOut } {
  const { members = {}, written } = replaced;
  const now = memberDigests(membersOf(object, state, noNames));
  const old = memberDigests(members);
  const different = Object.keys(members).filter((member) => now[member] !== old[member]);
  const touched = different.filter((member) => now[member] !== written.members?.[member]);
  if (touched.length > 0 && !overwrite) {
    return { left: leftOut(replaced, `${touched.join(", ")} changed since the migration`, OVERWRITE) };
  }
  return { members: Object.fromEntries(different.map((member) => [member, members[member]])) };
}

const OVERWRITE = "Change it yourself, or bring back the former state anyway with --overwrite.";

type FormerContent = { content: DraftContent; publish: boolean; computedFrom: string };

/** Returns the former content. Undefined if the layout already has the former content. */
async function formerContent(
  replaced: Replaced,
  surface: Surface,
  context: DownContext,
): Promise<FormerContent | { left: LeftOut } | undefined> {
  const { layoutId, sha256, written, draft: formerDraft } = replaced;
  const { service, overwrite, allowReplace } = context;
  const refuse = (reason: string, hint?: string) => ({ left: leftOut(replaced, reason, hint) });
  const current = await readContent(service, layoutId, surface);
  if (current.isHidden) return refuse("the server does not show which version of its layout is published");
  const publish = formerDraft === undefined;
  const compared = publish ? current.published : current.draft;
  const digest = compared && contentDigest(compared.content);
  if (digest === sha256 && sha256 !== written.sha256) return undefined;
  if (digest !== written.sha256 && !overwrite) return refuse(changeSince(replaced, current), OVERWRITE);
  const former = publish ? await formerVersion(replaced, surface, service) : (formerDraft as unknown as DraftContent);
  if (!former) {
    return refuse(`the server no longer has the version ${replaced.publishedVersionId} with its former content`);
  }
  const content = editable(former);
  if (publish && current.draft && !allowReplace && isOwnWork(current.draft, current, content)) {
    return refuse(
      `its layout has the unpublished draft ${current.draft.id}, which would be lost`,
      `Publish the draft (formctl layouts publish ${layoutId}), or overwrite it with --allow-replace.`,
    );
  }
  return { content, publish, computedFrom: compared ? settledDigest(compared.content, surface) : "" };
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

/**
 * Returns the content of the version that was published before the migration. Undefined if the server no longer has
 * this content.
 */
async function formerVersion(
  { layoutId, publishedVersionId, sha256 }: Replaced,
  surface: Surface,
  service: Service,
): Promise<DraftContent | undefined> {
  const listed = (await service.listVersions({ layoutId })).find(({ id }) => id === publishedVersionId);
  if (!listed) return undefined;
  const content = shownContentOf(await wholeVersion(service, layoutId, listed), surface);
  return contentDigest(content) === sha256 ? content : undefined;
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
