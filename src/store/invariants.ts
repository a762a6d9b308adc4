/**
 * Checks the invariants of a store. Keys and CHECK constraints enforce most of them. But a file can be damaged, or
 * edited with another program.
 */

import sql, { type Sql } from "sql-template-tag";
import type { OnProgress, Violation } from "../local-service.ts";
import { findTextViolations } from "./stored-text.ts";
import { StoreError, type Store, type Tx } from "./store.ts";

/**
 * `find` selects a row for each violation: the `id` of the record, and columns that explain the violation. A comment
 * such as `R7` names the rule of the API (docs/rules.md).
 */
export type Invariant = { id: string; about: string; find: Sql };

export const invariants: Invariant[] = [
  {
    id: "I01",
    // R7
    about: "every form owns exactly one layout",
    find: sql`
      SELECT f.id, count(l.id) AS layouts FROM forms f LEFT JOIN layouts l ON l.owner_form_id = f.id
      GROUP BY f.id HAVING count(l.id) <> 1`,
  },
  {
    id: "I02",
    about: "an owned layout belongs to a form of its organization, and is not archived",
    find: sql`
      SELECT l.id, l.owner_form_id, l.status
      FROM layouts l LEFT JOIN forms f ON f.id = l.owner_form_id AND f.org_id = l.org_id
      WHERE l.owner_form_id IS NOT NULL AND (f.id IS NULL OR l.status = 'ARCHIVED')`,
  },
  {
    id: "I03",
    // R73
    about: "every form has at least one type, and types belong to a form",
    find: sql`
      SELECT f.id, '' AS mode FROM forms f WHERE NOT EXISTS (SELECT 1 FROM form_types t WHERE t.form_id = f.id)
      UNION ALL
      SELECT t.form_id AS id, t.mode FROM form_types t
      LEFT JOIN forms f ON f.id = t.form_id AND f.org_id = t.org_id AND f.object_id = t.object_id WHERE f.id IS NULL`,
  },
  {
    id: "I04",
    // R59
    about: "a layout of the organization has at least one mode; the layout of a form has none of its own",
    find: sql`
      SELECT l.id, count(m.mode) AS modes
      FROM layouts l LEFT JOIN layout_modes m ON m.layout_id = l.id AND m.org_id = l.org_id
      GROUP BY l.id, l.owner_form_id
      HAVING (l.owner_form_id IS NULL AND count(m.mode) = 0) OR (l.owner_form_id IS NOT NULL AND count(m.mode) > 0)`,
  },
  {
    id: "I05",
    // R77-R79
    about: "a default is an active form of the same object that has the mode",
    find: sql`
      SELECT d.form_id AS id, d.object_id, d.mode FROM form_defaults d
      LEFT JOIN forms f ON f.id = d.form_id AND f.org_id = d.org_id AND f.object_id = d.object_id AND f.is_active = 1
      LEFT JOIN form_types t ON t.form_id = d.form_id AND t.mode = d.mode
      WHERE f.id IS NULL OR t.form_id IS NULL`,
  },
  {
    id: "I06",
    // R28, R29
    about: "access rows name members and roles of the organization, and modes of the form",
    find: sql`
      SELECT r.form_id AS id, r.membership_id AS subject_id, '' AS mode FROM access_membership_rows r
      LEFT JOIN forms f ON f.id = r.form_id AND f.org_id = r.org_id
      LEFT JOIN memberships s ON s.id = r.membership_id AND s.org_id = r.org_id
      WHERE f.id IS NULL OR s.id IS NULL
      UNION ALL
      SELECT r.form_id AS id, r.role_id AS subject_id, '' AS mode FROM access_role_rows r
      LEFT JOIN forms f ON f.id = r.form_id AND f.org_id = r.org_id
      LEFT JOIN roles s ON s.id = r.role_id AND s.org_id = r.org_id
      WHERE f.id IS NULL OR s.id IS NULL
      UNION ALL
      SELECT m.form_id AS id, m.membership_id AS subject_id, m.mode FROM access_membership_modes m
      LEFT JOIN access_membership_rows r ON r.form_id = m.form_id AND r.membership_id = m.membership_id AND r.org_id = m.org_id
      LEFT JOIN form_types t ON t.form_id = m.form_id AND t.mode = m.mode
      WHERE r.form_id IS NULL OR t.form_id IS NULL
      UNION ALL
      SELECT m.form_id AS id, m.role_id AS subject_id, m.mode FROM access_role_modes m
      LEFT JOIN access_role_rows r ON r.form_id = m.form_id AND r.role_id = m.role_id AND r.org_id = m.org_id
      LEFT JOIN form_types t ON t.form_id = m.form_id AND t.mode = m.mode
      WHERE r.form_id IS NULL OR t.form_id IS NULL`,
  },
  {
    id: "I07",
    about: "a layout has at most one draft and at most one published version",
    find: sql`
      SELECT layout_id AS id, status, count(*) AS versions FROM layout_versions WHERE status = 'DRAFT'
      GROUP BY layout_id, status HAVING count(*) > 1
      UNION ALL
      SELECT layout_id AS id, status, count(*) AS versions FROM layout_versions WHERE status = 'PUBLISHED'
      GROUP BY layout_id, status HAVING count(*) > 1`,
  },
  {
    id: "I08",
    about:
      // R56
      "an active layout has a published version, which is the newest apart from the draft; a layout in draft has none",
    find: sql`
      SELECT l.id, l.status FROM layouts l
      WHERE (l.status = 'ACTIVE'
             AND NOT EXISTS (SELECT 1 FROM layout_versions v WHERE v.layout_id = l.id AND v.status = 'PUBLISHED'))
        OR (l.status = 'DRAFT'
            AND EXISTS (SELECT 1 FROM layout_versions v WHERE v.layout_id = l.id AND v.status <> 'DRAFT'))
        OR EXISTS (
          SELECT 1 FROM layout_versions v WHERE v.layout_id = l.id AND v.status = 'ARCHIVED' AND NOT EXISTS (
            SELECT 1 FROM layout_versions p
            WHERE p.layout_id = l.id AND p.status = 'PUBLISHED' AND p.number > v.number))`,
  },
  {
    id: "I09",
    about:
      "versions are numbered 1, 2, 3 … without gaps, the draft has the highest number, and the layout stores that number",
    find: sql`
      SELECT l.id, l.last_version, count(v.id) AS versions, max(v.number) AS highest
      FROM layouts l LEFT JOIN layout_versions v ON v.layout_id = l.id
      GROUP BY l.id, l.last_version
      HAVING count(v.id) <> l.last_version OR count(DISTINCT v.number) <> l.last_version
        OR coalesce(max(v.number), 0) <> l.last_version OR coalesce(min(v.number), 1) <> 1
        OR coalesce(max(CASE WHEN v.status = 'DRAFT' THEN v.number END), l.last_version) <> l.last_version`,
  },
  {
    id: "I10",
    // R53
    about: "a published version is valid and has a publication time",
    find: sql`
      SELECT id, status, state FROM layout_versions
      WHERE (status <> 'DRAFT' AND (state = 'invalid' OR published_at IS NULL))
        OR (status = 'DRAFT' AND published_at IS NOT NULL)`,
  },
  {
    id: "I11",
    // R10
    about: "a form belongs to a regular object of its organization",
    find: sql`
      SELECT f.id, f.object_id FROM forms f
      LEFT JOIN objects o ON o.id = f.object_id AND o.org_id = f.org_id AND o.kind = 'REGULAR' WHERE o.id IS NULL`,
  },
  {
    id: "I12",
    about: "a version belongs to a layout of its organization",
    find: sql`
      SELECT v.id, v.layout_id FROM layout_versions v
      LEFT JOIN layouts l ON l.id = v.layout_id AND l.org_id = v.org_id WHERE l.id IS NULL`,
  },
  {
    id: "I13",
    about: "a stored response has an audit row for its request",
    find: sql`
      SELECT m.client_mutation_id AS id, m.operation FROM mutations m
      WHERE NOT EXISTS (
        SELECT 1 FROM audit a
        WHERE a.org_id = m.org_id AND a.operation = m.operation AND a.client_mutation_id = m.client_mutation_id
          AND a.at = m.created_at)`,
  },
  {
    id: "I14",
    about: "the owner of a stored response is a layout or form of its organization",
    find: sql`
      SELECT m.client_mutation_id AS id, m.operation, m.owner_layout_id FROM mutations m
      LEFT JOIN layouts l ON l.id = m.owner_layout_id AND l.org_id = m.org_id
      LEFT JOIN forms f ON f.id = m.owner_form_id AND f.org_id = m.org_id
      WHERE (m.owner_layout_id IS NOT NULL AND l.id IS NULL) OR (m.owner_form_id IS NOT NULL AND f.id IS NULL)
        OR (m.scope NOT LIKE 'path:%'
            AND (m.owner_layout_id IS NULL OR (m.scope <> '' AND m.scope <> m.owner_layout_id)))`,
  },
  {
    id: "I17",
    // R46
    about: "only active or draft layouts of the organization are assigned, to roles of the same organization",
    find: sql`
      SELECT a.layout_id AS id, a.role_id, '' AS mode FROM assignments a
      LEFT JOIN layouts l ON l.id = a.layout_id AND l.org_id = a.org_id
      LEFT JOIN roles r ON r.id = a.role_id AND r.org_id = a.org_id
      WHERE l.id IS NULL OR r.id IS NULL OR l.owner_form_id IS NOT NULL OR l.status = 'ARCHIVED'
      UNION ALL
      SELECT d.layout_id AS id, '' AS role_id, d.mode FROM assignment_defaults d
      LEFT JOIN layouts l ON l.id = d.layout_id AND l.org_id = d.org_id
        AND l.surface = d.surface AND l.target_key = d.target_key
      LEFT JOIN layout_modes m ON m.layout_id = d.layout_id AND m.mode = d.mode
      WHERE l.id IS NULL OR m.layout_id IS NULL OR l.owner_form_id IS NOT NULL OR l.status = 'ARCHIVED'
      UNION ALL
      SELECT min(d.layout_id) AS id, '' AS role_id, d.mode FROM assignment_defaults d
      GROUP BY d.org_id, d.surface, d.target_key, d.mode HAVING count(*) > 1`,
  },
  {
    id: "I18",
    about: "a token has a hash, expires after its creation, and belongs to an organization",
    find: sql`
      SELECT t.id, t.name FROM api_tokens t LEFT JOIN organizations o ON o.id = t.org_id
      WHERE o.id IS NULL OR length(t.token_sha256) <> 64 OR t.expires_at <= t.created_at`,
  },
  {
    id: "I22",
    // R74
    about: "every access row has a mode",
    find: sql`
      SELECT r.form_id AS id, r.membership_id AS subject_id FROM access_membership_rows r
      WHERE NOT EXISTS (SELECT 1 FROM access_membership_modes m
                        WHERE m.form_id = r.form_id AND m.membership_id = r.membership_id)
      UNION ALL
      SELECT r.form_id AS id, r.role_id AS subject_id FROM access_role_rows r
      WHERE NOT EXISTS (SELECT 1 FROM access_role_modes m WHERE m.form_id = r.form_id AND m.role_id = r.role_id)`,
  },
  {
    id: "I23",
    about: "a member has roles of the same organization",
    find: sql`
      SELECT x.membership_id AS id, x.role_id FROM membership_roles x
      LEFT JOIN memberships m ON m.id = x.membership_id AND m.org_id = x.org_id
      LEFT JOIN roles r ON r.id = x.role_id AND r.org_id = x.org_id WHERE m.id IS NULL OR r.id IS NULL`,
  },
  {
    id: "I24",
    about:
      "an object belongs to a module of its organization, a subordinate object to a parent object, and a field to an object",
    find: sql`
      SELECT o.id, o.kind FROM objects o
      LEFT JOIN modules m ON m.id = o.module_id AND m.org_id = o.org_id
      LEFT JOIN objects p ON p.id = o.parent_object_id AND p.org_id = o.org_id
      WHERE m.id IS NULL OR (o.kind = 'SUBORDINATE' AND p.id IS NULL)
        OR (o.kind <> 'SUBORDINATE' AND o.parent_object_id IS NOT NULL)
      UNION ALL
      SELECT f.id, 'FIELD' AS kind FROM fields f
      LEFT JOIN objects o ON o.id = f.object_id AND o.org_id = f.org_id WHERE o.id IS NULL`,
  },
  {
    id: "I25",
    // R83
    about: "an uploaded file belongs to a form of its organization, and is not marked for removal",
    find: sql`
      SELECT u.id, u.path FROM public_uploads u
      LEFT JOIN forms f ON f.id = u.form_id AND f.org_id = u.org_id
      WHERE f.id IS NULL OR u.size < 0 OR length(u.sha256) <> 64
        OR EXISTS (SELECT 1 FROM file_trash t WHERE t.path = u.path)`,
  },
  {
    id: "I26",
    about: "a form has a public token if and only if it is public",
    find: sql`
      SELECT id, is_public FROM forms
      WHERE (is_public = 1 AND public_token IS NULL) OR (is_public <> 1 AND public_token IS NOT NULL)`,
  },
  {
    id: "I31",
    about: "a version or stored response has its content, and every content has a version or stored response",
    find: sql`
      SELECT v.id, v.content_sha256 FROM layout_versions v
      LEFT JOIN layout_contents c ON c.layout_id = v.layout_id AND c.sha256 = v.content_sha256 WHERE c.sha256 IS NULL
      UNION ALL
      SELECT m.client_mutation_id AS id, m.content_sha256 FROM mutations m
      LEFT JOIN layout_contents c ON c.layout_id = m.owner_layout_id AND c.sha256 = m.content_sha256
      WHERE m.content_sha256 IS NOT NULL AND c.sha256 IS NULL
      UNION ALL
      SELECT c.layout_id AS id, c.sha256 AS content_sha256 FROM layout_contents c
      LEFT JOIN layouts l ON l.id = c.layout_id AND l.org_id = c.org_id
      WHERE l.id IS NULL
        OR (NOT EXISTS (SELECT 1 FROM layout_versions v WHERE v.layout_id = c.layout_id AND v.content_sha256 = c.sha256)
            AND NOT EXISTS (
              SELECT 1 FROM mutations m WHERE m.owner_layout_id = c.layout_id AND m.content_sha256 = c.sha256))`,
  },
  {
    id: "I34",
    about: "a record of migrations belongs to an organization, and its entries have the positions 0, 1, 2 …",
    find: sql`
      SELECT r.org_id AS id, NULL AS entries, NULL AS highest FROM migration_records r
      LEFT JOIN organizations o ON o.id = r.org_id WHERE o.id IS NULL
      UNION ALL
      SELECT e.org_id AS id, count(*) AS entries, max(e.position) AS highest FROM migration_entries e
      LEFT JOIN migration_records r ON r.org_id = e.org_id
      GROUP BY e.org_id, r.org_id
      HAVING r.org_id IS NULL OR count(DISTINCT e.position) <> count(*) OR min(e.position) <> 0
        OR max(e.position) <> count(*) - 1`,
  },
  {
    id: "I35",
    about: "every organization has a state, and no row of its audit log has a higher number than the state",
    find: sql`
      SELECT o.id, s.audit_seq, max(a.seq) AS highest FROM organizations o
      LEFT JOIN organization_state s ON s.org_id = o.id LEFT JOIN audit a ON a.org_id = o.id
      GROUP BY o.id, s.audit_seq HAVING s.audit_seq IS NULL OR coalesce(max(a.seq), 0) > s.audit_seq`,
  },
];

/** Returns all violations of invariants, sorted by the id of the invariant. */
export async function findViolations(tx: Tx, onProgress?: OnProgress): Promise<Violation[]> {
  const violations: Violation[] = [];
  // The checks of stored-text.ts are one more step.
  const steps = invariants.length + 1;
  for (const [index, { id, about, find }] of invariants.entries()) {
    onProgress?.(index, steps);
    for (const { id: record, ...facts } of await tx.all<{ id: string } & Record<string, unknown>>(find)) {
      violations.push({ invariant: id, about, record, detail: describe(facts) });
    }
  }
  onProgress?.(invariants.length, steps);
  violations.push(...(await findTextViolations(tx)));
  return violations.sort((a, b) => (a.invariant < b.invariant ? -1 : a.invariant > b.invariant ? 1 : 0));
}

/**
 * Returns all violations, including the problems that the database finds itself (I15). An unreadable record is a
 * violation, not an error.
 */
export async function checkStore(store: Store, onProgress?: OnProgress): Promise<Violation[]> {
  const damage = (message: string): Violation => ({
    invariant: "I15",
    about: "the files, schema and keys of the database are intact",
    record: "store",
    detail: message,
  });
  try {
    const found = ((await store.verify?.()) ?? []).map(damage);
    try {
      return [...(await store.read((tx) => findViolations(tx, onProgress))), ...found];
    } catch (error) {
      // The damage in `found` explains the unreadable records, so only the damage is reported.
      if (found.length > 0 && (isCorrupt(error) || !(error instanceof StoreError))) return found;
      throw error;
    }
  } catch (error) {
    if (isCorrupt(error)) return [damage((error as Error).message)];
    throw error;
  }
}

function isCorrupt(error: unknown): boolean {
  return error instanceof StoreError && error.code === "STORE_CORRUPT";
}

function describe(facts: Record<string, unknown>): string {
  return Object.entries(facts)
    .filter(([, value]) => value !== null && value !== "")
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(", ");
}
