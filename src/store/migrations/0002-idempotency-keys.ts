/**
 * Lets the store keep the responses to requests with an `Idempotency-Key`. A response can belong to a form: then it is
 * deleted together with the form. The response to a deletion belongs to no record, so it is kept after the deletion.
 * Also adds the request id to audit rows.
 */

export const idempotencyKeys: readonly string[] = [
  // SQLite can't remove NOT NULL from a column, so the table is recreated.
  `CREATE TABLE mutations_new (
       org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
       operation TEXT NOT NULL,
       scope TEXT NOT NULL,
       client_mutation_id TEXT NOT NULL,
       owner_layout_id TEXT,
       body_sha256 TEXT NOT NULL,
       response TEXT NOT NULL,
       created_at TEXT NOT NULL,
       owner_form_id TEXT,
       PRIMARY KEY (org_id, operation, scope, client_mutation_id),
       FOREIGN KEY (owner_layout_id, org_id) REFERENCES layouts (id, org_id) ON DELETE CASCADE,
       FOREIGN KEY (owner_form_id, org_id) REFERENCES forms (id, org_id) ON DELETE CASCADE) STRICT`,
  `INSERT INTO mutations_new
     SELECT org_id, operation, scope, client_mutation_id, owner_layout_id, body_sha256, response, created_at, NULL
     FROM mutations`,
  "DROP TABLE mutations",
  "ALTER TABLE mutations_new RENAME TO mutations",
  "CREATE INDEX mutations_by_layout ON mutations (owner_layout_id)",
  "CREATE INDEX mutations_by_form ON mutations (owner_form_id)",
  "CREATE INDEX mutations_by_age ON mutations (created_at)",
  `ALTER TABLE audit ADD COLUMN request_id TEXT`,
];
