/**
 * Checks whether an apply has to stop, and creates the errors for this. Locates refusals at the lines of the manifests.
 */

import { LocatedError, problemsError } from "../../documents/located-error.ts";
import { diagnosticsOf } from "../../lists/versions.ts";
import type { Diagnostic, Located } from "../../schemas/diagnostic.ts";
import { type Service, ServiceError } from "../../service.ts";
import { objectText } from "../address.ts";
import { MissingObjects } from "../current/forms.ts";
import { AmbiguousNames } from "../current/match.ts";
import type { Manifest, ObjectKey } from "../manifest.ts";
import type { Plan, PlannedResource } from "../plan/planned.ts";
import { locateContent } from "../problems.ts";
import { openLookup } from "./lookup.ts";
import {
  type AppliedSteps,
  notCreatedValue,
  type RecordedRun,
  type UnansweredCreation,
  unansweredCreationsAt,
} from "./recorded-runs.ts";
import { DraftHasWarnings } from "./steps.ts";

/** A resource of a plan. `place` is the line of its manifest. */
export type Planned = Pick<PlannedResource, "address" | "object" | "place">;

/** Returns the error for a plan whose target has changed since the plan was created. No request was sent. */
export function stalePlan(resources: readonly Planned[]): LocatedError {
  const count = resources.length === 1 ? "a resource" : `${resources.length} resources`;
  const named = resources.map((each) => each.address + lineText(each)).join(", ");
  return new LocatedError("PLAN_STALE", `the plan is stale: ${count} changed after the plan was created: ${named}`, {
    location: firstPlace(resources),
    hint: "Nothing was changed. Create a new plan and review it: formctl plan --out FILE",
  });
}

/** Returns ` (forms/intake.yaml:12)`, or an empty text if the plan does not record the line. */
function lineText({ place }: Pick<Planned, "place">): string {
  return place ? ` (${place.file}:${place.line})` : "";
}

function firstPlace(resources: readonly Pick<Planned, "place">[]): Planned["place"] {
  return resources.find(({ place }) => place)?.place;
}

/**
 * Returns the error for layouts that may already exist.
 *
 * @param planned the resources that can't be applied, in the order of `layouts`
 */
function layoutsUnknown(layouts: readonly UnansweredCreation[], planned: readonly Planned[]): LocatedError {
  const [first, ...more] = layouts;
  const { address = "", target = "", sentAt = "" } = first ?? {};
  const others = more.map((one) => `, nor that of ${one.address} at ${one.sentAt}`).join("");
  const flags = layouts.map((one) => ` --not-created "${notCreatedValue(one)}"`).join("");
  return new LocatedError(
    "LAYOUT_UNKNOWN",
    `the creation of ${address} was sent to ${target} at ${sentAt} and not answered${others}, and this server lists no layouts${planned.map(lineText).join("")}`,
    {
      location: firstPlace(planned),
      hint:
        "Look for the layout on the server. If it exists, add its id to .formctl/lock.json: formctl export LAYOUT_ID --into FOLDER. " +
        `Where the server does not show layouts by id, write it there yourself: "${address}": {"layoutId": "LAYOUT_ID", "base": {}}. ` +
        `If it does not exist, create it: formctl apply PATH${flags}`,
    },
  );
}

/**
 * Refuses a plan that creates a layout which may already exist: an earlier creation had no answer, and the server does
 * not list layouts.
 *
 * @param runs the runs on all targets, the oldest first
 * @param notCreated the values of --not-created
 * @throws LAYOUT_UNKNOWN, and the errors of the service
 */
export async function requireKnownLayouts(
  { resources }: Plan,
  options: {
    service: Service;
    target: string;
    runs: readonly RecordedRun[];
    appliedSteps: AppliedSteps | undefined;
    notCreated: readonly string[];
  },
): Promise<void> {
  const { service, target, runs, appliedSteps, notCreated } = options;
  const open = unansweredCreationsAt(target, runs).filter((one) => !notCreated.includes(notCreatedValue(one)));
  const byAddress = Map.groupBy(open, ({ address }) => address);
  const lookup = openLookup(service);
  const unknown: UnansweredCreation[] = [];
  const blocked: Planned[] = [];
  for (const resource of resources) {
    const { address, steps } = resource;
    const layouts = byAddress.get(address) ?? [];
    for (const [index, { request }] of layouts.length > 0 ? steps.entries() : []) {
      if (request.operation !== "createLayout" || appliedSteps?.get(address)?.has(index)) continue;
      // If the server lists layouts, formctl has already searched for this layout and not found it.
      if (await lookup.layoutsNamed(request.body)) continue;
      unknown.push(...layouts);
      blocked.push(resource);
    }
  }
  if (unknown.length > 0) throw layoutsUnknown(unknown, blocked);
}

/**
 * A manifest, or a resource of a plan. `locate` adds the position of the manifest to a problem. If the position is
 * unknown, `locate` is undefined.
 */
type Locatable = {
  address: string;
  object: ObjectKey | undefined;
  locate: ((problem: Diagnostic) => Located) | undefined;
};

/** Does the same as `atManifestLines`, but for a plan. A plan knows only the line of each manifest. */
export function atPlannedLines(error: unknown, resources: readonly Planned[]): unknown {
  const locatable = resources.map(({ address, object, place }): Locatable => ({
    address,
    object,
    locate: place && (({ path: _path, ...problem }) => ({ ...problem, ...place, column: 1 })),
  }));
  return atManifestLines(error, locatable, new Map());
}

/**
 * Locates errors about ambiguous names and missing objects at the lines of manifests. Returns any other error
 * unchanged. Also returns an error unchanged if its line is unknown. A missing object is located at the first manifest
 * of that object.
 */
export function atManifestLines(
  error: unknown,
  manifests: readonly Locatable[],
  sources: ReadonlyMap<string, string>,
): unknown {
  if (!(error instanceof AmbiguousNames || error instanceof MissingObjects)) return error;
  const { code, hint } = error;
  const problemOf = (manifest: Locatable | undefined, message: string, path: string) =>
    manifest?.locate?.({ severity: "error", code, message, path });
  const problems =
    error instanceof AmbiguousNames
      ? error.ambiguities.map(({ address, message }) => {
          const manifest = manifests.find((each) => each.address === address);
          return problemOf(manifest, message, "name");
        })
      : error.objects.map(objectText).map((text) => {
          const names = ({ object, locate }: Locatable) => locate && object && objectText(object) === text;
          return problemOf(manifests.find(names), `the object ${text} does not exist`, "object");
        });
  const located = problems.filter((problem) => problem !== undefined);
  return located.length === problems.length ? problemsError(code, { problems: located, sources, hint }) : error;
}

/** The path in a manifest that contains the body of an operation. Absent if the body comes from several paths. */
const PATH_OF_BODY: Readonly<Record<string, string>> = {
  createForm: "",
  updateForm: "",
  createLayout: "",
  updateLayout: "",
  saveDraft: "layout",
  replaceFormAccess: "access",
  replaceAssignments: "assignments",
};

/**
 * Locates each message of a refused step in the manifest. Returns an empty list if the refusal is not about the
 * manifest.
 */
export function locateFailure(manifest: Manifest, operation: string, error: unknown): Located[] {
  if (error instanceof DraftHasWarnings) return locateContent(manifest, error.warnings);
  if (!(error instanceof ServiceError)) return [];
  const { validation, fieldErrors } = error.body;
  if (validation) {
    const diagnostics = diagnosticsOf(validation).map(({ severity, code, message, path }) => ({
      severity,
      code: code || error.code,
      message,
      path,
    }));
    return locateContent(manifest, diagnostics);
  }
  const path = PATH_OF_BODY[operation];
  if (path === undefined) return [];
  const problems = Object.entries(fieldErrors ?? {}).flatMap(([member, messages]) =>
    messages.map((message): Diagnostic => ({
      severity: "error",
      code: error.code,
      message,
      path: joined(path, member),
    })),
  );
  return problems.map((problem) => manifest.locate(problem));
}

function joined(path: string, member: string): string {
  if (path === "" || member === "") return path + member;
  return member.startsWith("[") ? path + member : `${path}.${member}`;
}
