/**
 * Creates a plan from manifests: reads the files, resolves names, reads the current state, and compares. Used by plan,
 * apply and status.
 */

import { problemsError } from "../documents/located-error.ts";
import { type Located, sortProblems } from "../schemas/diagnostic.ts";
import type { Service } from "../service.ts";
import { atManifestLines } from "../apply/failures.ts";
import { readRuns } from "../apply/journal.ts";
import { recoverCreatedIds } from "../apply/lock-update.ts";
import { notCreatedValue, unansweredCreationsAt } from "../apply/unanswered-creations.ts";
import { readEarly } from "../state/forms.ts";
import { readWanted } from "../state/read.ts";
import { openReader, type Reader } from "../state/reader.ts";
import { knownLayouts, layoutsWithoutContent, type Lock } from "../state/lock.ts";
import { type Manifest, type Wanted, addressesOf } from "../manifests/manifest.ts";
import { inactiveDefaults, takenDefaults } from "../plan/defaults.ts";
import { planChanges, type PlanOptions } from "../plan/plan.ts";
import { CONTENT_OPERATIONS, type Plan } from "../plan/planned.ts";
import { type LikelyRename, likelyRenames, renameWarning } from "../plan/rename-hints.ts";
import type { ManifestSet } from "../manifests/read/read-manifests.ts";
import { type References, resolveNames } from "../manifests/references.ts";
import type { Current } from "../state/state.ts";
import { type LoadedManifests, openProjectLock, type ProjectContext } from "./context.ts";
import { loadManifests, neighborAddresses, readableNeighborAddresses } from "./load.ts";
import { fieldLookup, stagesFields, runsFolder } from "../state/target.ts";
import { invalidManifests } from "../manifests/problems.ts";

/** Options that determine which resources are compared, and how. */
export type PlanChoices = {
  /**
   * Files and folders, relative to the project's `cwd`; `-` is standard input. Default: the project's folder of
   * manifests.
   */
  paths?: readonly string[];
  /**
   * Deletes forms without a manifest. A form with a manifest in `paths` or in a neighboring file (see
   * `neighborAddresses`) is not deleted. Affects only objects with a Form manifest in `paths`.
   */
  prune?: boolean;
  /** Limits the plan to resources with these addresses, such as `staffing/candidate/Intake`. Default: all. */
  targets?: readonly string[];
  /** Whether drafts are published after they are saved. Default: true. */
  publish?: boolean;
  /**
   * Whether formctl adds a stamp to the metadata of drafts. The stamp identifies the saved content and its commit
   * (`Stamp`). Default: true. If a desired state uses no lock, the default is false.
   */
  stamp?: boolean;
  /** Treats warnings of manifests as errors. */
  strict?: boolean;
};

export type MadePlan = {
  plan: Plan;
  /** What the plan was made from. */
  inputs: PlanOptions;
  set: ManifestSet;
  /** Warnings. With `reportOnly`, also errors in contents. */
  problems: readonly Located[];
  notRun: readonly string[];
  /** Creations with an unknown outcome that the plan would repeat: `ADDRESS@TIME`, as in `notCreated`. */
  unansweredCreations: readonly string[];
  service: Service;
  lock: Lock;
  /** The key of the target. */
  target: string;
  loaded: LoadedManifests;
  current: Current;
  /** The time before the first read of the current state. */
  readSince: Date;
};

type MakePlanOptions = PlanChoices & {
  /** Also returns a plan that can't be applied because of its problems. Used if the plan is only shown. */
  reportOnly?: boolean;
  /** Creations with an unknown outcome. The user has verified that these creations were not carried out. */
  notCreated?: readonly string[];
  /** Whether the plan is rehearsed. */
  rehearse?: boolean;
};

/**
 * Creates a plan from manifests.
 *
 * @throws MANIFESTS_INVALID, OBJECT_MISSING, AMBIGUOUS_NAME, ASSIGNMENT_DEFAULT_TAKEN, USAGE, and what the service
 *   throws
 */
export async function makePlan(context: ProjectContext, options: MakePlanOptions): Promise<MadePlan> {
  const { strict = false, notCreated = [], reportOnly = false } = options;
  const { target, concurrency } = context;
  const readSince = context.host.now();
  const reader = openReader(() => target.service(), { concurrency });
  const desired = await readDesired(context, options, reader).catch((error: unknown) => {
    reader.stop();
    throw error;
  });
  const { loaded, key, manifests } = desired;
  const { set } = loaded;
  const lock = await openProjectLock(context, key, { files: set.files, manifests });
  const unanswered = await readUnansweredCreations(context, { key, lock, wanted: manifests, notCreated });
  const current = await readCurrentState(context, options, { desired, lock, reader });
  const wanted = context.desired?.complete?.(manifests, current) ?? manifests;
  lock.adopt(wanted.flatMap(addressesOf), new Set(layoutIdsOf(current)));

  // A server that lists layouts shows which layouts exist. Then no creation is in doubt.
  const inDoubt = current.listsLayouts ? new Map<string, string[]>() : unanswered;
  const inputs = await planInputs(context, options, { desired, wanted, current, lock, inDoubt });
  const plan = planChanges(inputs);
  const renames = plan.resources.flatMap(({ address }) => inputs.renames.get(address) ?? []);
  const problems = sortProblems([...problemsOfPlan(plan, loaded), ...renames.map(renameWarning)]);
  if (!reportOnly) requireApplicable(plan, { problems, strict, wanted, current, sources: set.sources });
  const repeated = plan.resources.filter(({ action }) => action === "create");
  return {
    plan,
    inputs,
    set,
    problems,
    notRun: loaded.notRun,
    unansweredCreations: repeated.flatMap(({ address }) => inDoubt.get(address) ?? []),
    service: await target.service(),
    lock,
    target: key,
    loaded,
    current,
    readSince,
  };
}

/** The desired state, with ids instead of names. */
type Desired = {
  loaded: LoadedManifests;
  manifests: readonly Wanted[];
  /** The key of the target. */
  key: string;
  references: References;
  /** The addresses of forms that `prune` must not delete. Undefined without `prune`. */
  described: ReadonlySet<string> | undefined;
};

/** Reads the manifests, or computes the desired state, and resolves the names. @throws MANIFESTS_INVALID, USAGE */
async function readDesired(context: ProjectContext, options: MakePlanOptions, reader: Reader): Promise<Desired> {
  const { paths = [], prune = false, strict = false } = options;
  const { target, desired } = context;
  // A server can answer requests while files are read. A local store runs in this process, so early requests would gain
  // nothing.
  const onManifest = target.kind === "server" ? (manifest: Manifest) => readEarly(reader, manifest) : undefined;
  const loaded = desired ? await desired.load() : await loadManifests(context, paths, onManifest && { onManifest });
  const { set, problems, ofContents } = loaded;
  // An error in the content of a layout does not stop the plan here. If the plan would write this layout, the error
  // stops it later.
  const stops = (each: Located) => strict || (each.severity === "error" && !ofContents.has(each));
  if (problems.some(stops)) throw invalidManifests(problems, set.sources);
  // `key()` is called before the names are resolved, because `key()` reports a missing store. Otherwise, without a
  // store, each name would be reported as unknown.
  const key = await target.key();
  const references = await target.references();
  const resolved = resolveNames(set.manifests, references);
  if (resolved.problems.length > 0) throw invalidManifests(resolved.problems, set.sources, resolved.hint);
  const addresses = desired ? () => desired.described?.() : () => neighborAddresses(context, paths);
  const described = prune ? await addresses() : undefined;
  return { loaded, manifests: resolved.wanted, key, references, described };
}

/** Reads the current state of the resources of the desired state. @throws OBJECT_MISSING, AMBIGUOUS_NAME */
async function readCurrentState(
  context: ProjectContext,
  { prune = false, targets = [], publish = true, rehearse = false }: MakePlanOptions,
  { desired, lock, reader: own }: { desired: Desired; lock: Lock; reader: Reader },
): Promise<Current> {
  const { manifests, loaded } = desired;
  // A rehearsal on the copy of a server counts the forms that may show a changed field. For this count, all forms are
  // read.
  const countsForms = rehearse && context.target.kind === "server" && manifests.some(stagesFields);
  const needsAll = prune || countsForms || context.desired !== undefined;
  context.onProgress({ stage: "reading", done: 0, total: undefined });
  const reader = context.desired?.reader?.() ?? own;
  reader.report((done, total) => context.onProgress({ stage: "reading", done, total }));
  try {
    return await readWanted(reader, {
      wanted: manifests,
      known: knownLayouts(lock, manifests),
      withoutContent: layoutsWithoutContent(lock, manifests),
      byName: needsAll ? undefined : namesInLock(lock, manifests),
      targets,
      publish,
    });
  } catch (error) {
    const locatable = manifests.map((each) => ({ ...each, object: each.kind === "Form" ? each.object : undefined }));
    throw atManifestLines(error, locatable, loaded.set.sources);
  } finally {
    own.stop();
    context.onProgress({ stage: "ended" });
  }
}

type KnownSides = {
  desired: Desired;
  wanted: readonly Wanted[];
  current: Current;
  lock: Lock;
  /** The creations with an unknown outcome, by address. */
  inDoubt: ReadonlyMap<string, readonly string[]>;
};

/** Returns what a plan is computed from. */
async function planInputs(
  context: ProjectContext,
  options: MakePlanOptions,
  { desired, wanted, current, lock, inDoubt }: KnownSides,
): Promise<PlanOptions & { renames: ReadonlyMap<string, LikelyRename> }> {
  const { paths = [], prune = false, targets = [], publish = true } = options;
  const { described, references } = desired;
  const renames = context.desired
    ? new Map<string, LikelyRename>()
    : await findRenames(context, paths, { wanted, current, lock, described });
  return {
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
    stamp: (options.stamp ?? context.desired?.usesLock ?? true) ? stampOf(context.host.env) : undefined,
    nameOf: references.nameOf,
    fieldsOf: await fieldLookup(context.target, wanted),
  };
}

/**
 * Returns a function that returns the names of an object's forms, for an object such as `staffing/candidate`. The names
 * are in the lock, but in no manifest.
 */
function namesInLock(lock: Lock, manifests: readonly Wanted[]): (object: string) => Iterable<string> {
  const wanted = new Set(manifests.flatMap(addressesOf));
  const others = [...lock.entries()].flatMap(([address]) => (wanted.has(address) ? [] : [address]));
  return (object) =>
    others.flatMap((address) => (address.startsWith(`${object}/`) ? [address.slice(object.length + 1)] : []));
}

/**
 * Returns the creations of layouts that were sent and not answered, by address. Each creation is a value of
 * --not-created. Journals can be long, and are often not needed. For a store, they are never read. For a server, they
 * are read only if the lock lacks the layout of a Layout manifest.
 *
 * @throws FILE_UNFIT if a journal can't be read
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
  // Interrupted runs may have created resources. Adds the ids of these resources to the lock in memory. An apply saves
  // them.
  await recoverCreatedIds(
    runs.filter((run) => run.target === key),
    async () => ({ ...lock, save: async () => undefined }),
  );
  const open = unansweredCreationsAt(key, runs).filter((layout) => !notCreated.includes(notCreatedValue(layout)));
  const byAddress = Map.groupBy(open, ({ address }) => address);
  return new Map([...byAddress].map(([address, layouts]) => [address, layouts.map(notCreatedValue)]));
}

type RenameSides = {
  wanted: readonly Wanted[];
  current: Current;
  lock: Lock;
  /**
   * The addresses of neighbors (see `neighborAddresses`). If undefined, the neighbors are read only if `likelyRenames`
   * finds a rename.
   */
  described: ReadonlySet<string> | undefined;
};

async function findRenames(
  context: ProjectContext,
  paths: readonly string[],
  { wanted, current, lock, described }: RenameSides,
): Promise<ReadonlyMap<string, LikelyRename>> {
  const found = likelyRenames(wanted, current, lock, described);
  if (found.size === 0 || described) return found;
  return likelyRenames(wanted, current, lock, await readableNeighborAddresses(context, paths));
}

/** Returns the commit for the stamp of drafts, if the environment names it (docs/decisions.md, "Layouts as code"). */
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
 * Returns the problems of the manifests. If the plan does not write a layout, an error in its content becomes a
 * warning. The cause of the error may be a field that was deleted on the target. Such a field must not block changes of
 * other resources.
 */
function problemsOfPlan({ resources }: Plan, { problems, ofContents }: LoadedManifests): Located[] {
  const written = resources.filter(({ steps }) =>
    steps.some(({ request }) => CONTENT_OPERATIONS.has(request.operation)),
  );
  const addresses = new Set(written.map(({ address }) => address));
  return problems.map((problem) => {
    const address = ofContents.get(problem);
    return address === undefined || addresses.has(address) ? problem : { ...problem, severity: "warning" };
  });
}

type Sides = {
  problems: readonly Located[];
  strict: boolean;
  wanted: readonly Wanted[];
  current: Current;
  sources: ReadonlyMap<string, string>;
};

/**
 * Throws if the plan can't be applied.
 *
 * @throws MANIFESTS_INVALID
 * @throws ASSIGNMENT_DEFAULT_TAKEN if the service would refuse a default, even after all earlier steps
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
