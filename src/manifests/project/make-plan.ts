/** From manifests to a plan: read the files, resolve names, read the current state, compare. For plan, apply and status. */

import { problemsError } from "../../documents/located-error.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import type { Service } from "../../service.ts";
import { addressesOf, objectText } from "../address.ts";
import { readRuns } from "../apply/journal.ts";
import { recoverCreatedIds } from "../apply/lock-update.ts";
import { notCreatedValue, unansweredCreationsAt } from "../apply/unknown-layouts.ts";
import { openEarlyReads } from "../current/early-reads.ts";
import { AmbiguousNames, MissingObjects } from "../current/read-errors.ts";
import { readCurrent } from "../current/read.ts";
import { knownLayouts, layoutsWithoutContent, type Lock } from "../lock.ts";
import type { Wanted } from "../manifest.ts";
import { inactiveDefaults, takenDefaults } from "../plan/defaults.ts";
import { planChanges } from "../plan/plan.ts";
import type { Plan } from "../plan/planned.ts";
import { type LikelyRename, likelyRenames, renameWarning } from "../plan/rename-hints.ts";
import { sortProblems } from "../problems.ts";
import { invalidManifests, type ManifestSet } from "../read/read-manifests.ts";
import { resolveNames } from "../references.ts";
import type { Current } from "../state.ts";
import { openProjectLock, type ProjectContext, runsFolder } from "./context.ts";
import { type LoadedManifests, loadManifests } from "./load.ts";
import { neighborAddresses, readableNeighborAddresses } from "./other-manifests.ts";
import { fieldLookup } from "./target.ts";

/** Which resources to compare, and how. */
export type PlanChoices = {
  /**
   * Files and folders, relative to the project's `cwd`; `-` is standard input. Default: the project's folder of
   * manifests.
   */
  paths?: readonly string[];
  /** Delete forms of the same objects that no manifest describes, in these paths or next to them. */
  prune?: boolean;
  /** Only the resources with these addresses, such as `staffing/candidate/Intake`. Default: all. */
  targets?: readonly string[];
  /** False: save drafts and publish none. Default: true. */
  publish?: boolean;
  /** False: leave the metadata of drafts without formctl's stamp. Default: true. */
  stamp?: boolean;
  /** Treat warnings of manifests as errors. */
  strict?: boolean;
};

export type MadePlan = {
  plan: Plan;
  set: ManifestSet;
  /** Warnings; with `reportOnly` also errors in contents. */
  problems: readonly Located[];
  notRun: readonly string[];
  /** Creations with an unknown outcome that the plan would repeat: `ADDRESS@TIME`, as `notCreated` takes them. */
  unansweredCreations: readonly string[];
  service: Service;
  lock: Lock;
  /** The target's key. */
  target: string;
};

type MakePlanOptions = PlanChoices & {
  /** The plan is only shown: what the service would refuse is reported instead of thrown. */
  reportOnly?: boolean;
  /** Unanswered creations that the user has found not done. */
  notCreated?: readonly string[];
};

/**
 * @throws MANIFESTS_INVALID, OBJECT_MISSING, AMBIGUOUS_NAME, ASSIGNMENT_DEFAULT_TAKEN, USAGE, and what the service
 *   throws
 */
export async function makePlan(context: ProjectContext, options: MakePlanOptions): Promise<MadePlan> {
  const { paths = [], prune = false, targets = [], publish = true, strict = false, notCreated = [] } = options;
  const { target, concurrency, host } = context;
  // Requests to a server overlap with reading files. A local store uses the same processor, so nothing would be gained.
  const early = target.kind === "server" ? openEarlyReads(() => target.service(), concurrency) : undefined;
  const read = async () => {
    const loaded = await loadManifests(context, paths, { onManifest: (manifest) => early?.take(manifest) });
    const { set, problems, ofContents } = loaded;
    // An error in the content of a layout is judged when it is known whether the layout would be written.
    const stops = (each: Located) => strict || (each.severity === "error" && !ofContents.has(each));
    if (problems.some(stops)) throw invalidManifests(problems, set.sources);
    // Before names are resolved: a missing store has no names either, and the store is the fact to report.
    const key = await target.key();
    const references = await target.references();
    const resolved = resolveNames(set.manifests, references);
    if (resolved.problems.length > 0) throw invalidManifests(resolved.problems, set.sources);
    const described = prune ? await neighborAddresses(context, paths) : undefined;
    return { loaded, set, key, references, wanted: resolved.wanted, described };
  };
  const { loaded, set, key, references, wanted, described } = await read().catch((error: unknown) => {
    early?.stop();
    throw error;
  });

  const service = await target.service();
  const lock = await openProjectLock(context, key, { files: set.files, manifests: wanted });
  const unanswered = await readUnansweredCreations(context, { key, lock, wanted, notCreated });
  context.onProgress({ stage: "reading", done: 0, total: undefined });
  let current: Current;
  try {
    current = await readCurrent({
      service: early?.over(service) ?? service,
      wanted,
      known: knownLayouts(lock, wanted),
      withoutContent: layoutsWithoutContent(lock, wanted),
      concurrency,
      targets,
      publish,
      onProgress: (done, total) => context.onProgress({ stage: "reading", done, total }),
    });
  } catch (error) {
    throw atManifestLines(error, wanted, set);
  } finally {
    early?.stop();
    context.onProgress({ stage: "ended" });
  }
  lock.adopt(wanted.flatMap(addressesOf), new Set(layoutIdsOf(current)));

  // A server that lists layouts has just been asked.
  const inDoubt = current.listsLayouts ? new Map<string, string[]>() : unanswered;
  const renames = await findRenames(context, paths, { wanted, current, lock, described });
  const plan = planChanges({
    wanted,
    current,
    lock,
    ...(described && { described }),
    renames,
    inDoubt,
    unreadFileOf: (address) => lock.unreadFileOf(address),
    prune,
    targets,
    publish,
    stamp: (options.stamp ?? true) ? stampOf(host.env) : undefined,
    nameOf: references.nameOf,
    fieldsOf: await fieldLookup(target, wanted),
  });
  const warnings = plan.resources.flatMap(({ address }) => renames.get(address) ?? []).map(renameWarning);
  const problems = sortProblems([...problemsOfPlan(plan, loaded), ...warnings]);
  if (!options.reportOnly) requireApplicable(plan, { problems, strict, wanted, current, sources: set.sources });
  return {
    plan,
    set,
    problems,
    notRun: loaded.notRun,
    unansweredCreations: plan.resources.flatMap(({ action, address }) =>
      action === "create" ? (inDoubt.get(address) ?? []) : [],
    ),
    service,
    lock,
    target: key,
  };
}

/**
 * Layouts whose creation was sent and not answered, by address. Journals can be long: they are read only where a server is
 * to create a layout that the lock does not know.
 *
 * @throws FILE_UNFIT where a journal can't be read
 */
async function readUnansweredCreations(
  context: ProjectContext,
  options: { key: string; lock: Lock; wanted: readonly Wanted[]; notCreated: readonly string[] },
): Promise<Map<string, string[]>> {
  const { key, lock, wanted, notCreated } = options;
  const known = knownLayouts(lock, wanted);
  const mayCreateLayout = wanted.some(({ kind, address }) => kind === "Layout" && !known.has(address));
  if (context.target.kind === "store" || !mayCreateLayout) return new Map();
  const runs = await readRuns(runsFolder(context));
  // The lock learns the ids that an interrupted run created, as apply will save them; here they are not saved.
  await recoverCreatedIds(
    runs.filter((run) => run.place === key),
    async () => ({ ...lock, save: async () => undefined }),
  );
  const open = unansweredCreationsAt(key, runs).filter((layout) => !notCreated.includes(notCreatedValue(layout)));
  const byAddress = Map.groupBy(open, ({ address }) => address);
  return new Map([...byAddress].map(([address, layouts]) => [address, layouts.map(notCreatedValue)]));
}

/** Missing objects and ambiguous names at the lines of the manifests; any other error unchanged. */
function atManifestLines(error: unknown, wanted: readonly Wanted[], { sources }: ManifestSet): unknown {
  if (error instanceof MissingObjects) {
    const missing = new Set(error.objects.map(objectText));
    const problems = wanted.flatMap((each) => {
      const object = each.kind === "Form" ? objectText(each.object) : "";
      // Reported at the first manifest only.
      if (!missing.delete(object)) return [];
      const message = `the object ${object} does not exist`;
      return [each.locate({ severity: "error", code: "OBJECT_MISSING", message, path: "object" })];
    });
    return problemsError("OBJECT_MISSING", { problems, sources, hint: error.hint });
  }
  if (error instanceof AmbiguousNames) {
    const manifests = new Map(wanted.map((each) => [each.address, each]));
    const problems = error.ambiguities.flatMap(({ address, message }) => {
      const manifest = manifests.get(address);
      return manifest ? [manifest.locate({ severity: "error", code: "AMBIGUOUS_NAME", message, path: "name" })] : [];
    });
    return problemsError("AMBIGUOUS_NAME", { problems, sources, hint: error.hint });
  }
  return error;
}

type RenameSides = {
  wanted: readonly Wanted[];
  current: Current;
  lock: Lock;
  /** What neighbors describe; undefined: they were not read, and are where something looks like a rename. */
  described: ReadonlySet<string> | undefined;
};

/** By the address of the manifest. */
async function findRenames(
  context: ProjectContext,
  paths: readonly string[],
  { wanted, current, lock, described }: RenameSides,
): Promise<ReadonlyMap<string, LikelyRename>> {
  const found = likelyRenames(wanted, current, lock, described);
  if (found.size === 0 || described) return found;
  return likelyRenames(wanted, current, lock, await readableNeighborAddresses(context, paths));
}

/** The commit that drafts are stamped with, where the environment states it (docs/decisions.md, "Layouts as code"). */
function stampOf({ FORMCTL_REF, GITHUB_SHA, CI_COMMIT_SHA }: ProjectContext["host"]["env"]): { ref?: string } {
  const ref = FORMCTL_REF || GITHUB_SHA || CI_COMMIT_SHA;
  return ref ? { ref } : {};
}

function layoutIdsOf({ forms, layouts }: Current): string[] {
  return [
    ...[...forms.values()].flatMap(({ form }) => form.viewLayoutId ?? []),
    ...[...layouts.values()].map(({ layoutId }) => layoutId),
  ];
}

/**
 * The problems of the manifests. An error in the content of a layout that the plan does not write becomes a warning: a
 * field may have been deleted on the target, which must not block changes elsewhere.
 */
function problemsOfPlan({ resources }: Plan, { problems, ofContents }: LoadedManifests): Located[] {
  const written = resources.filter(({ steps }) => steps.some(({ request }) => WRITES_CONTENT.has(request.operation)));
  const addresses = new Set(written.map(({ address }) => address));
  return problems.map((problem) => {
    const address = ofContents.get(problem);
    return address === undefined || addresses.has(address) ? problem : { ...problem, severity: "warning" };
  });
}

const WRITES_CONTENT = new Set<string>(["saveDraft", "publishLayout"]);

type Sides = {
  problems: readonly Located[];
  strict: boolean;
  wanted: readonly Wanted[];
  current: Current;
  sources: ReadonlyMap<string, string>;
};

/**
 * @throws MANIFESTS_INVALID, and ASSIGNMENT_DEFAULT_TAKEN where the service would refuse a default after all steps
 *   before it
 */
function requireApplicable(plan: Plan, { problems, strict, wanted, current, sources }: Sides): void {
  const planned = new Set(plan.resources.map(({ address }) => address));
  const inactive = inactiveDefaults(
    wanted.filter(({ address }) => planned.has(address)),
    current,
  );
  if (inactive.length > 0) throw invalidManifests(inactive, sources);
  if (problems.some(({ severity }) => strict || severity === "error")) throw invalidManifests(problems, sources);
  const taken = takenDefaults(plan, wanted, current);
  if (taken.length === 0) return;
  const hint = "Clear that default first: in a manifest of that layout, or with formctl layouts assignments set.";
  throw problemsError("ASSIGNMENT_DEFAULT_TAKEN", { problems: taken, sources, hint });
}
