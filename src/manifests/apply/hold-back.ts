/** What is lost for good is lost last: not while something that may be there instead of it has not landed. */

import { fieldsOwner } from "../plan/fields.ts";
import type { Phase, PlannedResource } from "../plan/planned.ts";

/**
 * Why nothing of a resource is deleted in a phase: by the owner of its fields, the resource beside it that is not finished.
 * A form that was renamed in its manifest and could not be made is such a one: what it was before would be pruned.
 */
export function reasonToKeep(
  resource: PlannedResource,
  phase: Phase,
  unfinished: readonly PlannedResource[],
): string | undefined {
  if (!isDeleting(resource, phase)) return undefined;
  const owner = fieldsOwner(resource);
  const beside = unfinished.find((each) => each !== resource && fieldsOwner(each) === owner);
  return beside && `nothing is deleted as long as ${beside.address} is not finished`;
}

function isDeleting({ steps }: PlannedResource, phase: Phase): boolean {
  if (phase === "delete") return true;
  if (phase !== "loseFields") return false;
  const saved = steps.map(({ request }) => request).findLast(({ operation }) => operation === "saveDraft");
  // What a draft stages that is there already is not known here.
  if (saved?.operation !== "saveDraft") return true;
  // Contents that wait for a new field come as late.
  return saved.content.stagedFieldDefinitions.some(({ action }) => action === "delete");
}
