/** Whether what a step makes is in place: of a step that was sent and not answered, and of one that was done before. */

import { assignmentsOf, assignmentsText } from "../../lists/assignments.ts";
import type { AccessAnswer } from "../../schemas/answers.ts";
import { DEFAULT_FLAG } from "../../schemas/words.ts";
import { readLayout, type Service } from "../../service.ts";
import { contentDigest } from "../content/compare.ts";
import { surfaceOf } from "../subject.ts";
import { readContent } from "../current/versions.ts";
import type { PlannedResource, StepRequest } from "../plan/planned.ts";
import { fits, setText, shows } from "./fits.ts";
import type { Listings } from "./listings.ts";
import { lostForm, lostLayout } from "./lost-creation.ts";
import { isGone } from "./present.ts";
import { firstDraft, formPath, layoutOf } from "./steps.ts";
import type { Ids, Known } from "./step-context.ts";

/** The ids of what was made; "no": it is not in place; "untold": reading can't tell. */
export type Standing = { ids: Ids } | "no" | "untold";

export type Place = {
  service: Service;
  resource: PlannedResource;
  known: Known;
  /** Read once for all resources: nothing is written meanwhile. */
  listings: Listings;
};

/** @throws AmbiguousNames where more than one record could be the one that was to be made */
export async function standing(place: Place, request: StepRequest): Promise<Standing> {
  const { service, resource, known, listings } = place;
  switch (request.operation) {
    case "createForm":
      return made(place, await lostForm(place, resource.address, request));
    case "createLayout":
      return made(place, await lostLayout(listings, resource.address, request));
    case "updateForm":
      return comparedWith(await service.getForm(formPath(resource, known)), request.body);
    case "updateLayout": {
      const layout = await readLayout(service, layoutOf(resource, known));
      return layout ? comparedWith(layout, request.body) : "untold";
    }
    case "saveDraft": {
      const { draft, isHidden } = await readContent(service, layoutOf(resource, known), surfaceOf(resource.subject));
      if (isHidden) return "untold";
      const isThere = draft && contentDigest(draft.content) === contentDigest(request.content);
      return isThere ? { ids: { draftVersionId: draft.id } } : "no";
    }
    case "publishLayout": {
      const draft = request.draft ?? known.draft;
      const versions = await service.listVersions({ layoutId: layoutOf(resource, known) });
      const version = versions.find(({ id }) => id === draft);
      if (version && version.status === undefined) return "untold";
      return version?.status === "PUBLISHED" ? { ids: { versionId: version.id } } : "no";
    }
    case "replaceFormAccess":
      return told(accessText(await service.getFormAccess(formPath(resource, known))) === accessText(request.body));
    case "replaceAssignments": {
      const layout = await readLayout(service, layoutOf(resource, known));
      const assigned = layout && assignmentsOf(layout);
      return assigned ? told(assignmentsText(assigned) === assignmentsText(request)) : "untold";
    }
    case "deleteForm":
      return told(await isDeleted(() => service.getForm(formPath(resource, known))));
    default:
      return defaultsStand(place, request);
  }
}

async function defaultsStand(
  { resource, known, listings }: Place,
  { take, leave }: StepRequest & { operation: "updateFormDefaults" },
): Promise<Standing> {
  const { formId, ...object } = formPath(resource, known);
  const form = (await listings.formsOf(object)).find(({ id }) => id === formId);
  const flags = [...take, ...leave].map((mode) => ({ now: form?.[DEFAULT_FLAG[mode]], wanted: take.includes(mode) }));
  if (flags.some(({ now }) => now === undefined)) return "untold";
  // No other step of the plan is about these: each default is moved once.
  return told(flags.every(({ now, wanted }) => now === wanted));
}

/** What was made before is known by its ids: another one in its place is not it. */
async function made(
  { service, known }: Place,
  found: { formId?: string; layoutId: string } | undefined | "untold",
): Promise<Standing> {
  if (!found) return "no";
  if (found === "untold") return "untold";
  if (known.layoutId !== undefined) return known.layoutId === found.layoutId ? { ids: found } : "no";
  return { ids: { ...found, ...(await firstDraft(service, found.layoutId, true)) } };
}

/** A member that the server does not show is neither in place nor missing. */
function comparedWith(record: object, sent: Readonly<Record<string, unknown>>): Standing {
  if (!fits(record, sent)) return "no";
  return shows(record, sent) ? { ids: {} } : "untold";
}

const told = (isThere: boolean): Standing => (isThere ? { ids: {} } : "no");

function accessText({ users, roles }: AccessAnswer): string {
  const rows = [
    ...users.map(({ membershipId, types }) => `user ${membershipId} ${setText(types)}`),
    ...roles.map(({ roleId, types }) => `role ${roleId} ${setText(types)}`),
  ];
  return rows.sort().join("\n");
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
