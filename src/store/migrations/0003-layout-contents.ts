/**
 * Moves the contents of layouts to a table of their own. This table contains each content of a layout once. Versions
 * and stored responses refer to a content by its hash. A content is deleted together with the last reference to it.
 */

import { PUBLISHED_VERSIONS_REMAIN } from "./0001-initial.ts";

/**
 * SQL for the id of the published version in a stored response. The result is NULL for invalid JSON, so that a damaged
 * store can still be opened.
 */
const PUBLISHED_ID = "CASE WHEN json_valid(m.response) THEN json_extract(m.response, '$.publishedVersion.id') END";

export const contentTriggers: readonly string[] = [
  `CREATE TRIGGER published_versions_stay BEFORE UPDATE ON layout_versions
     WHEN OLD.status <> 'DRAFT' AND (
       NEW.status NOT IN (OLD.status, 'ARCHIVED') OR NEW.id <> OLD.id OR NEW.org_id <> OLD.org_id
       OR NEW.layout_id <> OLD.layout_id OR NEW.number <> OLD.number OR NEW.supported_modes <> OLD.supported_modes
       OR NEW.content_sha256 <> OLD.content_sha256 OR NEW.state <> OLD.state OR NEW.validation <> OLD.validation
       OR NEW.source_version_id IS NOT OLD.source_version_id OR NEW.created_at <> OLD.created_at
       OR NEW.published_at IS NOT OLD.published_at)
     BEGIN SELECT RAISE(ABORT, 'a published version never changes'); END`,
  PUBLISHED_VERSIONS_REMAIN,
  `CREATE TRIGGER contents_stay BEFORE UPDATE ON layout_contents
     BEGIN SELECT RAISE(ABORT, 'a content never changes: another one has another hash'); END`,
  ...["layout_versions", "mutations"].flatMap((table) => {
    const layoutId = table === "mutations" ? "OLD.owner_layout_id" : "OLD.layout_id";
    const forget = `DELETE FROM layout_contents WHERE layout_id = ${layoutId} AND sha256 = OLD.content_sha256
         AND NOT EXISTS (SELECT 1 FROM layout_versions WHERE layout_id = ${layoutId} AND content_sha256 = OLD.content_sha256)
         AND NOT EXISTS (SELECT 1 FROM mutations WHERE owner_layout_id = ${layoutId} AND content_sha256 = OLD.content_sha256)`;
    return [
      `CREATE TRIGGER contents_go_with_${table} AFTER DELETE ON ${table} BEGIN ${forget}; END`,
      `CREATE TRIGGER contents_go_from_${table} AFTER UPDATE OF content_sha256 ON ${table}
         WHEN OLD.content_sha256 IS NOT NEW.content_sha256 BEGIN ${forget}; END`,
    ];
  }),
];

export const layoutContents: readonly string[] = [
  `CREATE TABLE layout_contents (
       layout_id TEXT NOT NULL,
       org_id TEXT NOT NULL,
       sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
       content TEXT NOT NULL,
       PRIMARY KEY (layout_id, sha256),
       FOREIGN KEY (layout_id, org_id) REFERENCES layouts (id, org_id) ON DELETE CASCADE) STRICT`,
  // ON CONFLICT skips duplicates one by one. GROUP BY would hold all contents in memory at once.
  `INSERT INTO layout_contents (layout_id, org_id, sha256, content)
     SELECT layout_id, org_id, content_sha256, content FROM layout_versions WHERE true
     ON CONFLICT (layout_id, sha256) DO NOTHING`,

  // SQLite can't add a foreign key to a table, so layout_versions and mutations are recreated.
  `CREATE TABLE layout_versions_new (
       id TEXT PRIMARY KEY,
       org_id TEXT NOT NULL,
       layout_id TEXT NOT NULL,
       number INTEGER NOT NULL CHECK (number >= 1),
       status TEXT NOT NULL CHECK (status IN ('DRAFT', 'PUBLISHED', 'ARCHIVED')),
       supported_modes TEXT NOT NULL,
       content_sha256 TEXT NOT NULL,
       state TEXT NOT NULL CHECK (state IN ('valid', 'valid_with_warnings', 'invalid')),
       validation TEXT NOT NULL,
       verdict TEXT,
       source_version_id TEXT,
       created_at TEXT NOT NULL,
       published_at TEXT,
       UNIQUE (layout_id, number),
       CHECK (status = 'DRAFT' OR state <> 'invalid'),
       CHECK ((status = 'DRAFT') = (published_at IS NULL)),
       FOREIGN KEY (layout_id, org_id) REFERENCES layouts (id, org_id) ON DELETE CASCADE,
       FOREIGN KEY (layout_id, content_sha256) REFERENCES layout_contents (layout_id, sha256)) STRICT`,
  `INSERT INTO layout_versions_new
     SELECT id, org_id, layout_id, number, status, supported_modes, content_sha256, state, validation, verdict,
            source_version_id, created_at, published_at
     FROM layout_versions`,
  `CREATE TABLE mutations_new (
       org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
       operation TEXT NOT NULL,
       scope TEXT NOT NULL,
       client_mutation_id TEXT NOT NULL,
       owner_layout_id TEXT,
       owner_form_id TEXT,
       body_sha256 TEXT NOT NULL,
       response TEXT NOT NULL,
       content_sha256 TEXT,
       created_at TEXT NOT NULL,
       PRIMARY KEY (org_id, operation, scope, client_mutation_id),
       FOREIGN KEY (owner_layout_id, org_id) REFERENCES layouts (id, org_id) ON DELETE CASCADE,
       FOREIGN KEY (owner_form_id, org_id) REFERENCES forms (id, org_id) ON DELETE CASCADE,
       FOREIGN KEY (owner_layout_id, content_sha256) REFERENCES layout_contents (layout_id, sha256)) STRICT`,
  // The response to a publish refers to the content of the published version. The response to a saved draft refers to
  // no content: its JSON text still includes the content.
  `INSERT INTO mutations_new
     SELECT org_id, operation, scope, client_mutation_id, owner_layout_id, owner_form_id, body_sha256, response,
            (SELECT v.content_sha256 FROM layout_versions v WHERE v.layout_id = m.owner_layout_id AND v.id = ${PUBLISHED_ID}),
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
