/** Describes the consequences of a plan. Compares the copy before and after the steps of the plan. */

import { lostAccess } from "../plan/changes.ts";
import type { NameOf } from "../manifests/references.ts";
import type { Plan } from "../plan/planned.ts";
import type { RehearsedEffect } from "./rehearsal.ts";
import { plural } from "../base/plural.ts";
import type { FormListedAnswer, LayoutAnswer } from "../schemas/answers.ts";
import { DEFAULT_FLAG, MODES } from "../schemas/words.ts";
import type { Observation } from "./observe.ts";
import { formAddress } from "../lists/addresses.ts";

type Options = {
  plan: Plan;
  nameOf: NameOf;
  /** Returns a form as the server shows it, if the copy lacks the published content of its layout. */
  unreadForm: (formId: string) => FormListedAnswer | undefined;
};

/** Returns the effects: forms and layouts first, then defaults, access, fields and uploads. */
export function effectsBetween(before: Observation, after: Observation, options: Options): RehearsedEffect[] {
  return [
    ...availabilityOfForms(before, after, options),
    ...availabilityOfLayouts(before, after, options),
    ...movedDefaults(before, after),
    ...trimmedAccess(before, after, options),
    ...changedFields(before, after),
    ...deletedUploads(before, after),
  ];
}

function availabilityOfForms(
  before: Observation,
  after: Observation,
  { plan, unreadForm }: Options,
): RehearsedEffect[] {
  const addressOf = new Map(plan.resources.map(({ formId, address }) => [formId, address]));
  const order = new Map(plan.resources.map(({ address }, index) => [address, index]));
  const inPlan = new Set(plan.resources.filter(({ steps }) => steps.length > 0).map(({ address }) => address));
  const forms = [...after.forms].map(([id, form]) => {
    return { id, form, subject: addressOf.get(id) ?? formAddress(form.object, form.name) };
  });
  // Forms of the plan come first, in the order of the plan. The other forms follow, sorted by address.
  const place = (subject: string) => order.get(subject) ?? order.size;
  forms.sort((a, b) => place(a.subject) - place(b.subject) || (a.subject < b.subject ? -1 : 1));
  return forms.flatMap(({ id, form, subject }) => {
    const former = before.forms.get(id);
    // The form is not in the plan, and `before` lacks the form. So its change is unknown.
    if (!former && !order.has(subject)) return [];
    const unread = former && unreadForm(id);
    const modes = MODES.filter((mode) => form.types.includes(mode) || former?.types.includes(mode));
    const changed = modes.flatMap((mode) => {
      const [was, is] = unread ? statesOfUnread(unread, form, mode) : [stateOf(former, mode), stateOf(form, mode)];
      return was === is ? [] : [{ mode, change: `${was} → ${is}` }];
    });
    return [...Map.groupBy(changed, ({ change }) => change)].map(([change, ofModes]): RehearsedEffect => {
      const text = `${ofModes.map(({ mode }) => mode).join(", ")}: ${change}`;
      return { kind: "availability", subject, text, isElsewhere: !inPlan.has(subject) };
    });
  });
}

/**
 * Returns the states of a mode before and after the plan, if the copy lacks the content. Only the loss of a mode and the
 * deactivation of the form do not depend on the content. For any other change, both states are the same.
 */
function statesOfUnread(shown: FormListedAnswer, form: FormListedAnswer, mode: string): [string, string] {
  const was = shown.usableTypes ? stateOf(shown, mode) : UNKNOWN;
  if (was === UNKNOWN || was === NO_MODE) return [was, was];
  if (!form.types.includes(mode)) return [was, NO_MODE];
  return [was, was === "PUBLISHED" && !form.isActive ? INACTIVE : was];
}

const UNKNOWN = "unknown";
const NO_MODE = "no such mode";
const INACTIVE = "PUBLISHED, form inactive";

/** Returns the state of a mode of a form in words: `PUBLISHED`, `PUBLISHED, not usable`, `no such mode`. */
function stateOf(form: FormListedAnswer | undefined, mode: string): string {
  if (!form) return "no form";
  if (!form.types.includes(mode)) return NO_MODE;
  const state = form.layoutAvailability?.[mode]?.state ?? UNKNOWN;
  if (state !== "PUBLISHED" || form.usableTypes?.includes(mode)) return state;
  return form.isActive ? `${state}, not usable` : INACTIVE;
}

function availabilityOfLayouts(before: Observation, after: Observation, { plan }: Options): RehearsedEffect[] {
  return plan.resources.flatMap(({ address: subject, layoutId }): RehearsedEffect[] => {
    const layout = layoutId === undefined ? undefined : after.layouts.get(layoutId);
    if (!layout) return [];
    const [was, is] = [publishedModes(before.layouts.get(layout.id)), publishedModes(layout)];
    if (was === is) return [];
    return [{ kind: "availability", subject, text: `published for ${was} → ${is}`, isElsewhere: false }];
  });
}

function publishedModes(layout: LayoutAnswer | undefined): string {
  const published = layout?.currentVersion?.supportedModes ?? [];
  const modes = MODES.filter((mode) => published.includes(mode) && layout?.supportedModes?.includes(mode));
  return modes.join(", ") || "no mode";
}

function movedDefaults(before: Observation, after: Observation): RehearsedEffect[] {
  const holders = ({ forms }: Observation) =>
    new Map(
      [...forms.values()].flatMap((form) =>
        MODES.filter((mode) => form[DEFAULT_FLAG[mode]]).map((mode) => [`${form.object} ${mode}`, form] as const),
      ),
    );
  const [old, now] = [holders(before), holders(after)];
  return [...new Set([...old.keys(), ...now.keys()])].toSorted().flatMap((key): RehearsedEffect[] => {
    const [was, is] = [old.get(key), now.get(key)];
    if (was?.id === is?.id) return [];
    const [subject, mode] = key.split(" ") as [string, string];
    const text = `default for ${mode}: ${was?.name ?? "none"} → ${is?.name ?? "none"}`;
    return [{ kind: "default", subject, text, isElsewhere: false }];
  });
}

function trimmedAccess(before: Observation, after: Observation, { plan, nameOf }: Options): RehearsedEffect[] {
  return plan.resources.flatMap(({ address: subject, formId }): RehearsedEffect[] => {
    const access = formId === undefined ? undefined : before.access.get(formId);
    const types = formId === undefined ? undefined : after.forms.get(formId)?.types;
    if (!access || !types) return [];
    const removed = MODES.filter((mode) => !types.includes(mode));
    return lostAccess(access, removed, nameOf).map((text) => ({ kind: "access", subject, text, isElsewhere: false }));
  });
}

function changedFields(before: Observation, after: Observation): RehearsedEffect[] {
  const created = [...after.fields.values()].filter(({ id }) => !before.fields.has(id));
  const effects = created.map(({ address: subject, type }): RehearsedEffect => {
    return { kind: "field", subject, text: `creates the field (${type})`, isElsewhere: false };
  });
  for (const field of before.fields.values()) {
    const { address: subject, type, valueCount } = field;
    const left = after.fields.get(field.id);
    const add = (kind: "field" | "values", text: string) => effects.push({ kind, subject, text, isElsewhere: false });
    if (!left) add("field", `deletes the field (${type})`);
    else if (left.type !== type) add("field", `type ${type} → ${left.type}`);
    const options = left ? field.options.filter((option) => !left.options.includes(option)) : [];
    if (options.length > 0) add("values", `clears values that are one of ${options.join(", ")}`);
    const lost = valueCount - (left?.valueCount ?? 0);
    if (lost > 0) add("values", `clears ${plural(lost, "value")}`);
  }
  return effects;
}

function deletedUploads(before: Observation, after: Observation): RehearsedEffect[] {
  return [...before.uploads].flatMap(([formId, count]): RehearsedEffect[] => {
    const form = before.forms.get(formId);
    if (!form || count === 0 || after.forms.has(formId)) return [];
    const subject = formAddress(form.object, form.name);
    return [{ kind: "uploads", subject, text: `deletes ${plural(count, "uploaded file")}`, isElsewhere: false }];
  });
}
