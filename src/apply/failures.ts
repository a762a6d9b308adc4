/**
 * Creates the error for a stale plan. Locates the errors of a plan or an apply at the lines of the
 * manifests, and returns the next step after a refusal.
 */

import { LocatedError, problemsError } from "../documents/located-error.ts";
import { diagnosticsOf } from "../lists/versions.ts";
import type { Diagnostic, Located } from "../schemas/diagnostic.ts";
import { ServiceError } from "../service.ts";
import { MissingObjects } from "../state/reader.ts";
import { AmbiguousNames } from "../state/match.ts";
import type { Manifest } from "../manifests/manifest.ts";
import type { PlannedResource } from "../plan/planned.ts";
import { locateContent } from "../manifests/problems.ts";
import { DraftHasWarnings } from "./steps.ts";
import { objectText, type ObjectKey } from "../lists/addresses.ts";

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
export function lineText({ place }: Pick<Planned, "place">): string {
  return place ? ` (${place.file}:${place.line})` : "";
}

export function firstPlace(resources: readonly Pick<Planned, "place">[]): Planned["place"] {
  return resources.find(({ place }) => place)?.place;
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

/** Returns the hint for a refusal of a step. Undefined if `HINTS` has no hint for the refusal. */
export function hintOf({ code, body, needsConfirmation }: ServiceError): string | undefined {
  if (needsConfirmation) return HINTS["FIELD_CHANGES_UNCONFIRMED"];
  return code === "DRAFT_STALE" && body.meta?.["currentDraftVersionId"] === null ? HINTS["DRAFT_MISSING"] : HINTS[code];
}

/**
 * Hints by error code, for refusals whose next step is about an apply: for example, "apply again". The object has no
 * prototype, because a server may send any text as a code.
 */
const HINTS: Readonly<Record<string, string>> = Object.assign(Object.create(null) as Record<string, string>, {
  DRAFT_STALE:
    "Another user saved a draft or published one after the plan was created. Review the changes: formctl plan. Then apply again.",
  DRAFT_MISSING:
    "The draft was published or deleted after the plan was created. Review the changes: formctl plan. Then apply again.",
  DRAFT_INVALID: "Correct the layout and apply again: the draft is saved, and the published version is unchanged.",
  FIELD_CHANGES_UNCONFIRMED:
    "Review what would be lost. To confirm, add its draftId to confirmFieldChanges in the manifest.",
  ASSIGNMENT_DEFAULT_TAKEN: "Clear the current default first: formctl layouts assignments set LAYOUT --no-default",
  IDEMPOTENCY_CONFLICT:
    "Another user created it with different content. Run apply again: it updates the existing one. Where the server lists no " +
    "layouts, add its id to .formctl/lock.json first: formctl export LAYOUT_ID --into FOLDER",
  NOT_FOUND: "It was deleted after the plan was created. Run apply again: it is recreated.",
});
