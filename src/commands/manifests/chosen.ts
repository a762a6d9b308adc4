/** What is to be exported, by what was typed. */

import { FormctlError } from "../../error.ts";
import type { LayoutAnswer } from "../../schemas/answers.ts";
import type { ObjectKey } from "../../manifests/manifest.ts";
import type { Chosen } from "../../manifests/export/read-exported.ts";
import { isOrganizationLayout, listAllLayouts } from "../../manifests/current/layouts.ts";
import { readLayout, type Service } from "../../service.ts";
import {
  findForm,
  type FormAddress,
  type LayoutAddress,
  type ObjectAddress,
  parseLayout,
  parseObject,
} from "../addresses.ts";

export type Named = ObjectAddress | LayoutAddress;

/** `staffing/candidate`, `staffing/candidate/Candidate profile`, or the id of a layout. */
export function parseNamed(text: string): Named {
  return text.split("/").length === 2 ? parseObject(text) : parseLayout(text);
}

export function objectsOf(named: readonly Named[]): ObjectKey[] {
  return named.filter((each) => !("layoutId" in each) && !("form" in each)) as ObjectKey[];
}

/**
 * @param allLayouts every layout that no form owns, too
 * @throws NOT_FOUND, AMBIGUOUS_NAME where something is not there, or can't be told from another
 */
export async function choose(service: Service, named: readonly Named[], allLayouts: boolean): Promise<Chosen> {
  const ids = new Set(named.flatMap((each) => ("layoutId" in each ? [each.layoutId] : [])));
  const layouts = await Promise.all([...ids].map((layoutId) => findLayout(service, layoutId)));
  if (allLayouts) layouts.push(...(await listLayouts(service)));
  // A form's own layout stands for the form.
  const owned = layouts.flatMap(({ target }) => ownerOf(target) ?? []);
  const addresses = [...named.filter((each) => "form" in each), ...owned];
  const forms = await Promise.all(
    addresses.map(async (address) => {
      const { moduleKey, objectKey } = address;
      return { object: { moduleKey, objectKey }, form: await findForm(service, address) };
    }),
  );
  return { objects: objectsOf(named), forms, layouts: layouts.filter(({ target }) => !ownerOf(target)) };
}

function ownerOf({ moduleKey, objectKey, formId: form }: NonNullable<LayoutAnswer["target"]> = {}):
  | FormAddress
  | undefined {
  const isOwned = typeof moduleKey === "string" && typeof objectKey === "string" && typeof form === "string";
  return isOwned ? { moduleKey, objectKey, form } : undefined;
}

async function findLayout(service: Service, layoutId: string): Promise<LayoutAnswer> {
  const layout = await readLayout(service, layoutId);
  if (layout) return layout;
  throw new FormctlError(
    "NOT_FOUND",
    `the layout ${layoutId} does not exist, or the server does not show what it is for`,
    "An object is MODULE/OBJECT. The layout of a form is exported with its form: formctl export MODULE/OBJECT/FORM",
  );
}

async function listLayouts(service: Service): Promise<LayoutAnswer[]> {
  const all = await listAllLayouts(service, undefined, LAYOUTS_AT_ONCE);
  if (all) return all.filter(isOrganizationLayout);
  throw new FormctlError("NOT_FOUND", "this server does not list layouts", "Name them by their ids.");
}

/** How many layouts are read at once whose names a list leaves out. */
const LAYOUTS_AT_ONCE = 8;
