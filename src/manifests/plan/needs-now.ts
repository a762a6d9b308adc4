/** What a sealed plan takes away from what exists now: whatever it lists, that is what a person is asked about. */

import type { FormctlError } from "../../error.ts";
import { canonicalJson } from "../../schemas/json.ts";
import { withoutStamp } from "../content/content.ts";
import { type Lock, findLocked } from "../lock.ts";
import type { Current } from "../state.ts";
import { formerAddressOf } from "../subject.ts";
import { replaceNeed } from "./content.ts";
import { unusablePlan } from "./file.ts";
import type { Need, PlannedResource } from "./planned.ts";
import { lostWith } from "./prune.ts";

/**
 * The confirmations of a resource that is as its plan has read it.
 *
 * @throws PLAN_UNUSABLE where it would change or delete another record than it has read, or lose something else than it lists
 */
export function needsNow(resource: PlannedResource, current: Current, lock: Pick<Lock, "get">): Need[] {
  const { address, kind, needs, formId, layoutId } = resource;
  const form = current.forms.get(address);
  const layout = current.layouts.get(address);
  const there =
    kind === "Form" ? form && [form.form.id, form.form.viewLayoutId] : layout && [undefined, layout.layoutId];
  if (String(there ?? []) !== String((formId ?? layoutId) ? [formId, layoutId] : []))
    throw contradiction(address, "its ids are those of another record than the one that it was made for");
  return [...needs.filter(({ consent }) => consent === "allow-delete").map(asListed), ...replaceNeeds()];

  function asListed(need: Need): Need {
    if (form && canonicalJson(need.lost) === canonicalJson(lostWith(form.form))) return need;
    throw contradiction(address, "it lists something else than what is deleted with the form");
  }

  /** Whose a draft is, the service and the lock say, and no plan. */
  function replaceNeeds(): Need[] {
    const content = form?.content ?? layout?.content;
    const save = resource.steps.map(({ request }) => request).find((request) => request.operation === "saveDraft");
    if (!content?.draft || !save) return [];
    const surface = resource.subject.kind === "Form" ? "DYNAMIC_OBJECT" : resource.subject.surface;
    const locked = findLocked(lock, { address, formerAddress: formerAddressOf(resource.subject) });
    return [replaceNeed(content.draft, content, { surface, target: withoutStamp(save.content), locked })].filter(
      (need) => need !== undefined,
    );
  }
}

function contradiction(address: string, what: string): FormctlError {
  return unusablePlan(`the plan lists something else than its steps do: ${JSON.stringify(address)}: ${what}`);
}
