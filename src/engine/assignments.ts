/**
 * Replaces the assignments of a layout that belongs to no form (R46, R96). The assignments are the roles that use the
 * layout, and whether the layout is the organization default.
 */

import type { Mode } from "../schemas/form.ts";
import type { ShapeProblem } from "../schemas/shape.ts";
import {
  deleteAssignments,
  deleteDefaults,
  insertAssignment,
  insertDefaults,
  listOtherDefaults,
  type OtherDefault,
} from "../store/assignments.ts";
import { findGrantees } from "../store/form-access.ts";
import { type LayoutRecord, touchLayout } from "../store/layouts.ts";
import { layoutOf, readState } from "./layout-records.ts";
import { refuseFormOwned, conflict, invalid } from "./refuse.ts";
import type { OrgTx } from "../store/store.ts";
import type { Rules } from "./rule.ts";

/** The limit for the absolute value of a priority: the largest 32-bit integer. */
const MAX_PRIORITY = 2_147_483_647;

export const assignmentRules = {
  /**
   * Replaces all assignments of a layout (R96). A role that the body does not name loses its assignment. An
   * organization default stays the default only if the body requests it.
   *
   * @throws ServiceError 400 when a role is unknown or belongs to another organization
   * @throws ServiceError 400 when a priority is out of range
   * @throws ServiceError 409 LAYOUT_FORM_OWNED when the layout belongs to a form (R99). Such a layout needs no
   *   assignments: its form always uses it
   * @throws ServiceError 409 ASSIGNMENT_DEFAULT_TAKEN, see {@link claimDefaults}
   */
  async replaceAssignments(context, { body }) {
    const { tx, layout } = context;
    const roleIds = body.roles.map((row) => row.roleId);
    const [known, state, others] = await Promise.all([
      findGrantees(tx, "role", roleIds),
      readState(tx, layout.id),
      listOtherDefaults(tx, layout),
    ]);
    const problems: ShapeProblem[] = [];
    for (const [index, { roleId, priority }] of body.roles.entries()) {
      if (!known.has(roleId)) problems.push({ path: `roles[${index}].roleId`, message: "is not the id of a role" });
      if (Math.abs(priority) > MAX_PRIORITY) {
        problems.push({
          path: `roles[${index}].priority`,
          message: `must be between -${MAX_PRIORITY} and ${MAX_PRIORITY}`,
        });
      }
    }
    if (problems.length > 0) throw invalid(problems);
    refuseFormOwned(layout, "it can't have assignments");

    await deleteAssignments(tx, layout.id);
    const assignments = body.roles.map(({ roleId, priority }, position) => ({
      id: context.newId("assignment"),
      org_id: layout.org_id,
      layout_id: layout.id,
      role_id: roleId,
      priority,
      position,
    }));
    for (const assignment of assignments) await insertAssignment(tx, assignment);
    await deleteDefaults(tx, layout.id);
    if (body.organizationDefault) await claimDefaults(tx, layout, { modes: state.modes, others });
    const touched = { ...layout, updated_at: context.now };
    await touchLayout(tx, touched);
    const assigned = {
      roles: new Map([[layout.id, assignments]]),
      defaults: new Set(body.organizationDefault ? [layout.id] : []),
    };
    return layoutOf(touched, { ...state, assigned });
  },
} satisfies Partial<Rules>;

/**
 * Makes a layout the organization default for `modes`, on its surface and with its `target` (such as an object).
 *
 * @param others the other defaults of the surface and target
 * @throws ServiceError 409 ASSIGNMENT_DEFAULT_TAKEN when another layout is the default for one of `modes`. The request
 *   does not name that layout, so the request must not change it (docs/decisions.md, "Assignments")
 */
export async function claimDefaults(
  tx: OrgTx,
  layout: LayoutRecord,
  { modes, others }: { modes: readonly Mode[]; others: readonly OtherDefault[] },
): Promise<void> {
  const rivals = others.filter((rival) => modes.includes(rival.mode));
  const [holder] = rivals;
  if (holder) {
    const taken = rivals.filter((rival) => rival.layout_id === holder.layout_id).map((rival) => rival.mode);
    throw conflict(
      "ASSIGNMENT_DEFAULT_TAKEN",
      `the layout "${holder.name}" (${holder.layout_id}) is already the organization default for ${taken.join(", ")}. Clear that default first`,
      { meta: { layoutId: holder.layout_id, layoutName: holder.name, modes: taken } },
    );
  }
  await insertDefaults(tx, layout, modes);
}
