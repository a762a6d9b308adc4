/** Where a layout is shown: its page family, its target, the modes that it serves, the form that owns it. */

import type { FormAnswer } from "../../schemas/answers.ts";
import type { ModeWord } from "../../schemas/words.ts";
import { readLayout, type Service, ServiceError, unlessForbidden } from "../../service.ts";
import { findLayoutId, type LayoutAddress, type ObjectAddress } from "../addresses.ts";

/**
 * What could not be read is absent: the API as documented has no endpoint for a layout that no form owns, and the token may lack
 * the permission.
 */
export type LayoutPlace = {
  layoutId: string;
  name?: string | undefined;
  surface?: string | undefined;
  modes?: readonly ModeWord[] | undefined;
  target?: Readonly<Record<string, unknown>> | undefined;
  form?: FormAnswer;
};

/** The place of the layout that an address means. A form says it by itself, and its layout need not be read. */
export async function findPlace(service: Service, address: LayoutAddress): Promise<LayoutPlace> {
  const { layoutId, form } = await findLayoutId(service, address);
  if (form && "form" in address) {
    const { moduleKey, objectKey } = address;
    const target = { moduleKey, objectKey, formId: form.id };
    return { layoutId, name: form.viewLayoutName, surface: "DYNAMIC_OBJECT", modes: form.types, target, form };
  }
  const layout = await unlessForbidden(() => readLayout(service, layoutId));
  if (!layout) return { layoutId };
  const { name, surface, supportedModes: modes, target } = layout;
  return { layoutId, name, surface, modes, target };
}

/** The object whose records a layout shows. */
export function objectOf({ target }: Pick<LayoutPlace, "target">): ObjectAddress | undefined {
  const { moduleKey, objectKey } = target ?? {};
  return typeof moduleKey === "string" && typeof objectKey === "string" ? { moduleKey, objectKey } : undefined;
}

/** The form that owns a layout, as it is now; undefined where none does, or it may not be read. */
export async function readOwner(service: Service, place: Pick<LayoutPlace, "target">): Promise<FormAnswer | undefined> {
  const object = objectOf(place);
  const formId = place.target?.["formId"];
  if (!object || typeof formId !== "string") return undefined;
  try {
    return await service.getForm({ ...object, formId });
  } catch (error) {
    // Forms have a permission of their own: who may only work on layouts goes without what the form says.
    if (error instanceof ServiceError && (error.status === 403 || error.status === 404)) return undefined;
    throw error;
  }
}
