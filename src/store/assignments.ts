/** Queries for assignments: the roles that see a layout, and the default layouts of an organization (R46). */

import sql, { join } from "sql-template-tag";
import type { Mode } from "../schemas/form.ts";
import type { LayoutRecord } from "./layouts.ts";
import type { OrgTx } from "./store.ts";
import { verifyHeads, type VersionHead } from "./versions.ts";

export type AssignmentRecord = {
  id: string;
  org_id: string;
  layout_id: string;
  role_id: string;
  priority: number;
  /** The index of the row in the request that assigned the layout. */
  position: number;
};

/** Returns a condition on the rows of one layout, or of all layouts of the organization. */
const scoped = ({ orgId }: OrgTx, layoutId: string | undefined) =>
  layoutId === undefined ? sql`org_id = ${orgId}` : sql`org_id = ${orgId} AND layout_id = ${layoutId}`;

export function listAssignments(tx: OrgTx, layoutId?: string): Promise<AssignmentRecord[]> {
  return tx.all<AssignmentRecord>(sql`
    SELECT id, org_id, layout_id, role_id, priority, position FROM assignments
    WHERE ${scoped(tx, layoutId)} ORDER BY layout_id, position`);
}

/** Returns the ids of the layouts that are the organization default of their surface and target. */
export async function listDefaultLayoutIds(tx: OrgTx, layoutId?: string): Promise<Set<string>> {
  const rows = await tx.all<{ layout_id: string }>(sql`
    SELECT DISTINCT layout_id FROM assignment_defaults WHERE ${scoped(tx, layoutId)}`);
  return new Set(rows.map((row) => row.layout_id));
}

export async function insertAssignment(tx: OrgTx, row: AssignmentRecord): Promise<void> {
  await tx.write(sql`
    INSERT INTO assignments (id, org_id, layout_id, role_id, priority, position)
    VALUES (${row.id}, ${row.org_id}, ${row.layout_id}, ${row.role_id}, ${row.priority}, ${row.position})`);
}

export async function deleteAssignments(tx: OrgTx, layoutId: string): Promise<void> {
  await tx.write(sql`DELETE FROM assignments WHERE org_id = ${tx.orgId} AND layout_id = ${layoutId}`);
}

export async function insertDefaults(tx: OrgTx, layout: LayoutRecord, modes: readonly Mode[]): Promise<void> {
  const rows = modes.map(
    (mode) => sql`(${layout.org_id}, ${layout.surface}, ${layout.target_key}, ${mode}, ${layout.id})`,
  );
  await tx.write(sql`
    INSERT INTO assignment_defaults (org_id, surface, target_key, mode, layout_id) VALUES ${join(rows)}`);
}

export async function deleteDefaults(tx: OrgTx, layoutId: string): Promise<void> {
  await tx.write(sql`DELETE FROM assignment_defaults WHERE org_id = ${tx.orgId} AND layout_id = ${layoutId}`);
}

/** A mode for which a layout is the organization default. */
export type OtherDefault = { layout_id: string; name: string; mode: Mode };

/**
 * Lists other layouts that are an organization default for the surface and target of `layout`. Each row is one layout
 * and one mode.
 */
export function listOtherDefaults(tx: OrgTx, layout: LayoutRecord): Promise<OtherDefault[]> {
  return tx.all(sql`
    SELECT d.layout_id, l.name, d.mode FROM assignment_defaults d JOIN layouts l ON l.org_id = d.org_id AND l.id = d.layout_id
    WHERE d.org_id = ${tx.orgId} AND d.surface = ${layout.surface} AND d.target_key = ${layout.target_key}
      AND d.layout_id <> ${layout.id}
    ORDER BY l.created_at, l.id, d.mode`);
}

/** The published version of a layout, with the name of the layout. */
export type Candidate = VersionHead & { layout_name: string };

export type TargetMode = { surface: string; targetKey: string; mode: Mode };

/**
 * Lists the published layouts that are assigned to a role of a member. The lowest priority number comes first, then the
 * oldest layout.
 */
export async function listRoleCandidates(
  tx: OrgTx,
  targetMode: TargetMode,
  membershipId: string,
): Promise<Candidate[]> {
  const found = await tx.all<Candidate>(sql`
    SELECT l.name AS layout_name, v.*
    FROM layouts l
    JOIN layout_modes lm ON lm.org_id = l.org_id AND lm.layout_id = l.id AND lm.mode = ${targetMode.mode}
    JOIN layout_versions v ON v.org_id = l.org_id AND v.layout_id = l.id AND v.status = 'PUBLISHED'
    JOIN assignments a ON a.org_id = l.org_id AND a.layout_id = l.id
    JOIN membership_roles r ON r.org_id = l.org_id AND r.role_id = a.role_id AND r.membership_id = ${membershipId}
    WHERE l.org_id = ${tx.orgId} AND l.surface = ${targetMode.surface} AND l.target_key = ${targetMode.targetKey}
      AND l.status = 'ACTIVE'
    ORDER BY a.priority, l.created_at, l.id`);
  return verifyHeads(found, { status: "PUBLISHED" });
}

/** Finds the published layout that is the organization default for a surface, target and mode. */
export async function findDefaultCandidate(tx: OrgTx, targetMode: TargetMode): Promise<Candidate | undefined> {
  const found = await tx.all<Candidate>(sql`
    SELECT l.name AS layout_name, v.*
    FROM assignment_defaults d
    JOIN layouts l ON l.org_id = d.org_id AND l.id = d.layout_id AND l.status = 'ACTIVE'
    JOIN layout_versions v ON v.org_id = l.org_id AND v.layout_id = l.id AND v.status = 'PUBLISHED'
    WHERE d.org_id = ${tx.orgId} AND d.surface = ${targetMode.surface} AND d.target_key = ${targetMode.targetKey}
      AND d.mode = ${targetMode.mode}`);
  return verifyHeads(found, { status: "PUBLISHED" })[0];
}

export function findMembershipByEmail(tx: OrgTx, email: string): Promise<{ id: string } | undefined> {
  return tx.first<{ id: string }>(sql`SELECT id FROM memberships WHERE org_id = ${tx.orgId} AND email = ${email}`);
}
