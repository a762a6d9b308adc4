/** Queries for layouts and their modes. No query returns an archived layout (R56). */

import sql, { join, raw, type Sql } from "sql-template-tag";
import type { Mode } from "../schemas/form.ts";
import type { Target } from "../schemas/layout.ts";
import type { OrgTx } from "./store.ts";
import { corruptRow, hashedColumns, recordHash, verifyRecords } from "./record-hash.ts";
import { readStored } from "./stored-json.ts";
import { listPublishedOf, verifyHeads, type VersionHead, type VersionRecord } from "./versions.ts";

export type LayoutRecord = {
  id: string;
  org_id: string;
  surface: string;
  /** JSON text of the target. */
  target: string;
  /** Canonical JSON text of the non-null members of the target: equal targets have equal keys. */
  target_key: string;
  owner_form_id: string | null;
  name: string;
  /** JSON text, or null. */
  metadata: string | null;
  status: "DRAFT" | "ACTIVE" | "ARCHIVED";
  /** The highest version number, including the draft. */
  last_version: number;
  created_at: string;
  updated_at: string;
};

const columns = raw(`${hashedColumns("layouts")}, status, last_version, updated_at, record_hash`);

export async function findLayout(tx: OrgTx, layoutId: string): Promise<LayoutRecord | undefined> {
  const found = await tx.first<LayoutRecord>(sql`
    SELECT ${columns} FROM layouts WHERE id = ${layoutId} AND org_id = ${tx.orgId} AND status <> 'ARCHIVED'`);
  return found && verifyLayouts([found], { id: layoutId, org_id: tx.orgId })[0];
}

/**
 * The statuses of layouts that are not archived. The hash of a record excludes the status, so the status is compared
 * with this list.
 */
const STATUSES: ReadonlySet<string> = new Set(["DRAFT", "ACTIVE"] satisfies LayoutRecord["status"][]);

/** @throws StoreError STORE_CORRUPT when a record is damaged */
function verifyLayouts(found: readonly LayoutRecord[], asked?: Readonly<Record<string, string>>): LayoutRecord[] {
  const unknown = found.find(({ status }) => !STATUSES.has(status));
  if (unknown) throw corruptRow("layouts", unknown.id);
  return verifyRecords("layouts", found, asked);
}

export async function insertLayout(tx: OrgTx, layout: LayoutRecord): Promise<void> {
  await tx.write(sql`
    INSERT INTO layouts
      (id, org_id, surface, target, target_key, owner_form_id, name, metadata, status, last_version, created_at,
       updated_at, record_hash)
    VALUES (${layout.id}, ${layout.org_id}, ${layout.surface}, ${layout.target}, ${layout.target_key},
            ${layout.owner_form_id}, ${layout.name}, ${layout.metadata}, ${layout.status}, ${layout.last_version},
            ${layout.created_at}, ${layout.updated_at}, ${recordHash("layouts", layout)})`);
}

/** Updates the name, metadata, status and time of the last change. */
export async function updateLayout(tx: OrgTx, layout: LayoutRecord): Promise<void> {
  await tx.write(sql`
    UPDATE layouts
    SET name = ${layout.name}, metadata = ${layout.metadata}, status = ${layout.status},
      updated_at = ${layout.updated_at}, record_hash = ${recordHash("layouts", layout)}
    WHERE id = ${layout.id} AND org_id = ${tx.orgId}`);
}

/**
 * Updates the highest version number and the time of the last change. Changes of versions and assignments count too.
 */
export async function touchLayout(
  tx: OrgTx,
  layout: Pick<LayoutRecord, "id" | "last_version" | "updated_at">,
): Promise<void> {
  await tx.write(sql`
    UPDATE layouts SET last_version = ${layout.last_version}, updated_at = ${layout.updated_at}
    WHERE id = ${layout.id} AND org_id = ${tx.orgId}`);
}

/**
 * Selects the modes of the layouts `l` that match a condition. The layout of a form has the modes of the form (R59).
 */
const modesOf = (condition: Sql) => sql`
  SELECT l.id AS layout_id, m.mode, m.position FROM layouts l JOIN layout_modes m ON m.org_id = l.org_id AND m.layout_id = l.id
  WHERE ${condition}
  UNION ALL
  SELECT l.id AS layout_id, t.mode, t.position FROM layouts l JOIN form_types t ON t.org_id = l.org_id AND t.form_id = l.owner_form_id
  WHERE ${condition}
  ORDER BY layout_id, position`;

export async function listLayoutModes(tx: OrgTx, layoutId: string): Promise<Mode[]> {
  const rows = await tx.all<{ mode: Mode }>(modesOf(sql`l.org_id = ${tx.orgId} AND l.id = ${layoutId}`));
  return rows.map((row) => row.mode);
}

export async function insertLayoutModes(tx: OrgTx, layout: LayoutRecord, modes: readonly Mode[]): Promise<void> {
  const rows = modes.map((mode, position) => sql`(${layout.id}, ${layout.org_id}, ${mode}, ${position})`);
  await tx.write(sql`INSERT INTO layout_modes (layout_id, org_id, mode, position) VALUES ${join(rows)}`);
}

/** Deletes the modes of a layout. A cascade also deletes the organization defaults of the modes. */
export async function deleteLayoutModes(tx: OrgTx, layoutId: string): Promise<void> {
  await tx.write(sql`DELETE FROM layout_modes WHERE org_id = ${tx.orgId} AND layout_id = ${layoutId}`);
}

export type LayoutFilter = { surface?: string | undefined; mode?: Mode | undefined; target: Partial<Target> };

/** A layout with its modes, and its draft and published version. */
export type LayoutParts = { layout: LayoutRecord; modes: Mode[]; heads: VersionHead[] };

/** Returns a condition on `l`: the layout is not archived, belongs to the organization and matches the filter. */
function layoutsThat({ orgId }: OrgTx, { surface, mode, target }: LayoutFilter): Sql {
  const conditions = [sql`l.org_id = ${orgId}`, sql`l.status <> 'ARCHIVED'`];
  if (surface !== undefined) conditions.push(sql`l.surface = ${surface}`);
  if (mode !== undefined) {
    conditions.push(sql`(
      EXISTS (SELECT 1 FROM layout_modes m WHERE m.org_id = ${orgId} AND m.layout_id = l.id AND m.mode = ${mode})
      OR EXISTS (SELECT 1 FROM form_types t WHERE t.org_id = ${orgId} AND t.form_id = l.owner_form_id AND t.mode = ${mode}))`);
  }
  for (const [member, value] of Object.entries(target)) {
    if (value != null) conditions.push(targetHas(member, value));
  }
  return join(conditions, " AND ");
}

/**
 * Returns a condition on `l`: its target has the member with the value. The canonical JSON is searched as text. Keys
 * and ids contain no quotes, so the text can't match within another value.
 */
function targetHas(member: string, value: string): Sql {
  return sql`replace(l.target_key, ${`${JSON.stringify(member)}:${JSON.stringify(value)}`}, '') <> l.target_key`;
}

/** The number of layouts that are read at a time. Reading all layouts at once would need several times the memory. */
const READ_AT_ONCE = 500;

/**
 * Reads the layouts that match a filter, oldest first, each with its modes, draft and published version. All queries
 * for the first of them begin at once: on a database on another machine, they share a round trip.
 */
export async function* readLayoutParts(tx: OrgTx, filter: LayoutFilter): AsyncGenerator<LayoutParts> {
  const selected = sql`SELECT l.id FROM layouts l WHERE ${layoutsThat(tx, filter)} ORDER BY l.created_at, l.id`;
  const [listed, first] = await Promise.all([
    tx.all<{ id: string }>(selected),
    readRows(tx, sql`${selected} LIMIT ${READ_AT_ONCE}`),
  ]);
  for (let start = 0; start < listed.length; start += READ_AT_ONCE) {
    const part = listed.slice(start, start + READ_AT_ONCE).map(({ id }) => id);
    const [found, modes, heads] = start === 0 ? first : await readRows(tx, join(part));
    const layouts = new Map(verifyLayouts(found, { org_id: tx.orgId }).map((layout) => [layout.id, layout]));
    const modesByLayout = Map.groupBy(modes, (row) => row.layout_id);
    const headsByLayout = Map.groupBy(verifyHeads(heads), (row) => row.layout_id);
    for (const id of part) {
      const layout = layouts.get(id);
      // If a listed layout is missing, the index of the ids is damaged.
      if (!layout) throw corruptRow("layouts", id);
      yield {
        layout,
        modes: (modesByLayout.get(id) ?? []).map((row) => row.mode),
        heads: headsByLayout.get(id) ?? [],
      };
    }
  }
}

/** Reads the rows of layouts, of their modes, and of their drafts and published versions. @param ids a list for `IN` */
function readRows(tx: OrgTx, ids: Sql): Promise<[LayoutRecord[], { layout_id: string; mode: Mode }[], VersionHead[]]> {
  const isIn = sql`l.org_id = ${tx.orgId} AND l.id IN (${ids})`;
  return Promise.all([
    tx.all<LayoutRecord>(sql`SELECT ${columns} FROM layouts l WHERE ${isIn} AND l.status <> 'ARCHIVED'`),
    tx.all<{ layout_id: string; mode: Mode }>(modesOf(isIn)),
    tx.all<VersionHead>(sql`
      SELECT v.id, v.org_id, v.layout_id, v.number, v.status, v.supported_modes, v.content_sha256, v.state, v.validation,
             v.source_version_id, v.created_at, v.published_at, v.record_hash
      FROM layouts l JOIN layout_versions v ON v.org_id = l.org_id AND v.layout_id = l.id
      WHERE ${isIn} AND v.status <> 'ARCHIVED'`),
  ]);
}

/**
 * Lists the published versions of other layouts with the surface, object and scope of `layout`. These layouts can show
 * the same fields.
 */
export function listLayoutsWithSameFields(tx: OrgTx, layout: LayoutRecord): Promise<VersionRecord[]> {
  const { moduleKey, objectKey, scopeId } = readStored("layouts.target", layout.target, layout.id);
  const conditions = [
    layoutsThat(tx, { surface: layout.surface, target: { moduleKey, objectKey, scopeId } }),
    sql`l.id <> ${layout.id}`,
  ];
  if (scopeId == null) conditions.push(sql`replace(l.target_key, '"scopeId":', '') = l.target_key`);
  return listPublishedOf(tx, join(conditions, " AND "));
}
