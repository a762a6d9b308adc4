/** (wanted, current) → plan: pure and ordered. `plan` prints it, `apply` does it. */

import type { Change } from "../../schemas/content-diff.ts";
import type { DraftContent } from "../../schemas/draft.ts";
import type { AccessMatrix, Mode } from "../../schemas/form.ts";
import type { Input } from "../../schemas/operations.ts";
import type { SeedField } from "../../schemas/organization.ts";
import { type Lock, findLocked } from "../lock.ts";
import type { ObjectKey, Wanted } from "../manifest.ts";
import { orderAssignments, USUAL_ORDER } from "./assignments.ts";
import { type DefaultsPlan, planDefaults } from "./defaults.ts";
import { waitForFields } from "./fields.ts";
import { planForm } from "./form.ts";
import { goneNote } from "./gone.ts";
import { planLayout } from "./layout.ts";
import type { Parts } from "./parts.ts";
import { findSurplus, planDeletion, type Surplus } from "./prune.ts";
import { readDigests } from "./read.ts";
import { deletedRenames, type LikelyRename, renameNote } from "./renames.ts";
import { basesFor, noteSetBack } from "./set-back.ts";
import type { Replaced } from "./replaced.ts";
import { targetFilter } from "./targets.ts";
import type { References } from "../references.ts";
import { objectText, type Subject, subjectOf } from "../subject.ts";
import type { ContentState, Current, FormState } from "../state.ts";

/**
 * The order that satisfies every rule. Steps of one phase are independent of each other but for those of one resource;
 * a phase begins when the one before it has ended.
 *
 * - create: forms and layouts that are not there
 * - widen: name, config, activation, added types, metadata
 * - fields: drafts that stage new fields, which others may show
 * - content: drafts and their publication
 * - access: access rows and assignments
 * - defaults: who holds a default, the old holders before the new ones where that is needed
 * - narrow: removed types and deactivation, which a default forbids
 * - narrowContent: drafts of forms that were narrowed, which are checked for the modes that are left
 * - loseFields: drafts that stage the end of fields, which others showed until now
 * - delete: what is pruned
 */
export const PHASES = [
  "create",
  "widen",
  "fields",
  "content",
  "access",
  "defaults",
  "narrow",
  "narrowContent",
  "loseFields",
  "delete",
] as const;
export type Phase = (typeof PHASES)[number];

/** One request, or one that depends on the answer of an earlier step of the same resource. */
export type StepRequest =
  | { operation: "createForm"; object: ObjectKey; body: Input<"createForm">["body"] }
  | { operation: "updateForm"; body: Input<"updateForm">["body"] }
  | { operation: "createLayout"; body: Omit<Input<"createLayout">["body"], "clientMutationId"> }
  | { operation: "updateLayout"; body: Input<"updateLayout">["body"] }
  /** `replaces` is the draft that was there, null for none, undefined where the server does not tell. */
  | { operation: "saveDraft"; content: DraftContent; replaces: string | null | undefined }
  /** `draft` is the draft that is there already; absent: the one that this resource's `saveDraft` has made. `published` as `replaces`. */
  | {
      operation: "publishLayout";
      draft?: string;
      confirmFieldChanges: readonly string[];
      published: string | null | undefined;
    }
  | { operation: "replaceFormAccess"; body: AccessMatrix }
  | { operation: "replaceAssignments"; organizationDefault: boolean; roles: { roleId: string; priority: number }[] }
  /** The modes for which this form becomes the default, and those that it gives up without a successor. */
  | { operation: "updateFormDefaults"; take: readonly Mode[]; leave: readonly Mode[] }
  | { operation: "deleteForm" };

export type PlannedStep = {
  phase: Phase;
  request: StepRequest;
  /** What was read of that which it overwrites; drafts and publications say so in their requests. */
  replaces?: Replaced;
};

/** A consent that `--yes` does not give. */
export type Need =
  | { consent: "allow-delete"; what: string; lost: readonly string[] }
  | { consent: "allow-replace"; what: string; lost: readonly string[] };

/**
 * An aspect as it is wanted and as it is: the same, or changed since the last apply or export in the manifest (`here`), on
 * the server (`there`) or on both sides. `differs`: neither stamp nor lock tells who changed it; `missing`: the record is
 * not there; `unobservable`: the server does not show it.
 */
export type Drift = "same" | "here" | "there" | "both" | "differs" | "missing" | "unobservable";

export type PlannedResource = {
  address: string;
  kind: "Form" | "Layout";
  action: "create" | "update" | "delete" | "none";
  object?: ObjectKey;
  formId?: string;
  layoutId?: string;
  /** Where the manifest stands. */
  place?: { file: string; line: number };
  /** Field by field: `types`, `config.title`, `access.roles`, `layout.blocks[3].grid`. */
  changes: readonly Change[];
  /** What follows from a rule: "role Recruiter loses EDIT", "CREATE becomes DRAFT_ONLY until the next publish". */
  effects: readonly string[];
  /** What can't be observed, what somebody else has changed since our last apply. */
  notes: readonly string[];
  needs: readonly Need[];
  /** What was read for it. */
  subject: Subject;
  /** A digest of everything that was read of it: a plan whose digests do not hold any more is stale. */
  read: string;
  /** Who has moved since the last apply or export, by managed aspect (`types`, `access`, `content` …). */
  drift: Readonly<Record<string, Drift>>;
  steps: readonly PlannedStep[];
  /** What the lock will hold of it when all steps have landed. */
  base: Readonly<Record<string, string>>;
};

export type Plan = { resources: readonly PlannedResource[] };

/** What is written into the metadata of drafts so that our own publishes are told from others'; undefined: nothing. */
export type Stamping = { ref?: string } | undefined;

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
 * @throws UnknownTargets where a target is no address of a manifest, or of a form that would be pruned
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

function idsOf({ form }: FormState): { formId: string; layoutId: string } {
  return { formId: form.id, layoutId: form.viewLayoutId };
}

type Finished = {
  parts: Parts;
  subject: Subject;
  read: string;
  ids: { formId?: string; layoutId: string } | undefined;
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
