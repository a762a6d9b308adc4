/**
 * A layout's contents stand in a table of their own, each once: versions name theirs by its hash, and so do kept answers,
 * which had a copy of it. A content goes with the last of those that name it.
 */

import type { Dialect } from "./dialect.ts";

export function layoutContents({ tableOptions, text, contentTriggers, memberOf }: Dialect): string[] {
  const version = memberOf("m.response", "publishedVersion", "id");
  return [
    `CREATE TABLE layout_contents (
       layout_id ${text} NOT NULL,
       org_id ${text} NOT NULL,
       sha256 ${text} NOT NULL CHECK (length(sha256) = 64),
       content ${text} NOT NULL,
       PRIMARY KEY (layout_id, sha256),
       FOREIGN KEY (layout_id, org_id) REFERENCES layouts (id, org_id) ON DELETE CASCADE) ${tableOptions}`,
    // One after the other: grouped, all of them would be in memory at once.
    `INSERT INTO layout_contents (layout_id, org_id, sha256, content)
     SELECT layout_id, org_id, content_sha256, content FROM layout_versions WHERE true
     ON CONFLICT (layout_id, sha256) DO NOTHING`,

    // SQLite can't add a key to a table: both are made again.
    `CREATE TABLE layout_versions_new (
       id ${text} PRIMARY KEY,
       org_id ${text} NOT NULL,
       layout_id ${text} NOT NULL,
       number INTEGER NOT NULL CHECK (number >= 1),
       status ${text} NOT NULL CHECK (status IN ('DRAFT', 'PUBLISHED', 'ARCHIVED')),
       supported_modes ${text} NOT NULL,
       content_sha256 ${text} NOT NULL,
       state ${text} NOT NULL CHECK (state IN ('valid', 'valid_with_warnings', 'invalid')),
       validation ${text} NOT NULL,
       verdict ${text},
       source_version_id ${text},
       created_at ${text} NOT NULL,
       published_at ${text},
       UNIQUE (layout_id, number),
       CHECK (status = 'DRAFT' OR state <> 'invalid'),
       CHECK ((status = 'DRAFT') = (published_at IS NULL)),
       FOREIGN KEY (layout_id, org_id) REFERENCES layouts (id, org_id) ON DELETE CASCADE,
       FOREIGN KEY (layout_id, content_sha256) REFERENCES layout_contents (layout_id, sha256)) ${tableOptions}`,
    `INSERT INTO layout_versions_new
     SELECT id, org_id, layout_id, number, status, supported_modes, content_sha256, state, validation, verdict,
            source_version_id, created_at, published_at
     FROM layout_versions`,
    `CREATE TABLE mutations_new (
       org_id ${text} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
       operation ${text} NOT NULL,
       scope ${text} NOT NULL,
       client_mutation_id ${text} NOT NULL,
       owner_layout_id ${text},
       owner_form_id ${text},
       body_sha256 ${text} NOT NULL,
       response ${text} NOT NULL,
       content_sha256 ${text},
       created_at ${text} NOT NULL,
       PRIMARY KEY (org_id, operation, scope, client_mutation_id),
       FOREIGN KEY (owner_layout_id, org_id) REFERENCES layouts (id, org_id) ON DELETE CASCADE,
       FOREIGN KEY (owner_form_id, org_id) REFERENCES forms (id, org_id) ON DELETE CASCADE,
       FOREIGN KEY (owner_layout_id, content_sha256) REFERENCES layout_contents (layout_id, sha256)) ${tableOptions}`,
    // An answer to a publication had no content of its own before; one to a saved draft keeps its copy while it is kept.
    `INSERT INTO mutations_new
     SELECT org_id, operation, scope, client_mutation_id, owner_layout_id, owner_form_id, body_sha256, response,
            (SELECT v.content_sha256 FROM layout_versions v WHERE v.layout_id = m.owner_layout_id AND v.id = ${version}),
            created_at
     FROM mutations m`,
    "DROP TABLE layout_versions",
    "ALTER TABLE layout_versions_new RENAME TO layout_versions",
    "CREATE UNIQUE INDEX one_draft ON layout_versions (layout_id) WHERE status = 'DRAFT'",
    "CREATE UNIQUE INDEX one_published ON layout_versions (layout_id) WHERE status = 'PUBLISHED'",
    "CREATE INDEX layout_versions_by_content ON layout_versions (layout_id, content_sha256)",
    "DROP TABLE mutations",
    "ALTER TABLE mutations_new RENAME TO mutations",
    "CREATE INDEX mutations_by_layout ON mutations (owner_layout_id, content_sha256)",
    "CREATE INDEX mutations_by_form ON mutations (owner_form_id)",
    "CREATE INDEX mutations_by_age ON mutations (created_at)",
    ...contentTriggers,
  ];
}
