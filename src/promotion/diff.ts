/** Compares two targets by meaning. Records correspond if they have the same name, although their ids differ. */

import { listAllForms } from "../lists/forms.ts";
import { addressOf, formAddress, objectText, type ObjectKey } from "../lists/addresses.ts";
import { isUserLayout, listAllLayouts } from "../lists/layouts.ts";
import { readCurrent } from "../state/read.ts";
import type { Manifest, Wanted } from "../manifests/manifest.ts";
import { planChanges } from "../plan/plan.ts";
import type { PlannedResource } from "../plan/planned.ts";
import { fieldLookup } from "../state/target.ts";
import { resolveNames } from "../manifests/references.ts";
import type { Change } from "../schemas/content-diff.ts";
import type { KeepRules } from "../schemas/keep-path.ts";
import { type Service, ServiceError } from "../service.ts";
import pMap from "p-map";
import type { UnmappedId } from "./ids.ts";
import { type Keeping, openKeeping } from "./keep.ts";
import { type Converted, convert } from "./manifests.ts";
import { objectsOf, type Reading, readSource, type Selection, type Side, type SourceState } from "./source.ts";

export type DiffOptions = {
  from: Side;
  to: Side;
  selection?: Selection;
  /** The members that a promotion keeps on its target. Differences of kept members are left out. Default: nothing. */
  keep?: KeepRules;
  /** The maximum number of concurrent requests to each side. By default, each side has its own maximum. */
  concurrency?: number | undefined;
  /** Called after each request. `total` is the number of requests that are known so far. */
  onProgress?: (done: number, total: number) => void;
};

export type Difference = {
  /** The address on `to`, such as `staffing/candidate/Intake`. */
  address: string;
  kind: "Form" | "Layout";
  /** `unknown`: the values that `to` shows are equal, but `to` does not show all values. */
  state: "equal" | "different" | "onlyInFrom" | "onlyInTo" | "unknown";
  /**
   * The changes that would make `to` equal to `from`. `before` is the value in `to`. `after` is the value in `from`.
   */
  changes: readonly Change[];
  /** Missing facts, such as values that a server does not show. */
  notes: readonly string[];
};

export type DiffResult = {
  from: string;
  to: string;
  /** All compared resources, forms first, in the order of their addresses. */
  differences: readonly Difference[];
  hasDifferences: boolean;
  /** The address of each resource that could not be compared, with the reason. */
  notes: readonly string[];
};

/**
 * Compares two targets. Writes nothing.
 *
 * Ids of roles, members, scripts, fields and modules are compared by name. An id without a counterpart is a difference.
 *
 * @throws the errors of `readSource`, for each side
 * @throws AMBIGUOUS_NAME if two forms of one object have the same name
 */
export async function diffTargets(options: DiffOptions): Promise<DiffResult> {
  const { from, to, selection = {}, keep = {}, onProgress = () => undefined } = options;
  const reading = { concurrency: options.concurrency ?? from.target.concurrency, onProgress };
  const source = await readSource(from, selection, reading);
  const keeping = openKeeping(keep);
  const converted = convert({
    source,
    from: { name: from.name, records: await from.target.records() },
    to: { name: to.name, records: await to.target.records(), knowledge: (await to.target.knowledge()).knowledge },
    keeping,
    file: from.name,
  });
  const { manifests } = converted.loaded.set;
  const concurrency = options.concurrency ?? to.target.concurrency;
  const found = await listTarget(to, { converted, source, isWhole: isEmpty(selection), concurrency });
  const comparable = manifests.filter((each) => each.kind === "Layout" || !found.missing.has(objectText(each.object)));
  const { resources, listsLayouts } = await compare(to, comparable, { keeping, concurrency, onProgress });
  // If the target does not list layouts, its layouts without a form are unknown.
  const isCompared = ({ kind }: Pick<Manifest, "kind">) => kind === "Form" || listsLayouts;
  const unknown = manifests.filter((each) => !isCompared(each));
  const notes = notesOfIds(converted.unmapped);
  const differences = [
    ...manifests.filter(isCompared).map((manifest): Difference => {
      const { address, kind } = manifest;
      const facts = [...(converted.notes.get(address) ?? []), ...(notes.get(address) ?? [])];
      return { address, kind, ...judge(resources.get(address), facts) };
    }),
    ...onlyInTarget(found, converted),
  ].toSorted(byAddress);
  return {
    from: from.name,
    to: to.name,
    differences,
    hasDifferences: differences.some(({ state }) => state !== "equal" && state !== "unknown"),
    notes: [
      ...[...converted.omitted].map(([address, reason]) => `${address}: ${reason}`),
      ...unknown.map(({ address }) => `${address}: ${to.name} lists no layouts`),
    ],
  };
}

/**
 * Decides the state of a manifest.
 *
 * @param resource the planned changes. Undefined if the target does not have the object of the form
 */
function judge(
  resource: PlannedResource | undefined,
  facts: readonly string[],
): Pick<Difference, "state" | "changes" | "notes"> {
  if (!resource || resource.action === "create") return { state: "onlyInFrom", changes: [], notes: facts };
  const aspects = Object.entries(resource.drift);
  const hidden = new Set(aspects.filter(([, drift]) => drift === "unobservable").map(([aspect]) => aspect));
  const isDifferent = aspects.some(([, drift]) => drift !== "same" && drift !== "unobservable");
  const isHidden = ({ path }: Change) =>
    hidden.has(path.startsWith("layout") ? "content" : (/^\w+/.exec(path)?.[0] ?? ""));
  const notes = [...facts, ...[...hidden].map((aspect) => `${aspect} can't be read`)];
  const changes = resource.changes.filter((change) => !isHidden(change));
  if (isDifferent) return { state: "different", changes, notes };
  if (hidden.size > 0) return { state: "unknown", changes: [], notes };
  // A resource with steps is different even if no aspect differs. In this case, its published version lacks modes.
  return { state: resource.action === "none" ? "equal" : "different", changes, notes };
}

function isEmpty({ objects = [], forms = [], layouts = [] }: Selection): boolean {
  return objects.length + forms.length + layouts.length === 0;
}

type Found = {
  /** The forms and layouts of the target that the comparison covers. */
  resources: { kind: "Form" | "Layout"; address: string }[];
  /** The objects that the target does not have. */
  missing: ReadonlySet<string>;
};

type Listing = { converted: Converted; source: SourceState; isWhole: boolean; concurrency: number };

/** Lists the forms and layouts of the target that the comparison covers, including those that the source lacks. */
async function listTarget(to: Side, { converted, source, isWhole, concurrency }: Listing): Promise<Found> {
  const service = await to.target.service();
  const listed = source.hasAllLayouts ? await listAllLayouts(service, undefined, concurrency) : undefined;
  const whole = [...converted.objects, ...(isWhole && listed ? await objectsOf(to, listed) : [])];
  const single = converted.loaded.set.manifests.flatMap((each) => (each.kind === "Form" ? [each.object] : []));
  const objects = new Map([...single, ...whole].map((object) => [objectText(object), object]));
  const isListed = new Set(whole.map(objectText));
  const missing = new Set<string>();
  const forms = await pMap(
    objects,
    async ([text, object]) => {
      const names = await formNames(service, object);
      if (!names) missing.add(text);
      return isListed.has(text) ? (names ?? []).map((name) => formAddress(text, name)) : [];
    },
    { concurrency },
  );
  return {
    resources: [
      ...forms.flat().map((address) => ({ kind: "Form" as const, address })),
      ...(listed ?? [])
        .filter(isUserLayout)
        .map((layout) => ({ kind: "Layout" as const, address: addressOf(layout) ?? layout.id })),
    ],
    missing,
  };
}

/** Returns the names of all forms of an object. Undefined if the object does not exist. */
async function formNames(service: Service, object: ObjectKey): Promise<string[] | undefined> {
  try {
    return (await listAllForms(service, object)).map(({ name }) => name);
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return undefined;
    throw error;
  }
}

type Comparing = { keeping: Keeping; concurrency: number; onProgress: Reading["onProgress"] };

/** Plans the changes that would make the target equal to the manifests. */
async function compare(
  to: Side,
  manifests: readonly Manifest[],
  { keeping, concurrency, onProgress }: Comparing,
): Promise<{ resources: Map<string, PlannedResource>; listsLayouts: boolean }> {
  const { hasId: _unchecked, ...references } = await to.target.references();
  // Without `hasId`, an id that the target lacks is no problem. The id is reported as a difference instead.
  const { wanted: resolved } = resolveNames(manifests, references);
  const service = await to.target.service();
  const reading = { service, wanted: resolved, known: new Map<string, string>(), concurrency, publish: true };
  const current = await readCurrent({ ...reading, onProgress });
  const wanted: Wanted[] = resolved.map((each) => keeping.withCurrent(each, current));
  const { resources } = planChanges({
    wanted,
    current,
    prune: false,
    targets: [],
    publish: true,
    stamp: undefined,
    nameOf: references.nameOf,
    fieldsOf: await fieldLookup(to.target, wanted),
  });
  return {
    resources: new Map(resources.map((resource) => [resource.address, resource])),
    listsLayouts: current.listsLayouts,
  };
}

function onlyInTarget({ resources }: Found, { loaded, omitted }: Converted): Difference[] {
  const described = new Set([...loaded.set.manifests.map(({ address }) => address), ...omitted.keys()]);
  return resources
    .filter(({ address }) => !described.has(address))
    .map(({ kind, address }) => ({ kind, address, state: "onlyInTo", changes: [], notes: [] }));
}

function notesOfIds(unmapped: readonly UnmappedId[]): Map<string, string[]> {
  const notes = new Map<string, string[]>();
  for (const { address, path, kind, id, name, counterpart } of unmapped) {
    const fact = counterpart.state === "missing" ? "has no counterpart" : "may have several counterparts";
    const note = `${path}: the ${kind === "other" ? "record" : kind} ${name === undefined ? id : `"${name}" (${id})`} ${fact}`;
    notes.set(address, [...(notes.get(address) ?? []), note]);
  }
  return notes;
}

function byAddress(a: Difference, b: Difference): number {
  const order = (each: Difference) => `${each.kind} ${each.address}`;
  return order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : 0;
}
