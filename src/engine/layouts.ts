/** Layouts themselves: made, listed, renamed, archived. What they show stands in their versions. */

import type { Mode } from "../schemas/form.ts";
import { canonicalJson } from "../schemas/json.ts";
import { deleteAssignments, deleteDefaults, listDefaultLayoutIds } from "../store/assignments.ts";
import {
  deleteLayoutModes,
  insertLayoutModes,
  type LayoutRecord,
  listLayoutModes,
  updateLayout,
} from "../store/layouts.ts";
import { deleteMutationsOfLayout } from "../store/mutations.ts";
import { findObject } from "../store/objects.ts";
import { readStoredOrNull } from "../store/stored-json.ts";
import { claimDefaults } from "./assignments.ts";
import { refuseFormOwned, conflict, invalid } from "./refuse.ts";
import { readLayout, readLayouts } from "./layout-records.ts";
import { createOrganizationLayout } from "./new-layout.ts";
import type { Rules, RuleContext } from "./rule.ts";

export const layoutRules = {
  /**
   * A layout of the organization itself (R85), with a first draft; several may have the same target.
   *
   * @throws ServiceError 400 when the target's object does not exist; 409 LAYOUT_FORM_OWNED when the target names a
   *   form, whose only layout came with it (R34, R86)
   */
  async createLayout(context, { body }) {
    const { surface, target, name, metadata } = body;
    const orgId = context.actor.organizationId;
    if (surface === "DYNAMIC_OBJECT") {
      const object = await findObject(context.tx, orgId, target.moduleKey ?? "", target.objectKey ?? "");
      if (!object) {
        const message = `names no object: there is no ${target.moduleKey}/${target.objectKey}`;
        throw invalid([{ path: "target.objectKey", message }]);
      }
      if (target.formId != null) {
        throw conflict(
          "LAYOUT_FORM_OWNED",
          "a form has exactly one layout, which is made with the form; edit that one, or leave formId out",
        );
      }
    }
    const modes = body.supportedModes;
    const layout = await createOrganizationLayout(context, { surface, target, name, metadata, modes });
    return readLayout(context.tx, layout);
  },

  /** All layouts that are not archived, oldest first; each condition of the query narrows them. */
  async listLayouts(context, { query }) {
    const { surface, mode, ...target } = query;
    return readLayouts(context.tx, context.actor.organizationId, { surface, mode, target });
  },

  async getLayout(context) {
    return readLayout(context.tx, context.layout);
  },

  /**
   * Name, metadata (replaced as a whole, null clears it) and, of a layout of the organization itself, the modes (R87).
   * What is not named stays, and a change of nothing leaves `updatedAt`.
   *
   * @throws ServiceError 400 when surface or target are named; 409 LAYOUT_FORM_OWNED when the layout is a form's and
   *   surface, target or modes are named, be they equal or not (R88); 409 ASSIGNMENT_DEFAULT_TAKEN when the layout is
   *   an organization default and another one is that for a mode that is new here
   */
  async updateLayout(context, { body }) {
    const { tx, layout } = context;
    const fixed = (["surface", "target"] as const).filter((member) => body[member] !== undefined);
    if (fixed.length > 0 || body.supportedModes !== undefined)
      refuseFormOwned(layout, "keeps its surface and target, and its modes are changed with the form's types");
    if (fixed.length > 0) {
      const message = "can't be changed; make another layout instead";
      throw invalid(fixed.map((path) => ({ path, message })));
    }
    const wanted: LayoutRecord = {
      ...layout,
      name: body.name ?? layout.name,
      metadata: body.metadata === undefined ? layout.metadata : body.metadata && JSON.stringify(body.metadata),
    };
    const newModes = body.supportedModes && (await replaceModes(context, layout, body.supportedModes));
    if (newModes || wanted.name !== layout.name || !sameMetadata(wanted, layout)) {
      wanted.updated_at = context.now;
      await updateLayout(tx, wanted);
      return readLayout(tx, wanted);
    }
    return readLayout(tx, layout);
  },

  /**
   * Hides a layout and all its versions from every read (R56), and gives its assignments free. The rows stay; kept
   * answers go, so that whoever creates the same layout again with the same id does not get this one.
   *
   * @throws ServiceError 409 LAYOUT_FORM_OWNED: edit or delete the form instead (R98)
   */
  async archiveLayout(context) {
    const { tx, layout } = context;
    refuseFormOwned(layout, "goes when the form is deleted");
    await deleteAssignments(tx, layout.id);
    await deleteDefaults(tx, layout.id);
    await deleteMutationsOfLayout(tx, layout.id);
    await updateLayout(tx, { ...layout, status: "ARCHIVED", updated_at: context.now });
  },
} satisfies Partial<Rules>;

/** @returns whether the set of modes is another one now; their order alone means nothing */
async function replaceModes(context: RuleContext, layout: LayoutRecord, modes: readonly Mode[]): Promise<boolean> {
  const { tx } = context;
  const before = await listLayoutModes(tx, layout);
  if (before.length === modes.length && before.every((mode) => modes.includes(mode))) return false;
  const defaults = await listDefaultLayoutIds(tx, { orgId: layout.org_id, layoutId: layout.id });
  // The rows of the organization default hang on those of the modes: they go with them, and come back for the new ones.
  await deleteLayoutModes(tx, layout.id);
  await insertLayoutModes(tx, layout, modes);
  if (defaults.has(layout.id)) await claimDefaults(context, layout, modes);
  return true;
}

function sameMetadata(a: LayoutRecord, b: LayoutRecord): boolean {
  const canonical = ({ id, metadata }: LayoutRecord) =>
    canonicalJson(readStoredOrNull("layouts.metadata", metadata, id));
  return a.metadata === b.metadata || canonical(a) === canonical(b);
}
