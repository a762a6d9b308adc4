/**
 * Reads, verifies and writes plan files. A plan file contains a plan and its hash. So the plan can be applied later or
 * on another machine. The file contains no token. It contains all values that apply writes, including values from
 * environment variables.
 *
 * The hash shows that the file is complete. It does not show that formctl wrote the file. So the changes and
 * confirmations are derived again from the steps of the plan. A plan with different changes or confirmations is
 * refused.
 */

import { dirname } from "node:path";
import * as z from "zod/mini";
import { unfitFile } from "../../disk/file-errors.ts";
import { clearDrafts, requireWritable, writeWhole } from "../../disk/write-file.ts";
import { FormctlError, hasCode } from "../../error.ts";
import type { Change } from "../../schemas/content-diff.ts";
import { canonicalJson, isJsonObject } from "../../schemas/json.ts";
import { formatPath, parsePath } from "../../schemas/path.ts";
import { readShape } from "../../schemas/shape.ts";
import { formerAddressOf, objectText } from "../address.ts";
import { digestOf } from "../content/compare.ts";
import { withoutStamp } from "../content/stamp.ts";
import { type CurrentOptions, readSubjects } from "../current/read.ts";
import { findLocked, lastKnown, type Lock } from "../lock.ts";
import { type Current, surfaceOf } from "../state.ts";
import { formChanges, layoutChanges } from "./changes.ts";
import type { NameOf } from "../references.ts";
import { replaceNeed } from "./content-steps.ts";
import { readDigests } from "./digests.ts";
import { type Need, Plan, type PlannedResource, type StepRequest } from "./planned.ts";
import { deletionText, lostWith } from "./form-steps.ts";

const SealedPlan = z.object({
  version: z.literal(1),
  /** The key of the target. */
  place: z.string(),
  /** Scheme, host and port of the server. Null for a local store. */
  origin: z.nullable(z.string()),
  /**
   * The digest of each manifest file of the plan, by path as the user typed it. Apply does not compare these digests.
   * Empty if the desired state was computed, for example by a promotion.
   */
  files: z.readonly(z.record(z.string(), z.string())),
  plan: Plan,
});
export type SealedPlan = z.output<typeof SealedPlan>;

/** Returns the text of a plan file. Its member `sha256` is the hash of the canonical JSON of all other members. */
export function sealPlan({ version, place, origin, files, plan }: SealedPlan): string {
  const sealed = { version, place, origin, files, plan };
  return `${JSON.stringify({ ...sealed, sha256: digestOf(sealed) }, null, 1)}\n`;
}

/**
 * Parses and verifies the text of a plan file.
 *
 * @throws PLAN_UNUSABLE if the text is not a plan of this version
 * @throws PLAN_UNUSABLE if the text was changed, or if the plan does not match its steps
 */
export function openPlan(text: string): SealedPlan {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unusablePlan("the plan is not JSON: it is incomplete, or another file");
  }
  if (!isJsonObject(value) || !("plan" in value)) throw unusablePlan("the file contains no plan");
  const { sha256, ...sealed } = value;
  if (sealed["version"] !== 1) {
    throw unusablePlan(`the plan has version ${JSON.stringify(sealed["version"])}, and only version 1 is supported`);
  }
  if (sha256 !== digestOf(sealed))
    throw unusablePlan("the plan file was changed after it was created: its hash differs");
  const shape = readShape(SealedPlan, sealed);
  if (!shape.ok) {
    const [problem] = shape.problems;
    const what = problem ? `: ${problem.path} ${problem.message}` : "";
    throw unusablePlan(`the file has the hash of a plan, but is not a valid plan${what}`);
  }
  verifyPlan(shape.value.plan);
  return shape.value;
}

/**
 * Writes the file completely or not at all. Only the owner of the file can read it.
 *
 * @throws FILE_UNFIT if the file can't be written
 */
export async function writePlanFile(path: string, text: string): Promise<void> {
  await asPlanFile(() => writeWhole(path, text, 0o600));
  await clearDrafts(dirname(path));
}

/**
 * Checks that `writePlanFile` can write to the path. Call this function before the current state is read.
 *
 * @param project the root of the project
 * @throws FILE_UNFIT if the path is not writable, or leads out of the project
 */
export function requirePlanFile(path: string, project: string): Promise<void> {
  return asPlanFile(() => requireWritable(path, project));
}

async function asPlanFile(use: () => Promise<void>): Promise<void> {
  try {
    await use();
  } catch (error) {
    if (!(hasCode(error, "FILE_UNFIT") || hasCode(error, "FILE_UNWRITABLE"))) throw error;
    // The existing file may be valuable. So the hint does not suggest deleting this file.
    throw unfitFile(error.message, { cause: error, hint: "Name another file, as in --out plan.json" });
  }
}

/**
 * Reads the current state. Returns the addresses whose state has changed since the plan was created.
 *
 * @throws the errors of `readSubjects`
 */
export async function staleResources(
  { resources }: Plan,
  options: Pick<CurrentOptions, "service" | "known" | "withoutContent" | "concurrency" | "onProgress"> & {
    onRead?: (current: Current) => void;
  },
): Promise<string[]> {
  const current = await readSubjects({
    ...options,
    subjects: resources.map(({ subject }) => subject),
    byName: () => [],
  });
  options.onRead?.(current);
  const digestNow = readDigests(current);
  return resources.filter(({ subject, read }) => digestNow(subject) !== read).map(({ address }) => address);
}

/** Returns the error for a file without a valid plan. */
function unusablePlan(message: string): FormctlError {
  return new FormctlError("PLAN_UNUSABLE", message, "Create a new plan and review it: formctl plan --out FILE");
}

/**
 * Runs the checks that do not need the current state. `verifyResource` runs the other checks.
 *
 * @throws PLAN_UNUSABLE if the plan does not match its steps
 */
function verifyPlan({ resources }: Plan): void {
  const seen = new Set<string>();
  for (const resource of resources) {
    const { address, formId, layoutId } = resource;
    const names = [`address ${address}`, formId && `form ${formId}`, layoutId && `layout ${layoutId}`];
    const found = names.some((name) => name && seen.has(name)) ? "is listed twice" : contradictionOf(resource);
    if (found !== undefined) throw contradiction(address, found);
    for (const name of names) if (name) seen.add(name);
  }
}

function contradiction(address: string, what: string): FormctlError {
  return unusablePlan(`the plan does not match its steps: ${JSON.stringify(address)} ${what}`);
}

function contradictionOf(resource: PlannedResource): string | undefined {
  const requests = resource.steps.map(({ request }) => request);
  return (
    subjectContradiction(resource, requests) ??
    actionContradiction(resource, requests) ??
    needsContradiction(resource, requests)
  );
}

const OF_FORMS = new Set(["createForm", "updateForm", "replaceFormAccess", "updateFormDefaults", "deleteForm"]);
const OF_LAYOUTS = new Set(["createLayout", "updateLayout", "replaceAssignments"]);

/**
 * Checks that all parts of a resource belong to one record. Also checks that the plan has read what its steps
 * overwrite.
 */
function subjectContradiction(resource: PlannedResource, requests: readonly StepRequest[]): string | undefined {
  const { subject, kind, address, object } = resource;
  if (subject.kind !== kind || subject.address !== address) return "has the subject of another resource";
  const others = kind === "Form" ? OF_LAYOUTS : OF_FORMS;
  const foreign = requests.find(({ operation }) => others.has(operation));
  if (foreign) return `is a ${kind} and has the step ${foreign.operation}`;
  const isUnread = requests.some(({ operation }) => {
    if (operation === "saveDraft" || operation === "publishLayout") return !subject.content;
    return operation === "replaceFormAccess" && subject.kind === "Form" && subject.access === "unmanaged";
  });
  if (isUnread) return "overwrites content or access that the plan did not read";
  const text = subject.kind === "Form" ? objectText(subject.object) : undefined;
  if ((object && objectText(object)) !== text) return "has the subject of another object";
  for (const request of requests) {
    const isOther =
      (request.operation === "createForm" &&
        (objectText(request.object) !== text || request.body.name !== subject.name)) ||
      (request.operation === "createLayout" &&
        subject.kind === "Layout" &&
        canonicalJson([request.body.surface, request.body.target, request.body.name]) !==
          canonicalJson([subject.surface, subject.target, subject.name]));
    if (isOther) return "creates another record than it names";
  }
  return undefined;
}

function actionContradiction(resource: PlannedResource, requests: readonly StepRequest[]): string | undefined {
  const { action, formId, layoutId, kind, subject, changes } = resource;
  const creations = requests.filter(({ operation }) => operation === "createForm" || operation === "createLayout");
  const isDeletion = requests.some(({ operation }) => operation === "deleteForm");
  const id = kind === "Form" ? formId : layoutId;
  const meant = requests.length === 0 ? "none" : isDeletion ? "delete" : creations.length > 0 ? "create" : "update";
  if (action !== meant) return `has the action "${action}", and its steps mean "${meant}"`;
  if (meant === "none" && changes.length > 0) return "lists changes without a step";
  if (creations.length > 1 || (creations.length > 0 && (id !== undefined || creations[0] !== requests[0])))
    return "is created, and has steps of an existing record";
  if ((meant === "update" || meant === "delete") && id === undefined) return "has steps but no id";
  if (!isDeletion) return undefined;
  const others = requests.filter(({ operation }) => operation !== "deleteForm");
  const isPlain = others.every((request) => request.operation === "updateFormDefaults" && request.take.length === 0);
  if (!isPlain || requests.length !== others.length + 1) return "is deleted, and has other steps";
  return subject.kind === "Form" && subject.formId === formId ? undefined : "deletes another form than it names";
}

/**
 * Checks that the confirmations match the steps. `verifyResource` checks whether a draft may be overwritten, because
 * this depends on the current state.
 */
function needsContradiction({ needs, subject }: PlannedResource, requests: readonly StepRequest[]): string | undefined {
  const has = (operation: StepRequest["operation"]) => requests.some((request) => request.operation === operation);
  const deletions = needs.filter(({ consent }) => consent === "allow-delete");
  if (deletions.length !== (has("deleteForm") ? 1 : 0)) return "lists other confirmations than its steps need";
  if (deletions.some(({ what }) => !what.startsWith(deletionText(subject.name))))
    return "names another form in its confirmation than it deletes";
  const replaces = needs.length > deletions.length;
  return replaces && !has("saveDraft") ? "lists other confirmations than its steps need" : undefined;
}

export type Verification = { plan: Plan; current: Current; lock: Pick<Lock, "get">; nameOf: NameOf };

/**
 * Verifies a resource against the current state. The current state must equal the state that the plan has read. Returns
 * the resource with confirmations and changes from its steps.
 *
 * @throws PLAN_UNUSABLE if the resource lists changes or losses that its steps do not cause
 * @throws PLAN_UNUSABLE if the resource has the id of another record
 */
export function verifyResource(resource: PlannedResource, verification: Verification): PlannedResource {
  const { current } = verification;
  const { address, kind, formId, layoutId } = resource;
  const form = current.forms.get(address);
  const layout = current.layouts.get(address);
  const found =
    kind === "Form" ? form && [form.form.id, form.form.viewLayoutId] : layout && [undefined, layout.layoutId];
  if (String(found ?? []) !== String((formId ?? layoutId) ? [formId, layoutId] : []))
    throw contradiction(address, "has the id of another record than it was made for");
  return {
    ...resource,
    needs: verifyNeeds(resource, verification),
    changes: verifyChanges(resource, verification),
  };
}

function verifyNeeds(resource: PlannedResource, { current, lock }: Verification): Need[] {
  const { address, needs, steps, subject, computedFrom } = resource;
  const form = current.forms.get(address);
  const deletions = needs.filter(({ consent }) => consent === "allow-delete");
  for (const { lost } of deletions) {
    if (!form || canonicalJson(lost) !== canonicalJson(lostWith(form.form)))
      throw contradiction(address, "lists losses that differ from the current form");
  }
  const content = form?.content ?? current.layouts.get(address)?.content;
  const save = steps.map(({ request }) => request).find((request) => request.operation === "saveDraft");
  if (!content?.draft || !save) return deletions;
  const target = withoutStamp(save.content);
  const inLock = findLocked(lock, { address, formerAddress: formerAddressOf(subject) });
  const locked = lastKnown({ ...(computedFrom !== undefined && { computedFrom }) }, inLock);
  const need = replaceNeed(content.draft, content, { surface: surfaceOf(subject), target, locked });
  return need ? [...deletions, need] : deletions;
}

/**
 * Derives the changes from the steps. Returns them with the current names of roles and members.
 *
 * @throws PLAN_UNUSABLE if the resource lists different changes
 */
function verifyChanges(resource: PlannedResource, { plan, current, nameOf }: Verification): Change[] {
  const { address, action, changes: listed } = resource;
  const idOf = new Map<string, string>();
  const recordingNames: NameOf = (kind, id) => {
    const name = nameOf(kind, id);
    if (name !== undefined) idOf.set(id, id).set(name, id);
    return name;
  };
  const all = deriveChanges(resource, plan, current, recordingNames);
  const isListed = ({ path }: Change) => listed.some((change) => change.path === path);
  // A plan lists a default value only if the manifest sets it.
  const derived = all.filter((change) => isListed(change) || !(action === "create" && isDefaultValue(change)));
  const texts = (changes: readonly Change[]) => changes.map((each) => canonicalJson(withIds(each, idOf))).toSorted();
  if (canonicalJson(texts(listed)) !== canonicalJson(texts(derived)))
    throw contradiction(address, "lists other changes than its steps make");
  return derived;
}

function deriveChanges(resource: PlannedResource, { resources }: Plan, current: Current, nameOf: NameOf): Change[] {
  const { address, kind, steps, object } = resource;
  if (kind === "Layout") return layoutChanges(steps, current.layouts.get(address), { nameOf });
  const others = resources.filter(
    (each) => each !== resource && each.object && objectText(each.object) === objectText(object!),
  );
  const taken = others.flatMap((other) =>
    other.steps.flatMap(({ request }) => (request.operation === "updateFormDefaults" ? request.take : [])),
  );
  return formChanges(steps, current.forms.get(address), { nameOf, taken: new Set(taken) });
}

function isDefaultValue({ path, after }: Change): boolean {
  return (path === "isActive" && after === true) || (path === "isPublic" && after === false);
}

/**
 * Replaces the names of roles and members in a change by ids. An unknown name becomes `?`. Rows with unknown names are
 * then compared only by their values.
 */
function withIds(change: Change, idOf: ReadonlyMap<string, string>): unknown {
  const steps = parsePath(change.path);
  const [root, list, name] = steps;
  const id = (text: unknown) => idOf.get(String(text)) ?? "?";
  const isRow = (root === "access" || (root === "assignments" && list === "roles")) && name !== undefined;
  if (isRow) return { ...change, path: formatPath(steps.with(2, id(name))) };
  if (change.path !== "assignments" || !isJsonObject(change.after)) return change;
  const { roles } = change.after;
  const rows = isJsonObject(roles) ? Object.entries(roles).map(([role, row]) => canonicalJson([id(role), row])) : [];
  return { ...change, after: { ...change.after, roles: rows.toSorted() } };
}
