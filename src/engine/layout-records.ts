/** Converts records of layouts, versions and assignments to the objects that the API returns. */

import type { DraftContent } from "../schemas/draft.ts";
import type { Assignment, Layout, LayoutVersion, VersionSummary } from "../schemas/layout.ts";
import { type AssignmentRecord, listAssignments, listDefaultLayoutIds } from "../store/assignments.ts";
import {
  type LayoutFilter,
  type LayoutParts,
  type LayoutRecord,
  listLayoutModes,
  readLayoutParts,
} from "../store/layouts.ts";
import { resultOf, settled } from "../base/settled.ts";
import type { OrgTx } from "../store/store.ts";
import { readStored, readStoredOrNull } from "../store/stored-json.ts";
import { listCurrentHeads, type VersionHead, type VersionRecord } from "../store/versions.ts";

/** What the store keeps of a layout in addition to its record. */
export type LayoutState = Omit<LayoutParts, "layout"> & { assigned: Assigned };

/** Reads the modes, the draft, the published version and the assignments of a layout. All queries begin at once. */
export async function readState(tx: OrgTx, layoutId: string): Promise<LayoutState> {
  const [modes, heads, assigned] = await Promise.all([
    listLayoutModes(tx, layoutId),
    listCurrentHeads(tx, layoutId),
    readAssigned(tx, layoutId),
  ]);
  return { modes, heads, assigned };
}

/** Returns the layouts of the organization that match the filter, oldest first. */
export async function readLayouts(tx: OrgTx, filter: LayoutFilter): Promise<Layout[]> {
  const assigned = settled(readAssigned(tx));
  const layouts: Layout[] = [];
  for await (const parts of readLayoutParts(tx, filter))
    layouts.push(layoutOf(parts.layout, { ...parts, assigned: resultOf(await assigned) }));
  return layouts;
}

/**
 * Converts a version record to the layout version that the API returns, with the content. A given `content` is not
 * parsed again.
 */
export function toLayoutVersion(version: VersionRecord, content = contentOf(version)): LayoutVersion {
  return { ...toVersionSummary(version), ...content };
}

export function contentOf(version: VersionRecord): DraftContent {
  return readStored("layout_contents.content", version.content, version.id);
}

function toVersionSummary(head: VersionHead): VersionSummary {
  return {
    id: head.id,
    layoutId: head.layout_id,
    version: head.number,
    status: head.status,
    supportedModes: readStored("layout_versions.supported_modes", head.supported_modes, head.id),
    validation: readStored("layout_versions.validation", head.validation, head.id),
    sourceVersionId: head.source_version_id,
    createdAt: head.created_at,
    publishedAt: head.published_at,
  };
}

/**
 * `roles` has the role assignments of each layout, by the layout's id. `defaults` has the ids of the layouts that are
 * an organization default.
 */
type Assigned = { roles: ReadonlyMap<string, AssignmentRecord[]>; defaults: ReadonlySet<string> };

export const UNASSIGNED: Assigned = { roles: new Map(), defaults: new Set() };

/** @param layoutId if undefined, the assignments of all layouts of the organization are read */
async function readAssigned(tx: OrgTx, layoutId?: string): Promise<Assigned> {
  const [rows, defaults] = await Promise.all([listAssignments(tx, layoutId), listDefaultLayoutIds(tx, layoutId)]);
  return { roles: Map.groupBy(rows, (row) => row.layout_id), defaults };
}

/** Converts a layout record and its state to the layout that the API returns. */
export function layoutOf(layout: LayoutRecord, { modes, heads, assigned }: LayoutState): Layout {
  const { roles, defaults } = assigned;
  const target = readStored("layouts.target", layout.target, layout.id);
  const current = heads.find((head) => head.status === "PUBLISHED");
  const draft = heads.find((head) => head.status === "DRAFT");
  const shared = { layoutId: layout.id, surface: layout.surface, supportedModes: modes, target };
  const assignments: Assignment[] = [];
  if (defaults.has(layout.id)) {
    // The organization default is not stored as an assignment, so it has no stored id. A layout has at most one
    // organization default. Therefore an id that is derived from the layout's id is unique.
    assignments.push({ id: `${layout.id}.default`, ...shared, roleId: null, priority: 0, isDefault: true });
  }
  for (const row of roles.get(layout.id) ?? []) {
    assignments.push({ id: row.id, ...shared, roleId: row.role_id, priority: row.priority, isDefault: false });
  }
  return {
    id: layout.id,
    ownerScope: "ORGANIZATION",
    surface: layout.surface,
    supportedModes: modes,
    target,
    name: layout.name,
    metadata: readStoredOrNull("layouts.metadata", layout.metadata, layout.id),
    status: layout.status,
    currentVersionId: current?.id ?? null,
    latestDraftVersionId: draft?.id ?? null,
    currentVersion: current ? toVersionSummary(current) : null,
    latestDraftVersion: draft ? toVersionSummary(draft) : null,
    assignments,
    createdAt: layout.created_at,
    updatedAt: layout.updated_at,
  };
}
