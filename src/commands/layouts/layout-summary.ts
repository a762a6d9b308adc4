/**
 * Reads the name, surface, modes and target of a layout. They come from the form of the layout, or from the layout
 * itself.
 */

import { ownerOf } from "../../lists/objects.ts";
import type { FormAnswer, LayoutAnswer } from "../../schemas/answers.ts";
import type { ModeWord } from "../../schemas/words.ts";
import { readLayout, type Service, ServiceError, unlessForbidden } from "../../service.ts";
import type { LayoutAddress } from "../addresses.ts";
import { findLayoutId } from "../lookups.ts";

/**
 * A member is absent if it can't be read. The documented API has no endpoint for one layout. The token may also lack
 * the permission.
 */
export type LayoutSummary = {
  layoutId: string;
  name?: string | undefined;
  surface?: string | undefined;
  modes?: readonly ModeWord[] | undefined;
  target?: LayoutAnswer["target"];
  /** The form that owns the layout. Absent if the address does not name a form. */
  form?: FormAnswer;
};

/** Reads the summary of the layout that an address names. If the address names a form, reading the form is enough. */
export async function readSummary(service: Service, address: LayoutAddress): Promise<LayoutSummary> {
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

/** Reads the form that owns a layout. Undefined if no form owns it, or the form can't be read. */
export async function readOwner(
  service: Service,
  summary: Pick<LayoutSummary, "target">,
): Promise<FormAnswer | undefined> {
  const owner = ownerOf(summary);
  if (!owner) return undefined;
  try {
    return await service.getForm(owner);
  } catch (error) {
    // Forms have their own permission. A token that may read layouts may lack the permission to read forms.
    if (error instanceof ServiceError && (error.status === 403 || error.status === 404)) return undefined;
    throw error;
  }
}
