/** (wanted, current) → plan: pure and ordered. `plan` prints it, `apply` does it. */

import type { SeedField } from "../../schemas/organization.ts";
import { type Lock, findLocked } from "../lock.ts";
import type { Wanted } from "../manifest.ts";
import { orderAssignments, USUAL_ORDER } from "./assignments.ts";
import { type DefaultsPlan, planDefaults } from "./defaults.ts";
import { waitForFields } from "./fields.ts";
import { planForm } from "./form.ts";
import { goneNote } from "./gone.ts";
import { planLayout } from "./layout.ts";
import type { Parts } from "./parts.ts";
import type { StepRequest, PlannedResource, Plan, Stamping } from "./planned.ts";
import { findSurplus, planDeletion, type Surplus } from "./prune.ts";
import { readDigests } from "./read.ts";
import { deletedRenames, renameNote } from "./rename-words.ts";
import type { LikelyRename } from "./renames.ts";
import { basesFor, noteSetBack } from "./set-back.ts";
import { targetFilter } from "./targets.ts";
import type { References } from "../references.ts";
import { objectText, type Subject, subjectOf } from "../subject.ts";
import type { ContentState, Current, FormState } from "../state.ts";

export type PlanOptions = {
  wanted: readonly Wanted[];
  current: Current;
  lock: Pick<Lock, "get">;
  /** Delete the forms of the named objects that no manifest names. */
  prune: boolean;
  /** Addresses that other manifests describe than those in question: they are not pruned. */
  described?: ReadonlySet<string>;
  /**
   * Layouts of which it is not known whether they are there, by address: what a person says where one is not, `ADDRESS@TIME`.
   * Absent: none.
   */
  inDoubt?: ReadonlyMap<string, readonly string[]>;
  /** What may have been renamed, by address: likelyRenames. Absent: nothing. */
  renames?: ReadonlyMap<string, LikelyRename>;
  /** A file that was not read and had a form last, by the form's address: it may still describe it. Absent: none. */
  unreadFileOf?: (address: string) => string | undefined;
  /** Only these addresses; empty: all. */
  targets: readonly string[];
  /** Leave drafts unpublished. */
  publish: boolean;
  stamp: Stamping;
  /** What roles and members are called in what is told. */
  nameOf?: References["nameOf"];
  /** The fields that a manifest's layout can show, as they are now; absent or undefined: nobody tells. */
  fieldsOf?: (wanted: Wanted) => readonly SeedField[] | undefined;
};

/**
 * What it takes to make what exists equal to the manifests. Takes time linear in the manifests and what was read.
 *
 * @throws USAGE where a target is no address of a manifest, or of a form that would be pruned
 */
export function planChanges(options: PlanOptions): Plan {
  const { wanted, current, prune, targets, lock, nameOf = () => undefined, fieldsOf = () => undefined } = options;
  const { renames = new Map<string, LikelyRename>() } = options;
  const forms = wanted.filter((each) => each.kind === "Form");
  const surplus = prune ? findSurplus(forms, current, options.described) : [];
  const isTarget = targetFilter(targets, [...wanted, ...surplus.map(({ subject }) => subject)]);

  const chosen = wanted.filter(isTarget);
  const deleted = surplus.filter(({ subject }) => isTarget(subject));
  const defaults = defaultsOf(chosen, deleted, current);
  const layouts = chosen.filter((each) => each.kind === "Layout");
  const orders = orderAssignments(
    layouts.map((each) => ({ wanted: each, state: current.layouts.get(each.address) })),
    current.organizationDefaults,
  );
  const digestOfRead = readDigests(current);
  const context = (each: Wanted, shown: ContentState | undefined) => ({
    ...basesFor(each, shown, findLocked(lock, each), options.publish),
    fields: each.content && fieldsOf(each),
    publish: options.publish,
    stamp: options.stamp,
    nameOf,
  });
  const noteMissing = ({ notes }: Parts, each: Wanted) => {
    const { address } = each;
    const rename = renames.get(address);
    const gone = goneNote(each, findLocked(lock, each), current);
    notes.push(...(rename ? [renameNote(rename)] : []), ...(gone === undefined ? [] : [gone]));
  };

  const resources = chosen.map((each): PlannedResource => {
    const { address } = each;
    const subject = subjectOf(each);
    if (each.kind === "Layout") {
      const state = current.layouts.get(address);
      const order = orders.get(address) ?? USUAL_ORDER;
      const { listsLayouts } = current;
      const inDoubt = options.inDoubt?.get(address) ?? [];
      const around = context(each, state?.content);
      const parts = planLayout(each, { ...around, state, order, listsLayouts, inDoubt });
      if (!state) noteMissing(parts, each);
      noteSetBack(parts, around.behind);
      return finish(each, { parts, subject, read: digestOfRead(subject), ids: state && { layoutId: state.layoutId } });
    }
    const state = current.forms.get(address);
    const around = context(each, state?.content);
    const parts = planForm(each, { ...around, state, defaults: defaults.get(address)! });
    if (!state) noteMissing(parts, each);
    noteSetBack(parts, around.behind);
    // A plan does not depend on the drafts of a content that is in place.
    const depended = { ...subject, content: parts.steps.some(({ request }) => CONTENT_STEPS.has(request.operation)) };
    return finish(each, { parts, subject: depended, read: digestOfRead(depended), ids: state && idsOf(state) });
  });
  const instead = deletedRenames(renames);
  const deletions = deleted.map((each): PlannedResource => {
    const { subject, state } = each;
    const { address, object } = subject;
    const file = options.unreadFileOf?.(address);
    const unread = file === undefined ? undefined : `${file}, which was not read for this, had it last`;
    const parts = planDeletion(each, defaults.get(address)!, instead.get(state.form.id) ?? unread);
    const ids = idsOf(state);
    return { address, kind: "Form", action: "delete", object, ...ids, ...parts, subject, read: digestOfRead(subject) };
  });
  return { resources: waitForFields([...resources, ...deletions]) };
}

const CONTENT_STEPS = new Set<StepRequest["operation"]>(["saveDraft", "publishLayout"]);

function defaultsOf(
  wanted: readonly Wanted[],
  deleted: readonly Surplus[],
  current: Current,
): Map<string, DefaultsPlan> {
  const subjects = Map.groupBy(
    [
      ...wanted.flatMap((each) =>
        each.kind === "Form"
          ? [{ object: each.object, wanted: each, address: each.address, state: current.forms.get(each.address) }]
          : [],
      ),
      ...deleted.map(({ subject, state }) => ({
        object: subject.object,
        address: subject.address,
        state,
        wanted: undefined,
      })),
    ],
    ({ object }) => objectText(object),
  );
  const plans = [...subjects].map(([object, group]) => planDefaults(group, current.objects.get(object)?.forms ?? []));
  return new Map(plans.flatMap((plan) => [...plan]));
}

function idsOf({ form }: FormState): { formId: string; layoutId?: string } {
  return { formId: form.id, ...(form.viewLayoutId !== undefined && { layoutId: form.viewLayoutId }) };
}

type Finished = {
  parts: Parts;
  subject: Subject;
  read: string;
  ids: { formId?: string; layoutId?: string } | undefined;
};

function finish(wanted: Wanted, { parts, subject, read, ids }: Finished): PlannedResource {
  const action = parts.steps.length === 0 ? "none" : ids ? "update" : "create";
  return {
    address: wanted.address,
    kind: wanted.kind,
    action,
    ...(wanted.kind === "Form" && { object: wanted.object }),
    ...ids,
    // Finding a place costs time, and what is in place is not shown.
    ...(action !== "none" && { place: placeOf(wanted) }),
    ...parts,
    subject,
    read,
  };
}

function placeOf({ locate }: Wanted): { file: string; line: number } {
  const { file, line } = locate({ severity: "error", code: "", message: "" });
  return { file, line };
}
