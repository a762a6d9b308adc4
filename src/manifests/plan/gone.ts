/** What a manifest had made, and what is not there any more: that it is made anew is no first time. */

import type { LockedResource } from "../lock.ts";
import type { Wanted } from "../manifest.ts";
import type { Current } from "../state.ts";
import { objectText } from "../subject.ts";

/** Where there is nothing for the manifest; undefined: the lock knows of nothing that there was. */
export function goneNote(wanted: Wanted, locked: LockedResource | undefined, current: Current): string | undefined {
  const id = wanted.kind === "Form" ? locked?.formId : locked?.layoutId;
  if (id === undefined) return undefined;
  const other = nameOf(id, wanted, current);
  if (other !== undefined) return `what it was, ${id}, is called ${JSON.stringify(other)} there now`;
  const gone = wanted.kind === "Form" ? "deleted" : "archived or deleted";
  return `it was there when it was last applied or exported (${id}), and has been ${gone} since: it is made anew`;
}

/** Of a record that is there all the same, as another manifest's or as nobody's. */
function nameOf(id: string, wanted: Wanted, { objects, otherLayouts, layouts }: Current): string | undefined {
  if (wanted.kind === "Form") {
    const forms = objects.get(objectText(wanted.object))?.forms ?? [];
    return forms.find(({ form }) => form.id === id)?.form.name;
  }
  const meant = [...layouts.values()].find(({ layoutId }) => layoutId === id);
  return meant?.name ?? otherLayouts.find((other) => other.id === id)?.name;
}
