/** Reads the forms and layouts of one side of a promotion. */

import { FormctlError } from "../base/error.ts";
import { findForm, type FormAddress } from "../lists/forms.ts";
import { isOrganizationLayout, isUserLayout, layoutAt, listAllLayouts, missingLayout } from "../lists/layouts.ts";
import type { ReadResources } from "../export/exported.ts";
import { readExported } from "../export/read-exported.ts";
import { shownObjects } from "../state/knowledge.ts";
import type { ProjectTarget } from "../state/target.ts";
import type { LayoutAnswer } from "../schemas/answers.ts";
import { readLayout, type Service } from "../service.ts";
import type { ObjectKey } from "../lists/addresses.ts";

/** One of the two targets. */
export type Side = {
  /** The name in messages: a profile, a base URL or a path. */
  name: string;
  target: ProjectTarget;
  /**
   * The part of the project file that has the ids of the records. Absent for a local store, which contains the names of
   * its records.
   */
  references?: { file: string; key: string };
};

/** What is compared or promoted. If all members are empty, the selection is everything that the side shows. */
export type Selection = {
  /** Objects, with all their forms. */
  objects?: readonly ObjectKey[];
  /** Forms, by name or id. */
  forms?: readonly FormAddress[];
  /** Layouts that no form owns, by id or by address. An example of an address is `CONTRACTOR/Contractor card`. */
  layouts?: readonly string[];
};

export type SourceState = ReadResources & {
  /** The objects whose forms are all in `exported` or `omitted`. */
  objects: readonly ObjectKey[];
  /** Whether all layouts that no form owns are in `exported` or `omitted`. */
  hasAllLayouts: boolean;
};

export type Reading = { concurrency: number; onProgress: (done: number, total: number) => void };

/**
 * Reads the selected forms and layouts.
 *
 * @throws USAGE if nothing is selected and the server does not list layouts. Then the objects are unknown
 * @throws AMBIGUOUS_NAME if two forms of an object have the same name
 * @throws NOT_FOUND, OBJECT_MISSING, LIST_INCOMPLETE, and the errors of the service
 */
export async function readSource(side: Side, selection: Selection, reading: Reading): Promise<SourceState> {
  const { objects = [], forms = [], layouts = [] } = selection;
  const service = await side.target.service();
  const isWhole = objects.length + forms.length + layouts.length === 0;
  const listed =
    isWhole || layouts.length > 0 ? await listAllLayouts(service, undefined, reading.concurrency) : undefined;
  const chosen = isWhole
    ? { objects: await objectsOf(side, listed), forms: [], layouts: (listed ?? []).filter(isUserLayout) }
    : {
        objects,
        forms: await Promise.all(forms.map((address) => chooseForm(service, address))),
        layouts: await Promise.all(layouts.map((text) => findLayout(service, text, listed))),
      };
  // `nameOf` returns no names. So access rows contain ids, which are mapped later.
  const read = await readExported(chosen, { service, nameOf: () => undefined, ...reading });
  return { ...read, objects: chosen.objects, hasAllLayouts: isWhole && listed !== undefined };
}

/** Returns the objects that a side shows. @throws USAGE if the objects are unknown */
export async function objectsOf(
  { name, target }: Side,
  listed: readonly LayoutAnswer[] | undefined,
): Promise<ObjectKey[]> {
  const shown = await shownObjects(target, listed);
  if (shown) return shown;
  throw new FormctlError(
    "USAGE",
    `missing argument OBJECT: ${name} lists no layouts, so its objects are unknown`,
    "Specify the objects: MODULE/OBJECT …",
  );
}

async function chooseForm(service: Service, address: FormAddress) {
  const { moduleKey, objectKey } = address;
  return { object: { moduleKey, objectKey }, form: await findForm(service, address) };
}

/** @param text the id of a layout, or its address */
async function findLayout(
  service: Service,
  text: string,
  listed: readonly LayoutAnswer[] | undefined,
): Promise<LayoutAnswer> {
  const own = listed?.filter(isUserLayout);
  if (text.includes("/")) return layoutAt(text, own);
  const found = own?.find(({ id }) => id === text) ?? (await readLayout(service, text));
  if (!found) throw missingLayout(text, own ?? []);
  if (isOrganizationLayout(found)) return found;
  throw new FormctlError("USAGE", `the layout ${text} belongs to a form`, "Specify the form: MODULE/OBJECT/FORM");
}
