/** The rules that create, list, update and archive layouts. The contents of layouts are stored in versions. */

import type { Mode } from "../schemas/form.ts";
import { canonicalJson } from "../schemas/json.ts";
import { deleteAssignments, deleteDefaults, listOtherDefaults, type OtherDefault } from "../store/assignments.ts";
import { deleteLayoutModes, insertLayoutModes, type LayoutRecord, updateLayout } from "../store/layouts.ts";
import { deleteMutationsOfLayout } from "../store/mutations.ts";
import { findObject } from "../store/objects.ts";
import { readStoredOrNull } from "../store/stored-json.ts";
import { claimDefaults } from "./assignments.ts";
import { refuseFormOwned, conflict, invalid } from "./refuse.ts";
import { layoutOf, type LayoutState, readLayouts, readState } from "./layout-records.ts";
import { createOrganizationLayout } from "./new-layout.ts";
import type { OrgTx } from "../store/store.ts";
import type { Rules } from "./rule.ts";

export const layoutRules = {
  /**
   * Creates a layout of the organization (R85) with a first draft. Several layouts can have the same target.
   *
   * @throws ServiceError 400 when the target's object does not exist
   * @throws ServiceError 409 LAYOUT_FORM_OWNED when the target names a form. A form has exactly one layout (R34, R86)
   */
  async createLayout(context, { body }) {
    const { surface, target, name, metadata } = body;
    if (surface === "DYNAMIC_OBJECT") {
      const object = await findObject(context.tx, target.moduleKey ?? "", target.objectKey ?? "");
      if (!object) {
        const message = `is not the key of an object: ${target.moduleKey}/${target.objectKey} does not exist`;
        throw invalid([{ path: "target.objectKey", message }]);
      }
      if (target.formId != null) {
        throw conflict(
          "LAYOUT_FORM_OWNED",
          "a form has exactly one layout, which is created together with the form. Edit that layout, or leave out formId",
        );
      }
    }
    const modes = body.supportedModes;
    return createOrganizationLayout(context, { surface, target, name, metadata, modes });
  },

  /** Returns all layouts that are not archived and match every condition of the query, oldest first. */
  async listLayouts(context, { query }) {
    const { surface, mode, ...target } = query;
    return readLayouts(context.tx, { surface, mode, target });
  },

  async getLayout({ tx, records }, { layoutId }) {
    const [state, { layout }] = await Promise.all([readState(tx, layoutId), records]);
    return layoutOf(layout, state);
  },

  /**
   * Changes the name, the metadata and the modes of a layout (R87). The metadata is replaced as a whole, and null
   * clears it. The modes can change only for a layout of the organization. An absent member keeps its value. If no
   * value changes, `updatedAt` stays the same.
   *
   * @throws ServiceError 409 LAYOUT_FORM_OWNED if the layout belongs to a form, and the body has surface, target or
   *   modes. Equal values are refused too (R88)
   * @throws ServiceError 400 if the body has surface or target for a layout of the organization
   * @throws ServiceError 409 ASSIGNMENT_DEFAULT_TAKEN if the layout is an organization default, and another layout is
   *   already the default for an added mode
   */
  async updateLayout(context, { body }) {
    const { tx, layout } = context;
    const fixed = (["surface", "target"] as const).filter((member) => body[member] !== undefined);
    if (fixed.length > 0 || body.supportedModes !== undefined)
      refuseFormOwned(layout, "its surface and target can't change, and its modes are the types of the form");
    if (fixed.length > 0) {
      const message = "can't be changed. Create another layout instead";
      throw invalid(fixed.map((path) => ({ path, message })));
    }
    const updated: LayoutRecord = {
      ...layout,
      name: body.name ?? layout.name,
      metadata: body.metadata === undefined ? layout.metadata : body.metadata && JSON.stringify(body.metadata),
    };
    const [state, others] = await Promise.all([
      readState(tx, layout.id),
      body.supportedModes ? listOtherDefaults(tx, layout) : [],
    ]);
    const modes =
      body.supportedModes && (await replaceModes(tx, layout, { state, others, modes: body.supportedModes }));
    if (!modes && updated.name === layout.name && sameMetadata(updated, layout)) return layoutOf(layout, state);
    updated.updated_at = context.now;
    await updateLayout(tx, updated);
    return layoutOf(updated, { ...state, ...(modes && { modes }) });
  },

  /**
   * Hides a layout and all its versions from every read (R56). The rows of the layout and its versions stay. Deletes
   * the assignments and the stored responses of the layout. Otherwise a repeated creation with the same mutation id
   * would return this layout.
   *
   * @throws ServiceError 409 LAYOUT_FORM_OWNED if the layout belongs to a form (R98). Edit or delete the form instead
   */
  async archiveLayout(context) {
    const { tx, layout } = context;
    refuseFormOwned(layout, "it is deleted together with the form");
    await deleteAssignments(tx, layout.id);
    await deleteDefaults(tx, layout.id);
    await deleteMutationsOfLayout(tx, layout.id);
    await updateLayout(tx, { ...layout, status: "ARCHIVED", updated_at: context.now });
  },
} satisfies Partial<Rules>;

/**
 * Replaces the modes of a layout. An organization default becomes the default for the new modes, on its surface and
 * target.
 *
 * @returns the new modes. Undefined if the set of modes stays the same: the order of modes has no meaning
 */
async function replaceModes(
  tx: OrgTx,
  layout: LayoutRecord,
  { state, others, modes }: { state: LayoutState; others: readonly OtherDefault[]; modes: Mode[] },
): Promise<Mode[] | undefined> {
  const { modes: before, assigned } = state;
  if (before.length === modes.length && before.every((mode) => modes.includes(mode))) return undefined;
  // The rows that make the layout the default refer to its modes. A cascade deletes these rows together with the modes.
  await deleteLayoutModes(tx, layout.id);
  await insertLayoutModes(tx, layout, modes);
  if (assigned.defaults.has(layout.id)) await claimDefaults(tx, layout, { modes, others });
  return modes;
}

function sameMetadata(a: LayoutRecord, b: LayoutRecord): boolean {
  const canonical = ({ id, metadata }: LayoutRecord) =>
    canonicalJson(readStoredOrNull("layouts.metadata", metadata, id));
  return a.metadata === b.metadata || canonical(a) === canonical(b);
}
