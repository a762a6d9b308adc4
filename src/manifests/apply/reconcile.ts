/**
 * Compares the steps of a saved plan with the target, after a run of the plan was interrupted. Finds out which steps
 * are applied. Also finds out whether the remaining steps would overwrite a change of another user.
 */

import { assignmentsOf, assignmentsText } from "../../lists/layouts.ts";
import { wholeForm } from "../../lists/forms.ts";
import type { AccessAnswer } from "../../schemas/answers.ts";
import type { DraftContent } from "../../schemas/draft.ts";
import { DEFAULT_FLAG, MODES } from "../../schemas/words.ts";
import { readLayout, type Service } from "../../service.ts";
import { contentDigest, sameContent } from "../content/compare.ts";
import { holdersOf, toFormState } from "../current/forms.ts";
import { surfaceOf } from "../state.ts";
import { toLayoutState } from "../current/layouts.ts";
import { hiddenContent, readContent } from "../current/versions.ts";
import { canonicalAccess, canonicalAssignments } from "../plan/changes.ts";
import { replacedAspect, replacedDefaults, replacedDraft, replacedForm, replacedMembers } from "../plan/digests.ts";
import type { PlannedResource, PlannedStep, Replaced, StepRequest } from "../plan/planned.ts";
import { isNotFound } from "./create.ts";
import { type CreateRequest, findCreated, hasMembers, type Lookup, setText, showsMembers } from "./lookup.ts";
import type { Ids } from "./recorded-runs.ts";
import { formPath, initialDraftIds, type KnownIds, layoutOf } from "./steps.ts";

/** Whether the effect of a step exists on the target. `unknown` if the server does not show the effect. */
export type StepState = { state: "applied"; ids: Ids } | { state: "notApplied" } | { state: "unknown" };

const NOT_APPLIED: StepState = { state: "notApplied" };
const UNKNOWN: StepState = { state: "unknown" };

export type Reading = {
  service: Service;
  resource: PlannedResource;
  known: KnownIds;
  /** Shared by all resources. Its lists stay current, because this run writes nothing during the comparison. */
  lookup: Lookup;
};

/** Reads whether a step is applied. @throws AmbiguousNames if several records may be the created record */
export async function readStepState(reading: Reading, request: StepRequest): Promise<StepState> {
  const { service, resource, known } = reading;
  switch (request.operation) {
    case "createForm":
    case "createLayout":
      return readCreation(reading, request);
    case "updateForm":
      return membersState(await service.getForm(formPath(resource, known)), request.body);
    case "updateLayout": {
      const layout = await readLayout(service, layoutOf(resource, known));
      return layout ? membersState(layout, request.body) : UNKNOWN;
    }
    case "saveDraft": {
      const { draft, isHidden } = await readContent(service, layoutOf(resource, known), surfaceOf(resource.subject));
      if (isHidden) return UNKNOWN;
      const isSaved = draft && contentDigest(draft.content) === contentDigest(request.content);
      return isSaved ? { state: "applied", ids: { draftVersionId: draft.id } } : NOT_APPLIED;
    }
    case "publishLayout": {
      const draft = request.draft ?? known.draft;
      const versions = await service.listVersions({ layoutId: layoutOf(resource, known) });
      const version = versions.find(({ id }) => id === draft);
      if (version && version.status === undefined) return UNKNOWN;
      return version?.status === "PUBLISHED" ? { state: "applied", ids: { versionId: version.id } } : NOT_APPLIED;
    }
    case "replaceFormAccess":
      return stateIf(accessText(await service.getFormAccess(formPath(resource, known))) === accessText(request.body));
    case "replaceAssignments": {
      const layout = await readLayout(service, layoutOf(resource, known));
      const assigned = layout && assignmentsOf(layout);
      return assigned ? stateIf(assignmentsText(assigned) === assignmentsText(request)) : UNKNOWN;
    }
    case "deleteForm":
      return stateIf(await isMissing(() => service.getForm(formPath(resource, known))));
    default:
      return readDefaults(reading, request);
  }
}

/** Reads whether a creation is applied. If the id of the created record is known, only this record counts. */
async function readCreation(reading: Reading, request: CreateRequest): Promise<StepState> {
  const { service, resource, known } = reading;
  const found = await findCreated(reading, resource.address, request);
  if (found === "unknown") return UNKNOWN;
  if (!found || (known.layoutId !== undefined && known.layoutId !== found.layoutId)) return NOT_APPLIED;
  if (known.layoutId !== undefined) return { state: "applied", ids: found };
  const draft = await initialDraftIds(service, found.layoutId, { isOld: true });
  return { state: "applied", ids: { ...found, ...draft } };
}

async function readDefaults(
  { resource, known, lookup }: Reading,
  { take, leave }: StepRequest & { operation: "updateFormDefaults" },
): Promise<StepState> {
  const { formId, ...object } = formPath(resource, known);
  const form = (await lookup.formsOf(object)).find(({ id }) => id === formId);
  const flags = [...take, ...leave].map((mode) => ({ now: form?.[DEFAULT_FLAG[mode]], wanted: take.includes(mode) }));
  if (flags.some(({ now }) => now === undefined)) return UNKNOWN;
  // A plan moves each default only once. So no other step of the plan changes these flags.
  return stateIf(flags.every(({ now, wanted }) => now === wanted));
}

function membersState(record: object, sent: Readonly<Record<string, unknown>>): StepState {
  if (!hasMembers(record, sent)) return NOT_APPLIED;
  return showsMembers(record, sent) ? { state: "applied", ids: {} } : UNKNOWN;
}

function stateIf(isApplied: boolean): StepState {
  return isApplied ? { state: "applied", ids: {} } : NOT_APPLIED;
}

function accessText({ users, roles }: AccessAnswer): string {
  const rows = [
    ...users.map(({ membershipId, types }) => `user ${membershipId} ${setText(types)}`),
    ...roles.map(({ roleId, types }) => `role ${roleId} ${setText(types)}`),
  ];
  return rows.sort().join("\n");
}

async function isMissing(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await read();
    return false;
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}

/** All steps of a resource in their order, and the indexes of the applied steps. */
type Steps = { steps: readonly PlannedStep[]; applied: { has(step: number): boolean } };

/**
 * Whether another user saved or published a version after the plan was created or last ran. A server that accepts
 * `expectedDraftVersionId` and `expectedPublishedVersionId` refuses to overwrite such a version. This check adds three
 * things:
 *
 * - It works on every server.
 * - It finds the version before the first write.
 * - It also finds a changed draft with an unchanged id.
 */
export async function areVersionsChanged(
  { service, resource, known }: Reading,
  { steps, applied }: Steps,
): Promise<boolean> {
  const layoutId = known.layoutId ?? resource.layoutId;
  const remaining = steps.filter((_, index) => !applied.has(index));
  const requests = remaining.map(({ request }) => request);
  const saving = requests.find((request) => request.operation === "saveDraft");
  const publishing = requests.find((request) => request.operation === "publishLayout");
  if (layoutId === undefined || (known.draft == null && !saving && !publishing)) return false;
  const content = await readContent(service, layoutId, surfaceOf(resource.subject)).catch((error: unknown) => {
    // Some servers show no versions of a new layout before its first draft is saved.
    if (isNotFound(error) && known.layoutId !== undefined && known.draft === undefined) return hiddenContent(layoutId);
    throw error;
  });
  const { draft, published, earlier, isHidden } = content;
  if (isHidden) return known.draft != null && earlier.every(({ id }) => id !== known.draft);
  if (known.initialDraft === null && known.draft === undefined && saving) {
    // Another version was saved after the creation. If another run saved the same content, there is no conflict.
    return ![draft, published].some((version) => version && isSentContent(version.content, saving.content));
  }
  const replaced = known.initialDraft ?? saving?.replaces;
  const expectedDraft = known.draft !== undefined ? known.draft : saving ? replaced : publishing?.draft;
  const expectedPublished = known.published ?? publishing?.published;
  if (differs(expectedDraft, draft?.id) || (!!publishing && differs(expectedPublished, published?.id))) return true;
  if (!draft) return false;
  if (known.draft != null) {
    const saved = steps.findLast(({ request }, index) => applied.has(index) && request.operation === "saveDraft");
    return saved?.request.operation === "saveDraft" && !isSentContent(draft.content, saved.request.content);
  }
  return remaining.some(
    ({ replaces = {} }) => replaces["draft"] !== undefined && replaces["draft"] !== replacedDraft(draft)["draft"],
  );
}

function differs(expected: string | null | undefined, id: string | undefined): boolean {
  return expected !== undefined && expected !== (id ?? null);
}

/** Whether the server shows the content that was sent. Ids and default values that the server added are ignored. */
function isSentContent(shown: DraftContent, sent: DraftContent): boolean {
  return contentDigest(shown) === contentDigest(sent) || sameContent(sent, shown);
}

/**
 * Whether a remaining step would overwrite a change of another user. An aspect (such as the name or the access) is
 * changed if it differs from what the plan read. Ignores aspects that an applied step has written, and steps whose
 * effect already exists.
 */
export async function areAspectsChanged(reading: Reading, { steps, applied }: Steps): Promise<boolean> {
  const aspectsOf = (of: readonly PlannedStep[]) => of.flatMap(({ replaces }) => Object.keys(replaces ?? {}));
  const written = new Set(aspectsOf(steps.filter((_, index) => applied.has(index))));
  const remaining = steps.filter((_, index) => !applied.has(index));
  const aspects = new Set(aspectsOf(remaining).filter((aspect) => !written.has(aspect)));
  if (aspects.size === 0) return false;
  const current = reading.resource.kind === "Form" ? await ofForm(reading, aspects) : await ofLayout(reading, aspects);
  for (const { request, replaces = {} } of remaining) {
    const isChanged = ([aspect, digest]: [string, string]) =>
      aspects.has(aspect) && current[aspect] !== undefined && current[aspect] !== digest;
    if (!Object.entries(replaces).some(isChanged)) continue;
    if ((await readStepState(reading, request)).state !== "applied") return true;
  }
  return false;
}

async function ofForm({ service, resource, known, lookup }: Reading, aspects: ReadonlySet<string>): Promise<Replaced> {
  const path = formPath(resource, known);
  const states = (await lookup.formsOf(path)).map(toFormState);
  const listed = states.find((state) => state.form.id === path.formId)?.listed;
  const showsDefaults = states.every(({ defaultFor }) => defaultFor);
  return {
    ...(listed && { ...replacedMembers(aspects, await wholeForm(service, path, listed)), ...replacedForm(listed) }),
    ...(showsDefaults && replacedDefaults(MODES, holdersOf(states))),
    ...(aspects.has("access") && replacedAspect("access", canonicalAccess(await service.getFormAccess(path)))),
  };
}

async function ofLayout({ service, resource, known }: Reading, aspects: ReadonlySet<string>): Promise<Replaced> {
  const layout = await readLayout(service, layoutOf(resource, known));
  if (!layout) return {};
  const state = toLayoutState(layout);
  const { assignments } = state;
  return {
    ...replacedMembers(aspects, state),
    ...replacedAspect("assignments", assignments && canonicalAssignments(assignments)),
  };
}
