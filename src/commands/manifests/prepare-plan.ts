/** From what was typed to a plan: manifests, names, what exists, what has to change. For plan, apply and status. */

import { addressesOf } from "../../manifests/address.ts";
import { readCurrent } from "../../manifests/current/read.ts";
import { sortProblems } from "../../manifests/problems.ts";
import { knownLayouts, layoutsWithoutContent, type Lock } from "../../manifests/lock.ts";
import { inactiveDefaults, takenDefaults } from "../../manifests/plan/defaults.ts";
import { openEarlyReads } from "../../manifests/current/early-reads.ts";
import { invalidManifests } from "../../manifests/read/invalid-manifests.ts";
import type { Wanted } from "../../manifests/manifest.ts";
import { planChanges } from "../../manifests/plan/plan.ts";
import type { Plan } from "../../manifests/plan/planned.ts";
import type { ManifestSet } from "../../manifests/read/read.ts";
import { problemsError } from "../../documents/located-error.ts";
import { resolveNames } from "../../manifests/references.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import type { Service } from "../../service.ts";
import { startProgress } from "../../terminal/progress.ts";
import type { CommandContext } from "../command.ts";
import { atTheirLines } from "./at-their-lines.ts";
import { addressesBeside } from "./beside.ts";
import { creationsInDoubt } from "./earlier-runs.ts";
import { findRenames, renameWarnings } from "./find-renames.ts";
import { loadManifests, requireReadable } from "./load-manifests.ts";
import { placeOf } from "./place.ts";
import { findFields } from "./present-fields.ts";
import { openBases } from "./project-lock.ts";
import { findReferences } from "./references.ts";
import { problemsOfPlan, requireSoundContents } from "./sound-contents.ts";
import type { Current } from "../../manifests/state.ts";

/** How many requests are under way at once where nobody says. In a store, those that wait together share a flush. */
export function usualConcurrency({ target }: CommandContext): number {
  return target.kind === "local" ? 64 : 16;
}

export type PlanRequest = {
  paths: readonly string[];
  prune: boolean;
  /** Addresses; empty: all. */
  targets: readonly string[];
  publish: boolean;
  stamp: boolean;
  /** Warnings of the manifests stop it too. */
  strict: boolean;
  /** Nothing will come of the plan but words: what the service would refuse is told, and refused by nobody. */
  onlyTold?: boolean;
  /** Layouts that a person has not found, as LAYOUT_UNKNOWN says how. */
  notCreated?: readonly string[];
  concurrency: number | undefined;
  organizationFile: string | undefined;
};

export type PreparedPlan = {
  plan: Plan;
  set: ManifestSet;
  /** Warnings of the manifests, and where the plan is only told, what is wrong with contents. */
  problems: readonly Located[];
  notRun: readonly string[];
  /** Layouts that would be created though they may be there, as `--not-created` takes them. */
  inDoubt: readonly string[];
  service: Service;
  lock: Lock;
  /** For lock, journal and mutation ids. */
  place: string;
  /** Of a server; null: a local store. */
  origin: string | null;
  concurrency: number;
};

/**
 * @throws MANIFESTS_INVALID, OBJECT_MISSING, AMBIGUOUS_NAME, ASSIGNMENT_DEFAULT_TAKEN, USAGE, LIST_INCOMPLETE, and what the service throws
 */
export async function preparePlan(context: CommandContext, request: PlanRequest): Promise<PreparedPlan> {
  const { targets, prune, publish, strict, concurrency = usualConcurrency(context), organizationFile } = request;
  // A server is asked while files are being read; a local store would only be another work for the same processor.
  const isFar = context.target.kind === "remote";
  const early = isFar ? openEarlyReads(() => context.service(), concurrency) : undefined;
  const load = async () => {
    const loaded = await loadManifests(context, request.paths, {
      organizationFile,
      onManifest: (manifest) => early?.take(manifest),
    });
    const set = requireReadable(loaded, { strict });
    // A store that is not there knows no names either, and that is not what is wrong with them.
    const place = await placeOf(context);
    const references = await findReferences(context);
    const { wanted, problems } = resolveNames(set.manifests, references);
    if (problems.length > 0) throw invalidManifests(problems, set.sources);
    const described = prune ? await addressesBeside(context, request.paths) : undefined;
    return { loaded, set, place, references, wanted, described };
  };
  const { loaded, set, place, references, wanted, described } = await load().catch((error: unknown) => {
    early?.stop();
    throw error;
  });

  const service = await context.service();
  const lock = await openBases(context, place, { files: set.files, manifests: wanted });
  const { notCreated = [] } = request;
  const sentBefore = await creationsInDoubt(context, { place, lock, wanted, notCreated });
  const known = knownLayouts(lock, wanted);
  const withoutContent = layoutsWithoutContent(lock, wanted);
  const progress = startProgress(context.terminal, { label: "Reading what exists" });
  let current: Current;
  try {
    const onProgress = (done: number, total: number) => progress.update(done, undefined, total);
    const reads = early?.over(service) ?? service;
    current = await readCurrent({
      service: reads,
      wanted,
      known,
      withoutContent,
      concurrency,
      targets,
      publish,
      onProgress,
    });
  } catch (error) {
    throw atTheirLines(error, wanted, set);
  } finally {
    early?.stop();
    progress.stop();
  }
  lock.adopt(wanted.flatMap(addressesOf), new Set(layoutIdsOf(current)));
  const stamp = request.stamp ? stampRef(context.env) : undefined;
  const { nameOf } = references;
  const fieldsOf = await findFields(context, wanted);
  // A server that lists layouts has been asked for it.
  const inDoubt = current.listsLayouts ? new Map<string, string[]>() : sentBefore;
  const renames = await findRenames(context, request.paths, { wanted, current, lock, described });
  const unreadFileOf = (address: string) => lock.unreadFileOf(address);
  const sides = { wanted, current, lock, ...(described && { described }), renames, inDoubt, unreadFileOf };
  const plan = planChanges({ ...sides, prune, targets, publish, stamp, nameOf, fieldsOf });
  const problems = sortProblems([...problemsOfPlan(plan, loaded), ...renameWarnings(plan, renames)]);
  if (!request.onlyTold) {
    const chosen = new Set(plan.resources.map(({ address }) => address));
    const inactive = inactiveDefaults(
      wanted.filter(({ address }) => chosen.has(address)),
      current,
    );
    if (inactive.length > 0) throw invalidManifests(inactive, set.sources);
    requireSoundContents(problems, set.sources);
    if (strict && problems.length > 0) throw invalidManifests(problems, set.sources);
    requireFreeDefaults(plan, { wanted, current, sources: set.sources });
  }
  const origin = context.target.kind === "remote" ? context.target.origin : null;
  const { notRun } = loaded;
  return {
    plan,
    set,
    problems,
    notRun,
    inDoubt: createdInDoubt(plan, inDoubt),
    service,
    lock,
    place,
    origin,
    concurrency,
  };
}

/** @throws ASSIGNMENT_DEFAULT_TAKEN where the service would refuse a default after everything before it had been done */
function requireFreeDefaults(
  plan: Plan,
  { wanted, current, sources }: { wanted: readonly Wanted[]; current: Current; sources: ReadonlyMap<string, string> },
): void {
  const problems = takenDefaults(plan, wanted, current);
  if (problems.length === 0) return;
  const hint = "Let that layout give it up first: in a manifest of its own, or with formctl layouts assignments set.";
  throw problemsError("ASSIGNMENT_DEFAULT_TAKEN", { problems, sources, hint });
}

function createdInDoubt({ resources }: Plan, inDoubt: ReadonlyMap<string, readonly string[]>): string[] {
  return resources.flatMap(({ action, address }) => (action === "create" ? (inDoubt.get(address) ?? []) : []));
}

/** What a draft is stamped with: the commit, where somebody says which (docs/decisions.md, "Layouts as code"). */
function stampRef({ FORMCTL_REF, GITHUB_SHA, CI_COMMIT_SHA }: CommandContext["env"]): { ref?: string } {
  const ref = FORMCTL_REF || GITHUB_SHA || CI_COMMIT_SHA;
  return ref ? { ref } : {};
}

function layoutIdsOf({ forms, layouts }: Current): string[] {
  return [
    ...[...forms.values()].flatMap(({ form }) => form.viewLayoutId ?? []),
    ...[...layouts.values()].map(({ layoutId }) => layoutId),
  ];
}
