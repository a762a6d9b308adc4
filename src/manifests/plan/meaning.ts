/** What the steps of a resource do, compared with what its plan lists: what is shown and consented to is what is done. */

import { canonicalJson, isJsonObject } from "../../schemas/json.ts";
import { parsePath } from "../../schemas/path.ts";
import { objectText } from "../subject.ts";
import type { Plan, PlannedResource, StepRequest } from "./planned.ts";

/** Where a plan lists something else than its steps mean: what, in words. Undefined: nowhere. */
export function contradictionIn({ resources }: Plan): string | undefined {
  const seen = new Set<string>();
  for (const resource of resources) {
    const { address, formId, layoutId } = resource;
    const names = [`address ${address}`, formId && `form ${formId}`, layoutId && `layout ${layoutId}`];
    const found = names.some((name) => name && seen.has(name)) ? "is listed twice" : contradictionOf(resource);
    if (found !== undefined) return `${JSON.stringify(address)} ${found}`;
    for (const name of names) if (name) seen.add(name);
  }
  return undefined;
}

function contradictionOf(resource: PlannedResource): string | undefined {
  const requests = resource.steps.map(({ request }) => request);
  return (
    contradictionOfSubject(resource, requests) ??
    contradictionOfAction(resource, requests) ??
    contradictionOfNeeds(resource, requests) ??
    contradictionOfChanges(resource, requests)
  );
}

const OF_FORMS = new Set(["createForm", "updateForm", "replaceFormAccess", "updateFormDefaults", "deleteForm"]);
const OF_LAYOUTS = new Set(["createLayout", "updateLayout", "replaceAssignments"]);

/** It speaks of one record all along. */
function contradictionOfSubject(resource: PlannedResource, requests: readonly StepRequest[]): string | undefined {
  const { subject, kind, address, object } = resource;
  if (subject.kind !== kind || subject.address !== address) return "is about another one than it names";
  const others = kind === "Form" ? OF_LAYOUTS : OF_FORMS;
  const foreign = requests.find(({ operation }) => others.has(operation));
  if (foreign) return `is a ${kind}, and has the step ${foreign.operation}`;
  const isUnread = requests.some(({ operation }) => {
    if (operation === "saveDraft" || operation === "publishLayout") return !subject.content;
    return operation === "replaceFormAccess" && subject.kind === "Form" && subject.access === "unmanaged";
  });
  if (isUnread) return "overwrites what it has not read";
  const text = subject.kind === "Form" ? objectText(subject.object) : undefined;
  if ((object && objectText(object)) !== text) return "is about another object than it names";
  for (const request of requests) {
    const isOther =
      (request.operation === "createForm" &&
        (objectText(request.object) !== text || request.body.name !== subject.name)) ||
      (request.operation === "createLayout" &&
        subject.kind === "Layout" &&
        canonicalJson([request.body.surface, request.body.target, request.body.name]) !==
          canonicalJson([subject.surface, subject.target, subject.name]));
    if (isOther) return "creates another one than it names";
  }
  return undefined;
}

function contradictionOfAction(resource: PlannedResource, requests: readonly StepRequest[]): string | undefined {
  const { action, formId, layoutId, kind, subject } = resource;
  const creations = requests.filter(({ operation }) => operation === "createForm" || operation === "createLayout");
  const isDeletion = requests.some(({ operation }) => operation === "deleteForm");
  const id = kind === "Form" ? formId : layoutId;
  const meant = requests.length === 0 ? "none" : isDeletion ? "delete" : creations.length > 0 ? "create" : "update";
  if (action !== meant) return `is listed as "${action}", and its steps mean "${meant}"`;
  if (creations.length > 1 || (creations.length > 0 && (id !== undefined || creations[0] !== requests[0])))
    return "is created, and has steps of one that is there";
  if ((meant === "update" || meant === "delete") && id === undefined) return "has steps, and no id";
  if (!isDeletion) return undefined;
  const others = requests.filter(({ operation }) => operation !== "deleteForm");
  const isPlain = others.every((request) => request.operation === "updateFormDefaults" && request.take.length === 0);
  if (!isPlain || requests.length !== others.length + 1) return "is deleted, and has steps of one that stays";
  return subject.kind === "Form" && subject.formId === formId ? undefined : "deletes another form than it names";
}

/** Drafts that are overwritten are looked at when the plan is applied: whose they are, no step says. */
function contradictionOfNeeds(
  { needs, subject }: PlannedResource,
  requests: readonly StepRequest[],
): string | undefined {
  const has = (operation: StepRequest["operation"]) => requests.some((request) => request.operation === operation);
  const deletions = needs.filter(({ consent }) => consent === "allow-delete");
  if (deletions.length !== (has("deleteForm") ? 1 : 0)) return "lists another confirmation than its steps require";
  if (deletions.some(({ what }) => !what.startsWith(deletionText(subject.name))))
    return "names another form in its confirmation than it deletes";
  const isReplaced = needs.length > deletions.length;
  return isReplaced && !has("saveDraft") ? "lists another confirmation than its steps require" : undefined;
}

export function deletionText(name: string): string {
  return `delete the form "${name}", which no manifest names`;
}

type Member = "name" | "types" | "supportedModes" | "config" | "metadata" | "isActive" | "isPublic";
const MEMBERS: readonly Member[] = ["name", "types", "supportedModes", "config", "metadata", "isActive", "isPublic"];

/** What a step writes beside the members of a record, as changes call it, and how a plan says it in other words. */
const WRITTEN: Partial<Record<StepRequest["operation"], { root: string; words: RegExp }>> = {
  saveDraft: { root: "layout", words: /^published again/ },
  publishLayout: { root: "layout", words: /^published again/ },
  replaceFormAccess: { root: "access", words: /^access can't be observed/ },
  replaceAssignments: {
    root: "assignments",
    words: /^(assignments can't be observed|is not the organization's default)/,
  },
  updateFormDefaults: { root: "defaultFor", words: /^(the object has no default|defaultFor can't be observed)/ },
  deleteForm: { root: "form", words: /^$/ },
};

function contradictionOfChanges(resource: PlannedResource, requests: readonly StepRequest[]): string | undefined {
  const { changes, effects, notes } = resource;
  const listed = Map.groupBy(changes, ({ path }) => String(parsePath(path)[0] ?? ""));
  const body: Partial<Record<Member, unknown>> = {};
  const written = new Set<string>();
  for (const request of requests) {
    if ("body" in request && request.operation !== "replaceFormAccess") Object.assign(body, request.body);
    const { root, words } = WRITTEN[request.operation] ?? {};
    if (root === undefined || !words) continue;
    written.add(root);
    if (!listed.has(root) && ![...effects, ...notes].some((each) => words.test(each)))
      return `does not list what ${request.operation} changes`;
  }
  const isCreation = resource.action === "create";
  for (const member of MEMBERS) {
    if (!Object.hasOwn(body, member)) continue;
    written.add(member);
    const value = body[member];
    const lines = listed.get(member) ?? [];
    // The name of a new resource is in its address; a member that is not given has its default value.
    const isUsual = isCreation && (member === "name" || (member === "isActive" && value === true) || value === false);
    if (lines.length === 0 && !isUsual) return `does not list what it writes into ${member}`;
    for (const { path, after } of lines) {
      const shown = valueAt(value, parsePath(path).slice(1));
      if (textOf(member, shown) !== textOf(member, after)) return `lists another ${path} than it writes`;
    }
  }
  const idle = [...listed.keys()].find((root) => !written.has(root));
  return idle === undefined ? undefined : `lists a change of ${idle} that no step makes`;
}

function valueAt(value: unknown, steps: readonly (string | number)[]): unknown {
  return steps.reduce(
    (at: unknown, step) => (isJsonObject(at) && Object.hasOwn(at, step) ? at[step] : undefined),
    value,
  );
}

/** The order of modes means nothing. */
function textOf(member: Member, value: unknown): string {
  const isSet = (member === "types" || member === "supportedModes") && Array.isArray(value);
  return value === undefined ? "" : canonicalJson(isSet ? [...(value as unknown[])].map(String).toSorted() : value);
}
