/**
 * States the next step after a problem of a promotion. A promotion has no manifest files: the user corrects the source,
 * the target or the project file.
 */

import { quoted } from "../base/shell-quote.ts";
import { LocatedError } from "../documents/located-error.ts";
import type { Project } from "../project/project.ts";
import { ServiceError } from "../service.ts";
import type { Side } from "./source.ts";

type Sides = { from: Pick<Side, "name">; to: Pick<Side, "name" | "references"> };

/** Returns the project of a promotion with hints that fit a promotion, in its errors and in its refused steps. */
export function withNextSteps(project: Project, sides: Sides): Project {
  const hinted = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw hintedError(error, sides);
    }
  };
  return {
    ...project,
    async plan(request) {
      const { rehearsal, ...planned } = await hinted(project.plan(request));
      const refusals = rehearsal?.refusals.map((refusal) => withHint(refusal, sides));
      return { ...planned, rehearsal: rehearsal && refusals && { ...rehearsal, refusals } };
    },
    async apply(request) {
      const applied = await hinted(project.apply(request));
      const resources = applied.resources.map((resource) => ({
        ...resource,
        steps: resource.steps.map((step) => withHint(step, sides)),
      }));
      return { ...applied, resources };
    },
  };
}

function hintedError(error: unknown, sides: Sides): unknown {
  if (!(error instanceof LocatedError)) return error;
  const hint =
    error.code === "OBJECT_MISSING"
      ? `The API can't create objects. Create the object on ${sides.to.name}, or leave it out: name what to promote.`
      : (error.hint ?? causeHint(errorCodes(error.problems), sides));
  const { code, message, location, problems, sources, cause } = error;
  return new LocatedError(code, message, { location, problems, sources, hint, cause });
}

function withHint<T extends { error?: Error; hint?: string }>(refused: T, sides: Sides): T {
  const { error, hint: usual } = refused;
  if (!error) return refused;
  const validation = error instanceof ServiceError ? error.body.validation : undefined;
  const compare = `formctl diff --from ${quoted(sides.from.name)} --to ${quoted(sides.to.name)}`;
  const hint =
    (validation && causeHint(errorCodes(validation.errors), sides)) ??
    usual?.replaceAll("formctl plan", compare).replaceAll("apply again", "promote again");
  return hint === undefined ? refused : { ...refused, hint };
}

function errorCodes(problems: readonly { severity?: unknown; code?: string }[]): Set<string> {
  const codes = problems.filter(({ severity }) => severity !== "warning").map(({ code = "" }) => code);
  return new Set(codes.filter((code) => !WITH_NEXT_STEP.has(code)));
}

/** The codes of problems whose messages state the next step (manifests.ts). */
const WITH_NEXT_STEP: ReadonlySet<string> = new Set(["FIELD_MISSING", "ID_UNMAPPED"]);

/** The codes of problems whose cause is the target: it lacks what the layout shows, or requires what it does not show. */
const OF_TARGET = {
  FIELD_UNKNOWN: "field",
  RELATION_UNKNOWN: "field",
  REQUIRED_FIELD_MISSING: "required",
  BINDING_SCRIPT_UNKNOWN: "script",
} as const;

/** Returns what to correct, by the codes of the problems. Undefined without a code. */
function causeHint(codes: ReadonlySet<string>, { from, to }: Sides): string | undefined {
  if (codes.size === 0) return undefined;
  const causes = new Set([...codes].map((code) => OF_TARGET[code as keyof typeof OF_TARGET] ?? "layout"));
  const { references } = to;
  const steps = {
    field: `Create the field on ${to.name}, or stage its creation in the layout on ${from.name}.`,
    required: `Show the required field in the layout on ${from.name}, or give it a default value on ${to.name}.`,
    script:
      `Register the script on ${to.name}.` +
      (references
        ? ` If it has another id there, add it to references.${references.key}.scripts in ${references.file}.`
        : ""),
    layout: `Correct the form or layout on ${from.name}.`,
  };
  const chosen = [...causes].map((cause) => steps[cause]);
  return `${chosen.join(" ")} Then promote again.`;
}
