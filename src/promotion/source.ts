/** Reads the forms and layouts of one side of a promotion. */

import { FormctlError } from "../error.ts";
import { findForm, type FormAddress } from "../lists/forms.ts";
import { isMigrationRecord } from "../lists/layouts.ts";
import { formAddress, layoutAddress, objectText } from "../manifests/address.ts";
import { isOrganizationLayout, listAllLayouts } from "../manifests/current/layouts.ts";
import { type Exported, omitUnsupported } from "../manifests/export/exported.ts";
import { readExported } from "../manifests/export/read-exported.ts";
import type { ObjectKey } from "../manifests/manifest.ts";
import type { ProjectTarget } from "../manifests/project/target.ts";
import type { LayoutAnswer } from "../schemas/answers.ts";
import { nearest } from "../nearest.ts";
import { readLayout, type Service } from "../service.ts";

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

export type SourceState = {
  exported: readonly Exported[];
  /** The forms and layouts that can't be promoted, each with the reason. */
  omitted: readonly { exported: Exported; reason: string }[];
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
  const listed = isWhole || layouts.length > 0 ? await listLayouts(service, reading) : undefined;
  const chosen = isWhole
    ? { objects: await objectsOf(side, listed), forms: [], layouts: ownLayouts(listed ?? []) }
    : {
        objects,
        forms: await Promise.all(forms.map((address) => chooseForm(service, address))),
        layouts: await Promise.all(layouts.map((text) => findLayout(service, text, { listed, name: side.name }))),
      };
  // `nameOf` returns no names. So access rows contain ids, which are mapped later.
  const found = await readExported(chosen, { service, nameOf: () => undefined, ...reading });
  const { supported, omitted: reasons } = omitUnsupported(found);
  const omitted = found.flatMap((exported) => {
    const reason = reasons.get(exported.address);
    return reason === undefined ? [] : [{ exported, reason }];
  });
  return { exported: supported, omitted, objects: chosen.objects, hasAllLayouts: isWhole && listed !== undefined };
}

/**
 * Returns the layouts of all surfaces, including the layouts of forms. Undefined if the server does not list layouts.
 */
export function listLayouts(
  service: Service,
  { concurrency }: Pick<Reading, "concurrency">,
): Promise<LayoutAnswer[] | undefined> {
  return listAllLayouts(service, undefined, concurrency);
}

/**
 * Returns the layouts that no form owns. The layout that contains the record of migrations is left out: a target must
 * not get the record of another target.
 */
export function ownLayouts(listed: readonly LayoutAnswer[]): LayoutAnswer[] {
  return listed.filter((layout) => isOrganizationLayout(layout) && !isMigrationRecord(layout));
}

/**
 * Returns the objects that a side shows. A local store lists its objects. On a server, the listed layouts name the
 * objects of their forms.
 *
 * @throws USAGE if the server does not list layouts
 */
export async function objectsOf(
  { name, target }: Side,
  listed: readonly LayoutAnswer[] | undefined,
): Promise<ObjectKey[]> {
  const { organization } = (await target.knowledge()).knowledge;
  if (organization) {
    return organization.modules.flatMap(({ key: moduleKey, objects }) =>
      objects.filter(({ kind }) => kind !== "SUBORDINATE").map(({ key: objectKey }) => ({ moduleKey, objectKey })),
    );
  }
  if (!listed) {
    throw new FormctlError(
      "USAGE",
      `missing argument OBJECT: ${name} lists no layouts, so its objects are unknown`,
      "Specify the objects: MODULE/OBJECT …",
    );
  }
  const objects = listed.flatMap(({ target: of }): [string, ObjectKey][] => {
    const { moduleKey, objectKey, formId } = of ?? {};
    if (typeof moduleKey !== "string" || typeof objectKey !== "string" || formId == null) return [];
    return [[objectText({ moduleKey, objectKey }), { moduleKey, objectKey }]];
  });
  return [...new Map(objects).values()];
}

async function chooseForm(service: Service, address: FormAddress) {
  const { moduleKey, objectKey } = address;
  return { object: { moduleKey, objectKey }, form: await findForm(service, address) };
}

/** @param text the id of a layout, or its address */
async function findLayout(
  service: Service,
  text: string,
  { listed, name }: { listed: readonly LayoutAnswer[] | undefined; name: string },
): Promise<LayoutAnswer> {
  const own = ownLayouts(listed ?? []);
  const matches = own.filter((layout) => layout.id === text || addressOf(layout) === text);
  const [found = text.includes("/") ? undefined : await readLayout(service, text)] = matches;
  if (matches.length > 1) {
    const ids = matches.map(({ id }) => id).join(", ");
    throw new FormctlError("AMBIGUOUS_NAME", `${matches.length} layouts are named ${text}: ${ids}`, "Specify the id.");
  }
  if (!found) {
    const meant = nearest(text, own.map(addressOf));
    const hint = meant === undefined ? "A form is specified as MODULE/OBJECT/FORM." : `Did you mean "${meant}"?`;
    throw new FormctlError("NOT_FOUND", `${name} has no layout ${text}`, hint);
  }
  if (!isOrganizationLayout(found)) {
    throw new FormctlError("USAGE", `the layout ${text} belongs to a form`, "Specify the form: MODULE/OBJECT/FORM");
  }
  return found;
}

/** Returns the address of a listed layout. */
export function addressOf({ surface = "", target, name = "" }: LayoutAnswer): string {
  return layoutAddress(surface, target ?? {}, name);
}

/** Returns the address of a listed form. */
export function addressOfForm(object: ObjectKey, name: string): string {
  return formAddress(objectText(object), name);
}
