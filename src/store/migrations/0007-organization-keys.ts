/**
 * Changes the tables so that each query can name its organization. Audit rows are numbered for each organization, and
 * the modes of access rows include the organization.
 */

export const organizationKeys: readonly string[] = [
  `CREATE TABLE audit_new (
       org_id TEXT NOT NULL,
       seq INTEGER NOT NULL,
       at TEXT NOT NULL,
       token_id TEXT,
       operation TEXT NOT NULL,
       target TEXT NOT NULL,
       client_mutation_id TEXT,
       request_id TEXT,
       PRIMARY KEY (org_id, seq)) STRICT`,
  `INSERT INTO audit_new SELECT org_id, seq, at, token_id, operation, target, client_mutation_id, request_id FROM audit`,
  "DROP TABLE audit",
  "ALTER TABLE audit_new RENAME TO audit",
  // Expired responses are deleted by organization and age.
  "DROP INDEX mutations_by_age",
  "CREATE INDEX mutations_by_age ON mutations (org_id, created_at)",
  ...["membership", "role"].flatMap((subject) => [
    `ALTER TABLE access_${subject}_modes ADD COLUMN org_id TEXT NOT NULL DEFAULT ''`,
    `UPDATE access_${subject}_modes AS m SET org_id = (
       SELECT r.org_id FROM access_${subject}_rows r
       WHERE r.form_id = m.form_id AND r.${subject}_id = m.${subject}_id)
     WHERE EXISTS (
       SELECT 1 FROM access_${subject}_rows r WHERE r.form_id = m.form_id AND r.${subject}_id = m.${subject}_id)`,
  ]),
];
