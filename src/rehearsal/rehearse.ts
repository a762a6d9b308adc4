/**
 * Rehearses a plan. Executes its steps on a copy of the target, and reports refusals and effects. The steps run with
 * the code of `apply`. So order, retries and rules are the same.
 */

import { FormctlError } from "../base/error.ts";
import type { CopySeed, LocalService } from "../local-service.ts";
import { applyPlan } from "../apply/apply.ts";
import { locateFailure, hintOf } from "../apply/failures.ts";
import type { StepOutcome } from "../apply/step-runner.ts";
import type { Manifest } from "../manifests/manifest.ts";
import type { Plan, PlannedResource } from "../plan/planned.ts";
import type { ForetoldRefusal, Rehearsal, RehearsalRequest, UnknownFact } from "./rehearsal.ts";
import { plural } from "../base/plural.ts";
import type { Diagnostic, Located } from "../schemas/diagnostic.ts";
import { ServiceError } from "../service.ts";
import { effectsBetween } from "./effects.ts";
import { neededPart } from "./needed-part.ts";
import { observe } from "./observe.ts";
import { readServerSeed, type Certainty } from "./server-seed.ts";

/**
 * Opens a store that is not durable, with the records of a server.
 *
 * @param growth the approximate number of bytes of these records and of the records that the rehearsal adds
 */
export type OpenServerCopy = (seed: CopySeed, growth: number) => Promise<LocalService>;

const NOTHING: Rehearsal = { refusals: [], effects: [], unknown: [] };

/**
 * Rehearses a plan on a copy of its target.
 *
 * @throws StoreError if a local store can't be copied
 */
export async function rehearse(request: RehearsalRequest, openServerCopy: OpenServerCopy): Promise<Rehearsal> {
  const { plan, target } = request;
  if (plan.resources.every(({ steps }) => steps.length === 0)) return NOTHING;
  if (target.copy) {
    const part = neededPart(plan, target.organizationKey);
    return withCopy(await target.copy(draftsIn(plan) * DRAFT_BYTES, part), (copy) =>
      rehearseOn(copy, target.organizationKey, { ...request, certainty: EVERYTHING_KNOWN }),
    );
  }
  const { seed, certainty, copiedPlan } = readServerSeed(request);
  let copy: LocalService;
  try {
    const versions = seed.layouts.reduce((sum, layout) => sum + layout.versions.length, 0);
    copy = await openServerCopy(seed, (versions + draftsIn(plan)) * DRAFT_BYTES);
  } catch (cause) {
    // The records of a server may contradict the rules of this version of formctl.
    return { ...NOTHING, unknown: [notRehearsed(plan, cause)] };
  }
  return withCopy(copy, () => rehearseOn(copy, seed.organization.key, { ...request, plan: copiedPlan, certainty }));
}

/**
 * The maximum number of concurrent steps. More steps would not be faster on a copy, and each step keeps a content in
 * memory.
 */
const MAX_CONCURRENCY = 8;

/** The estimated size of a draft in the store. It helps to decide whether a copy is in memory. */
const DRAFT_BYTES = 32 * 1024;

function draftsIn({ resources }: Plan): number {
  return resources.filter(({ steps }) => steps.some(({ request }) => request.operation === "saveDraft")).length;
}

const EVERYTHING_KNOWN: Certainty = { isCertain: () => true, unknown: [], unreadForm: () => undefined };

async function withCopy<T>(copy: LocalService, work: (copy: LocalService) => Promise<T>): Promise<T> {
  try {
    return await work(copy);
  } finally {
    await copy.close();
  }
}

type RehearseOn = RehearsalRequest & { certainty: Certainty };

async function rehearseOn(
  copy: LocalService,
  organizationKey: string | undefined,
  { plan, manifests, strict, now, nameOf, certainty, ...request }: RehearseOn,
): Promise<Rehearsal> {
  const service = await copy.service(organizationKey);
  const concurrency = Math.min(request.concurrency, MAX_CONCURRENCY);
  const observed = { copy, service, organizationKey, plan, concurrency };
  const before = await observe(observed);
  const total = plan.resources.reduce((sum, { steps }) => sum + steps.length, 0);
  let done = 0;
  const { outcomes } = await applyPlan(plan, {
    service,
    // The copy is deleted afterwards, so there is nothing to resume.
    journal: { write: async () => undefined, close: async () => undefined },
    strict,
    concurrency,
    now,
    sleep: async () => undefined,
    ending: new AbortController().signal,
    onStep: (_resource, _step, outcome) => outcome !== "begun" && request.onStep?.(++done, total),
  });
  const after = await observe(observed);
  const refusals = refusalsIn(outcomes, { plan, manifests, certainty });
  return {
    refusals,
    effects: effectsBetween(before, after, { plan, nameOf, unreadForm: certainty.unreadForm }),
    unknown: [...certainty.unknown, ...notReached(outcomes, refusals)],
  };
}

type Context = { plan: Plan; manifests: readonly Manifest[]; certainty: Certainty };

/** Returns the refusals in the order of the plan. */
function refusalsIn(outcomes: readonly StepOutcome[], { plan, manifests, certainty }: Context): ForetoldRefusal[] {
  const resources = new Map(plan.resources.map((resource) => [resource.address, resource]));
  const byAddress = new Map(manifests.map((manifest) => [manifest.address, manifest]));
  const uncertain = uncertainAddresses(certainty);
  return outcomes.flatMap((outcome): ForetoldRefusal[] => {
    const { resource: address, step, operation, status, conflict } = outcome;
    const cause = conflict ?? (status === "failed" || status === "unknown" ? outcome.error : undefined);
    if (cause === undefined) return [];
    const error = refusalOf(cause);
    const resource = resources.get(address)!;
    const dependsOnUncertain = ABOUT_DEFAULTS.has(error.code) && uncertain.some((other) => other !== address);
    const isCertain = !dependsOnUncertain && certainty.isCertain({ resource, step, error });
    const { code, message } = error;
    const common = { address, step, operation, code, message, isCertain, error };
    const httpStatus = error instanceof ServiceError ? error.status : undefined;
    return [
      {
        ...common,
        ...(httpStatus !== undefined && { status: httpStatus }),
        ...hintFor(error),
        problems: located({ ...common, status: httpStatus }, resource, byAddress.get(address)),
      },
    ];
  });
}

/**
 * Returns the next step for the user. After a rehearsal, an invalid draft is not on the target. So the next step
 * differs from that of an apply.
 */
function hintFor(error: ServiceError | FormctlError): { hint?: string } {
  const hint = error.hint ?? (error instanceof ServiceError ? nextStep(error) : undefined);
  return hint === undefined ? {} : { hint };
}

function nextStep(error: ServiceError): string | undefined {
  if (error.code === "DRAFT_INVALID") return "Correct the layout in its manifest, and create the plan again.";
  return hintOf(error);
}

/**
 * The codes of refusals that depend on the defaults. Steps of other resources change the defaults, and the target may
 * refuse these steps. Then the target has other defaults than the copy. So a refusal with one of these codes may be
 * uncertain.
 */
const ABOUT_DEFAULTS: ReadonlySet<string> = new Set([
  "FORM_IS_DEFAULT",
  "FORM_TYPE_IS_DEFAULT",
  "ASSIGNMENT_DEFAULT_TAKEN",
]);

/**
 * Returns the addresses of the resources with an uncertain outcome. The target may refuse a step that the copy
 * accepted. Unknown permissions are ignored: without a permission, the target refuses every step.
 */
function uncertainAddresses({ unknown }: Certainty): string[] {
  return unknown.flatMap(({ kind, addresses }) => (kind === "permissions" ? [] : addresses));
}

/** Returns a refusal of the service, or an error of formctl. @throws any other `error`: the copy failed */
function refusalOf(error: unknown): ServiceError | FormctlError {
  if (error instanceof ServiceError || error instanceof FormctlError) return error;
  throw error;
}

/** The path in the manifest for a refusal without positions. The key is the code or the operation of the refusal. */
const PATH_OF: Readonly<Record<string, string>> = {
  FORM_TYPE_IS_DEFAULT: "types",
  FORM_IS_DEFAULT: "isActive",
  OBJECT_IS_SUBORDINATE: "object",
  AMBIGUOUS_NAME: "name",
  saveDraft: "layout",
  publishLayout: "layout",
  replaceFormAccess: "access",
  replaceAssignments: "assignments",
  updateFormDefaults: "defaultFor",
};

type Refused = Omit<ForetoldRefusal, "problems" | "status"> & { status: number | undefined };

/**
 * Returns the refusal at each line of the manifest that causes it. A saved plan has no manifests: then the line comes
 * from the plan. Returns nothing if the plan has no line, for example for a deletion of a form.
 */
function located(refused: Refused, resource: PlannedResource, manifest: Manifest | undefined): Located[] {
  const { operation, status, code, error, isCertain } = refused;
  const verdict = isCertain ? "would be refused" : "may be refused";
  const lead = `${operation} ${verdict}${status === undefined ? "" : ` (${status} ${code})`}`;
  const severity = isCertain ? "error" : "warning";
  const worded = (text: string): string => `${lead}: ${text}`;
  const problems = manifest ? locateFailure(manifest, operation, error) : [];
  const errors = problems.filter((problem) => problem.severity === "error");
  if (errors.length > 0) return errors.map((problem) => ({ ...problem, severity, message: worded(problem.message) }));
  const problem: Diagnostic = { severity, code, message: worded(refused.message), path: pathOf(refused) };
  if (manifest) {
    const paths = stagedPaths(error, manifest);
    return (paths.length > 0 ? paths : [problem.path]).map((path) => manifest.locate({ ...problem, path }));
  }
  return resource.place ? [{ ...problem, ...resource.place, column: 1 }] : [];
}

/** Returns the paths of the staged changes that are not confirmed. */
function stagedPaths(error: Error, { content }: Manifest): string[] {
  const impacts = error instanceof ServiceError ? (error.body.impacts ?? []) : [];
  return impacts.flatMap(({ draftId }) => {
    const index = content?.stagedFieldDefinitions.findIndex((staged) => staged.draftId === draftId) ?? -1;
    return index < 0 ? [] : [`layout.stagedFieldDefinitions[${index}]`];
  });
}

function pathOf({ code, operation }: Refused): string {
  const known = [code, operation].find((name) => Object.hasOwn(PATH_OF, name));
  return known === undefined ? "" : PATH_OF[known]!;
}

/** Reports the skipped steps if a refusal is not certain: the target may execute these steps. */
function notReached(outcomes: readonly StepOutcome[], refusals: readonly ForetoldRefusal[]): UnknownFact[] {
  if (refusals.every(({ isCertain }) => isCertain)) return [];
  const skipped = outcomes.filter(({ status }) => status === "skipped");
  if (skipped.length === 0) return [];
  const text = `${plural(skipped.length, "step")} after a refusal that may not happen: not rehearsed`;
  return [
    { kind: "notRehearsed", text, addresses: [...new Set(skipped.map(({ resource }) => resource))], codes: "any" },
  ];
}

function notRehearsed({ resources }: Plan, cause: unknown): UnknownFact {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return {
    kind: "notRehearsed",
    text: `the whole plan, because the target could not be copied: ${reason}`,
    addresses: resources.filter(({ steps }) => steps.length > 0).map(({ address }) => address),
    codes: "any",
  };
}
