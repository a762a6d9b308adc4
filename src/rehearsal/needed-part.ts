/** Finds the part of a local store that the rehearsal of a plan needs. */

import type { CopyPart } from "../local-service.ts";
import { keyOfCreation } from "../apply/create.ts";
import type { Plan, StepRequest } from "../plan/planned.ts";
import { changesFields, isForm } from "./observe.ts";
import { objectText } from "../lists/addresses.ts";

/**
 * The maximum number of changed forms that are copied without the other forms. For more forms, a copy of the whole
 * store is faster.
 */
const MOST_FORMS = 100;

/**
 * Returns the part of the store on which the steps and their effects depend. The part has all forms in these cases:
 * - the plan changes many forms
 * - the plan changes a layout that no form owns
 * - the plan changes fields, which can affect all forms of an object
 *
 * @param organization the key of the organization. Undefined if the store has only one organization
 */
export function neededPart({ resources }: Plan, organization: string | undefined): CopyPart {
  const changed = resources.filter(({ steps }) => steps.length > 0);
  const forms = changed.filter(isForm);
  if (forms.length < changed.length || forms.length > MOST_FORMS || forms.some(changesFields)) return { organization };
  const requests = forms.flatMap(({ steps }) => steps.map(({ request }) => request));
  const creations = requests.filter((request) => request.operation === "createForm");
  const byObject = Map.groupBy(forms, ({ object }) => objectText(object));
  return {
    organization,
    creations: creations.map(keyOfCreation),
    objects: [...byObject.values()].map((ofObject) => ({
      moduleKey: ofObject[0]!.object.moduleKey,
      objectKey: ofObject[0]!.object.objectKey,
      formIds: ofObject.flatMap(({ formId }) => formId ?? []),
      names: ofObject.flatMap(({ subject, steps }) => [
        subject.name,
        ...steps.flatMap(({ request }) => namesIn(request)),
      ]),
    })),
  };
}

/**
 * Returns the name that a request gives to a form. The copy also needs an existing form with the same name. Then the
 * rehearsal shows that the name is ambiguous.
 */
function namesIn(request: StepRequest): string[] {
  const isNaming = request.operation === "createForm" || request.operation === "updateForm";
  return isNaming && request.body.name !== undefined ? [request.body.name] : [];
}
