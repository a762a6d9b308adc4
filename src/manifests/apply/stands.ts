/** Whether what a step makes is in place: of a step that was sent and not answered, and of one that was done before. */

import type { AccessMatrix, Form } from "../../schemas/form.ts";
import { canonicalJson } from "../../schemas/json.ts";
import type { Layout } from "../../schemas/layout.ts";
import { readLayout, type Service } from "../../service.ts";
import { AmbiguousNames } from "../current/read-errors.ts";
import type { PlannedResource, StepRequest } from "../plan/plan.ts";
import { isGone } from "./present.ts";
import { formPath, type Ids, type Known, layoutOf } from "./steps.ts";

/** The ids of what was made; "no": it is not in place; "untold": reading can't tell. */
export type Standing = { ids: Ids } | "no" | "untold";

type Place = { service: Service; resource: PlannedResource; known: Known };

/** @throws AmbiguousNames where more than one form could be the one that was to be made */
export async function standing(place: Place, request: StepRequest): Promise<Standing> {
  const { service, resource, known } = place;
  switch (request.operation) {
    case "createForm":
      return createdForm(place, request);
    case "updateForm":
      return told(fits(await service.getForm(formPath(resource, known)), request.body));
    case "updateLayout": {
      const layout = await readLayout(service, layoutOf(resource, known));
      return layout ? told(fits(layout, request.body)) : "untold";
    }
    case "publishLayout": {
      const draft = request.draft ?? known.draft;
      const versions = await service.listVersions({ layoutId: layoutOf(resource, known) });
      const version = versions.find(({ id }) => id === draft);
      if (version && typeof (version as { status?: unknown }).status !== "string") return "untold";
      return version?.status === "PUBLISHED" ? { ids: { versionId: version.id } } : "no";
    }
    case "replaceFormAccess":
      return told(accessText(await service.getFormAccess(formPath(resource, known))) === accessText(request.body));
    case "replaceAssignments": {
      const layout = await readLayout(service, layoutOf(resource, known));
      return layout?.assignments ? told(assignmentsText(layout) === wantedText(request)) : "untold";
    }
    case "deleteForm":
      return told(await isDeleted(() => service.getForm(formPath(resource, known))));
    // A draft and a layout are known again by their ids; defaults may be taken over by other steps of the plan.
    default:
      return "untold";
  }
}

async function createdForm(
  { service, resource: { address } }: Place,
  { object, body }: StepRequest & { operation: "createForm" },
): Promise<Standing> {
  const forms: Form[] = [];
  for (let page = 1; ; page++) {
    const { data, meta } = await service.listForms({ ...object, query: { page, limit: 100 } });
    const fresh = data.filter(({ id }) => forms.every((form) => form.id !== id));
    forms.push(...fresh);
    if (fresh.length === 0 || meta.hasMore === false || forms.length >= (meta.total ?? Infinity)) break;
  }
  const { name, types } = body;
  // The plan has found none of this name.
  const made = forms.filter((form) => fits(form, { name, types }));
  const [only] = made;
  if (!only) return "no";
  if (made.length === 1) return { ids: { formId: only.id, layoutId: only.viewLayoutId } };
  const ids = made.map(({ id }) => id);
  const message = `the answer to the creation of ${address} was lost, and now several forms could be the one: ${ids.join(", ")}`;
  throw new AmbiguousNames([{ address, message, ids }]);
}

const told = (isThere: boolean): Standing => (isThere ? { ids: {} } : "no");

/** Whether a record has every member that was sent; what a server does not show is believed. The order of modes means nothing. */
export function fits(record: Form | Layout, sent: Readonly<Record<string, unknown>>): boolean {
  const kept = record as unknown as Record<string, unknown>;
  return Object.entries(sent).every(([member, value]) => {
    if (value === undefined || kept[member] === undefined) return true;
    return text(kept[member]) === text(value);
  });
}

function text(value: unknown): string {
  if (Array.isArray(value))
    return value
      .map((item) => canonicalJson(item))
      .sort()
      .join();
  return canonicalJson(value);
}

function accessText({ users, roles }: AccessMatrix): string {
  const rows = [
    ...users.map(({ membershipId, types }) => `user ${membershipId} ${text(types)}`),
    ...roles.map(({ roleId, types }) => `role ${roleId} ${text(types)}`),
  ];
  return rows.sort().join("\n");
}

function assignmentsText({ assignments }: Layout): string {
  return assignments
    .map(({ roleId, priority, isDefault }) => (isDefault ? "default" : `${roleId} ${priority}`))
    .sort()
    .join("\n");
}

function wantedText({ organizationDefault, roles }: StepRequest & { operation: "replaceAssignments" }): string {
  const rows = roles.map(({ roleId, priority }) => `${roleId} ${priority}`);
  return [...rows, ...(organizationDefault ? ["default"] : [])].sort().join("\n");
}

async function isDeleted(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await read();
    return false;
  } catch (error) {
    if (isGone(error)) return true;
    throw error;
  }
}
