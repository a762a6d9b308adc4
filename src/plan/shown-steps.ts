/**
 * Keeps what a saved plan has shown of each resource: digests of what was read, and of what each step overwrites and
 * writes. Compares a plan that is made later from the same inputs with them. If no run of the plan has begun, both must
 * be equal. Otherwise a part of the steps is enough: the journal has the values that the runs have written.
 */

import * as z from "zod/mini";
import { digestOf } from "../contents/compare.ts";
import { OWN_FORM } from "./digests.ts";
import type { Digests, Plan, PlannedResource, PlannedStep } from "./planned.ts";

const Text = z.string();
const Aspects = z.record(Text, Text);

export const ShownResource = z.object({
  kind: z.enum(["Form", "Layout"]),
  action: z.enum(["create", "update", "delete", "none"]),
  place: z.exactOptional(z.object({ file: Text, line: z.number() })),
  read: z.object({ record: Text, defaults: Text }),
  steps: z.readonly(z.array(z.object({ operation: Text, replaces: Aspects, writes: Aspects }))),
});
export type ShownResource = z.output<typeof ShownResource>;

/** The resources of a saved plan, by address. */
export type Shown = ReadonlyMap<string, ShownResource>;

export function shownResource({ kind, action, place, read, steps }: PlannedResource): ShownResource {
  return { kind, action, ...(place && { place }), read, steps: steps.map(shownStep) };
}

function shownStep({ request, replaces, writes }: PlannedStep): ShownResource["steps"][number] {
  return { operation: request.operation, replaces, writes };
}

/** What the unfinished runs of a plan have written to a resource. */
export type Written = {
  /** The last written value of each aspect. */
  done: ReadonlyMap<string, string>;
  /** Later values of aspects, from requests with an unknown outcome. */
  unanswered: ReadonlyMap<string, ReadonlySet<string>>;
  /** The applied steps, with the ids that they returned. */
  steps: readonly { operation: string; ids: Readonly<Record<string, string>> }[];
};

/**
 * Returns the steps of the plan that are left.
 *
 * @param written what the unfinished runs of the plan have written, by address. Undefined if no run has begun
 * @returns `stale`: the addresses of resources whose steps or state are not as shown
 */
export function remainingSteps(
  plan: Plan,
  shown: Shown,
  written: ReadonlyMap<string, Written> | undefined,
): { plan: Plan; stale: string[] } {
  const isUnshown = ({ address, steps }: PlannedResource) => steps.length > 0 && !shown.get(address)?.steps.length;
  const stale = new Set(plan.resources.filter(isUnshown).map(({ address }) => address));
  const now = new Map(plan.resources.map((resource) => [resource.address, resource]));
  const left = new Map<string, PlannedResource>();
  for (const [address, of] of shown) {
    if (of.steps.length === 0) continue;
    const resource = now.get(address);
    const own = written?.get(address);
    const rest = resource && own ? withoutWritten(resource, own) : resource;
    if (rest) left.set(address, rest);
    const isAsShown = own
      ? !rest || rest.steps.every((step) => isShown(step, of, own, rest.formId))
      : rest?.read.record === of.read.record &&
        (written ? rest.steps.every((step) => isShown(step, of, NOTHING, rest.formId)) : isEqual(rest, of));
    if (!isAsShown) stale.add(address);
  }
  return { plan: { resources: [...left.values()] }, stale: [...stale] };
}

const NOTHING: Written = { done: new Map(), unanswered: new Map(), steps: [] };

function isEqual({ action, read, steps }: PlannedResource, of: ShownResource): boolean {
  return digestOf([action, read, steps.map(shownStep)]) === digestOf([of.action, of.read, of.steps]);
}

/** Whether a step writes shown values only, over values that were shown or that the plan has written. */
function isShown({ replaces, writes }: PlannedStep, { steps }: ShownResource, written: Written, formId = ""): boolean {
  const values = (side: "replaces" | "writes", aspect: string) => steps.flatMap((step) => step[side][aspect] ?? []);
  const isWritten = ([aspect, value]: [string, string]) => values("writes", aspect).includes(value);
  const isKnown = ([aspect, value]: [string, string]) => {
    const done = written.done.get(aspect);
    const known = [
      ...(done === undefined ? values("replaces", aspect) : [done]),
      ...(written.unanswered.get(aspect) ?? []),
    ];
    return known.some((one) => (one === OWN_FORM ? digestOf(formId) : one) === value);
  };
  return Object.entries(writes).every(isWritten) && Object.entries(replaces).every(isKnown);
}

/** Removes the steps that a run has applied and whose effect the server does not show. */
function withoutWritten(resource: PlannedResource, { done, steps: applied }: Written): PlannedResource {
  const isDone = ({ replaces, writes }: { replaces: Digests; writes: Digests }) =>
    Object.entries(writes).every(([aspect, value]) => !(aspect in replaces) && done.get(aspect) === value);
  const steps = resource.steps.filter((step) => !isDone(step));
  if (steps.length === resource.steps.length) return resource;
  const draft = applied.findLast(({ operation }) => operation === "saveDraft")?.ids["draftVersionId"];
  const isSaved = steps.some(({ request }) => request.operation === "saveDraft");
  const withDraft = (step: PlannedStep): PlannedStep =>
    step.request.operation === "publishLayout" && !isSaved && draft !== undefined
      ? { ...step, request: { draft, ...step.request } }
      : step;
  return { ...resource, steps: steps.map(withDraft) };
}
