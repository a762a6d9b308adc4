/**
 * Answers to requests with an `Idempotency-Key` are kept too. They may belong to a form, which takes them along, or to
 * nothing: that of a deletion outlives what was deleted. And the trail tells which request of a server wrote a row.
 */

import type { Dialect } from "./dialect.ts";

export function idempotencyKeys({ tableOptions, text }: Dialect): string[] {
  return [
    // SQLite can't take NOT NULL from a column: the table is made again.
    `CREATE TABLE mutations_new (
       org_id ${text} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
       operation ${text} NOT NULL,
       scope ${text} NOT NULL,
       client_mutation_id ${text} NOT NULL,
       owner_layout_id ${text},
       body_sha256 ${text} NOT NULL,
       response ${text} NOT NULL,
       created_at ${text} NOT NULL,
       owner_form_id ${text},
       PRIMARY KEY (org_id, operation, scope, client_mutation_id),
       FOREIGN KEY (owner_layout_id, org_id) REFERENCES layouts (id, org_id) ON DELETE CASCADE,
       FOREIGN KEY (owner_form_id, org_id) REFERENCES forms (id, org_id) ON DELETE CASCADE) ${tableOptions}`,
    `INSERT INTO mutations_new
     SELECT org_id, operation, scope, client_mutation_id, owner_layout_id, body_sha256, response, created_at, NULL
     FROM mutations`,
    "DROP TABLE mutations",
    "ALTER TABLE mutations_new RENAME TO mutations",
    "CREATE INDEX mutations_by_layout ON mutations (owner_layout_id)",
    "CREATE INDEX mutations_by_form ON mutations (owner_form_id)",
    "CREATE INDEX mutations_by_age ON mutations (created_at)",
    `ALTER TABLE audit ADD COLUMN request_id ${text}`,
  ];
}
