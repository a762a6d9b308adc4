/**
 * The first schema. Its keys and CHECK constraints refuse:
 *
 * - a form of a subordinate object (R10)
 * - a second layout of a form (R7)
 * - a second draft of a layout
 * - a default form that is inactive, belongs to another object or lacks the mode (R77-R79)
 * - an access row for another organization, or for a mode that the form lacks (R28, R29, R82)
 * - the deletion of a default form, and the removal of its mode (R60, R75)
 *
 * Cascades also delete records:
 *
 * - the modes of access rows, together with the mode of the form (R74)
 * - all records of a form, together with the form (R83)
 *
 * Foreign keys include `org_id`, so that no row can refer to another organization. The modes of access rows are an
 * exception: they belong to an access row, whose keys include `org_id`.
 */

const modes = "('CREATE', 'VIEW', 'EDIT')";

const table = (name: string, body: string) => `CREATE TABLE ${name} (${body}) STRICT`;

/**
 * Prevents the deletion of a published version while its layout exists. SQLite deletes the row of a layout before the
 * versions of the layout. So this trigger does not prevent the deletion of the layout.
 */
export const PUBLISHED_VERSIONS_REMAIN = `CREATE TRIGGER published_versions_remain BEFORE DELETE ON layout_versions
     WHEN OLD.status <> 'DRAFT' AND EXISTS (SELECT 1 FROM layouts WHERE id = OLD.layout_id)
     BEGIN SELECT RAISE(ABORT, 'a published version is deleted only with its layout'); END`;

export const initialTriggers: readonly string[] = [
  // These triggers raise `fields_version` at each change of an object's fields. Results that are computed from the
  // fields are valid for one `fields_version`. An example is the list of usable modes of a published version.
  ...["INSERT", "UPDATE", "DELETE"].map(
    (change) => `CREATE TRIGGER fields_counted_on_${change.toLowerCase()} AFTER ${change} ON fields
     BEGIN UPDATE objects SET fields_version = fields_version + 1 WHERE id = ${change === "DELETE" ? "OLD" : "NEW"}.object_id; END`,
  ),
  // Prevents changes of a version that is not a draft. Its status can still become ARCHIVED, at the next publication.
  // Its verdict is not protected.
  `CREATE TRIGGER published_versions_stay BEFORE UPDATE ON layout_versions
     WHEN OLD.status <> 'DRAFT' AND (
       NEW.status NOT IN (OLD.status, 'ARCHIVED') OR NEW.id <> OLD.id OR NEW.org_id <> OLD.org_id
       OR NEW.layout_id <> OLD.layout_id OR NEW.number <> OLD.number OR NEW.supported_modes <> OLD.supported_modes
       OR NEW.content <> OLD.content OR NEW.content_sha256 <> OLD.content_sha256 OR NEW.state <> OLD.state
       OR NEW.validation <> OLD.validation OR NEW.source_version_id IS NOT OLD.source_version_id
       OR NEW.created_at <> OLD.created_at OR NEW.published_at IS NOT OLD.published_at)
     BEGIN SELECT RAISE(ABORT, 'a published version never changes'); END`,
  PUBLISHED_VERSIONS_REMAIN,
];

export const initial: readonly string[] = [
  table("meta", `key TEXT PRIMARY KEY, value TEXT NOT NULL`),

  table("organizations", `id TEXT PRIMARY KEY, key TEXT NOT NULL UNIQUE, name TEXT NOT NULL`),
  table(
    "api_tokens",
    `id TEXT PRIMARY KEY,
       org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
       name TEXT NOT NULL,
       token_sha256 TEXT NOT NULL UNIQUE CHECK (length(token_sha256) = 64),
       last4 TEXT NOT NULL,
       permissions TEXT NOT NULL,
       created_at TEXT NOT NULL,
       expires_at TEXT,
       revoked_at TEXT,
       last_used_at TEXT,
       CHECK (expires_at IS NULL OR expires_at > created_at)`,
  ),
  table(
    "roles",
    `id TEXT PRIMARY KEY,
       org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
       key TEXT NOT NULL,
       name TEXT NOT NULL,
       UNIQUE (org_id, key),
       UNIQUE (id, org_id)`,
  ),
  table(
    "memberships",
    `id TEXT PRIMARY KEY,
       org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
       email TEXT NOT NULL,
       name TEXT NOT NULL,
       UNIQUE (org_id, email),
       UNIQUE (id, org_id)`,
  ),
  table(
    "membership_roles",
    `membership_id TEXT NOT NULL,
       role_id TEXT NOT NULL,
       org_id TEXT NOT NULL,
       PRIMARY KEY (membership_id, role_id),
       FOREIGN KEY (membership_id, org_id) REFERENCES memberships (id, org_id) ON DELETE CASCADE,
       FOREIGN KEY (role_id, org_id) REFERENCES roles (id, org_id) ON DELETE CASCADE`,
  ),
  table(
    "modules",
    `id TEXT PRIMARY KEY,
       org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
       key TEXT NOT NULL,
       name TEXT NOT NULL,
       UNIQUE (org_id, key),
       UNIQUE (id, org_id)`,
  ),
  table(
    "objects",
    `id TEXT PRIMARY KEY,
       org_id TEXT NOT NULL,
       module_id TEXT NOT NULL,
       key TEXT NOT NULL,
       name TEXT NOT NULL,
       kind TEXT NOT NULL CHECK (kind IN ('REGULAR', 'SUBORDINATE')),
       parent_object_id TEXT,
       fields_version INTEGER NOT NULL DEFAULT 0,
       UNIQUE (module_id, key),
       UNIQUE (id, org_id),
       UNIQUE (id, org_id, kind),
       CHECK ((kind = 'SUBORDINATE') = (parent_object_id IS NOT NULL)),
       FOREIGN KEY (module_id, org_id) REFERENCES modules (id, org_id) ON DELETE CASCADE,
       FOREIGN KEY (parent_object_id, org_id) REFERENCES objects (id, org_id) ON DELETE CASCADE`,
  ),
  table(
    "fields",
    `id TEXT PRIMARY KEY,
       org_id TEXT NOT NULL,
       object_id TEXT NOT NULL,
       key TEXT NOT NULL,
       name TEXT NOT NULL,
       type TEXT NOT NULL,
       is_required INTEGER NOT NULL CHECK (is_required IN (0, 1)),
       default_value TEXT,
       options TEXT NOT NULL,
       config TEXT NOT NULL,
       position INTEGER NOT NULL,
       value_count INTEGER NOT NULL CHECK (value_count >= 0),
       UNIQUE (object_id, key),
       FOREIGN KEY (object_id, org_id) REFERENCES objects (id, org_id) ON DELETE CASCADE`,
  ),
  table(
    "custom_fields",
    `id TEXT PRIMARY KEY,
       org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
       surface TEXT NOT NULL,
       scope_id TEXT NOT NULL,
       key TEXT NOT NULL,
       name TEXT NOT NULL,
       type TEXT NOT NULL,
       is_required INTEGER NOT NULL CHECK (is_required IN (0, 1)),
       default_value TEXT,
       options TEXT NOT NULL,
       config TEXT NOT NULL,
       position INTEGER NOT NULL,
       value_count INTEGER NOT NULL CHECK (value_count >= 0),
       UNIQUE (org_id, surface, scope_id, key)`,
  ),
  table(
    "scripts",
    `id TEXT PRIMARY KEY,
       org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
       key TEXT NOT NULL,
       name TEXT NOT NULL,
       UNIQUE (org_id, key)`,
  ),

  table(
    "forms",
    `id TEXT PRIMARY KEY,
       org_id TEXT NOT NULL,
       object_id TEXT NOT NULL,
       object_kind TEXT NOT NULL DEFAULT 'REGULAR' CHECK (object_kind = 'REGULAR'),
       name TEXT NOT NULL,
       name_folded TEXT NOT NULL,
       is_active INTEGER NOT NULL CHECK (is_active IN (0, 1)),
       is_public INTEGER NOT NULL CHECK (is_public IN (0, 1)),
       public_token TEXT UNIQUE,
       config TEXT,
       created_at TEXT NOT NULL,
       updated_at TEXT NOT NULL,
       UNIQUE (id, org_id),
       UNIQUE (id, org_id, object_id),
       UNIQUE (id, org_id, object_id, is_active),
       CHECK ((is_public = 1) = (public_token IS NOT NULL)),
       FOREIGN KEY (object_id, org_id, object_kind) REFERENCES objects (id, org_id, kind) ON DELETE RESTRICT`,
  ),
  "CREATE INDEX forms_by_object ON forms (object_id, created_at, id)",
  table(
    "form_types",
    `form_id TEXT NOT NULL,
       org_id TEXT NOT NULL,
       object_id TEXT NOT NULL,
       mode TEXT NOT NULL CHECK (mode IN ${modes}),
       position INTEGER NOT NULL,
       PRIMARY KEY (form_id, mode),
       UNIQUE (form_id, org_id, object_id, mode),
       FOREIGN KEY (form_id, org_id, object_id) REFERENCES forms (id, org_id, object_id) ON DELETE CASCADE`,
  ),
  table(
    "form_defaults",
    `org_id TEXT NOT NULL,
       object_id TEXT NOT NULL,
       mode TEXT NOT NULL CHECK (mode IN ${modes}),
       form_id TEXT NOT NULL,
       form_active INTEGER NOT NULL DEFAULT 1 CHECK (form_active = 1),
       PRIMARY KEY (object_id, mode),
       FOREIGN KEY (form_id, org_id, object_id, mode)
         REFERENCES form_types (form_id, org_id, object_id, mode) ON DELETE RESTRICT,
       FOREIGN KEY (form_id, org_id, object_id, form_active)
         REFERENCES forms (id, org_id, object_id, is_active) ON UPDATE RESTRICT ON DELETE RESTRICT`,
  ),
  "CREATE INDEX form_defaults_by_form ON form_defaults (form_id)",
  ...(["membership", "role"] as const).flatMap((subject) => [
    table(
      `access_${subject}_rows`,
      `form_id TEXT NOT NULL,
         org_id TEXT NOT NULL,
         ${subject}_id TEXT NOT NULL,
         position INTEGER NOT NULL,
         PRIMARY KEY (form_id, ${subject}_id),
         FOREIGN KEY (form_id, org_id) REFERENCES forms (id, org_id) ON DELETE CASCADE,
         FOREIGN KEY (${subject}_id, org_id) REFERENCES ${subject}s (id, org_id) ON DELETE CASCADE`,
    ),
    `CREATE INDEX access_${subject}_rows_by_subject ON access_${subject}_rows (${subject}_id)`,
    table(
      `access_${subject}_modes`,
      `form_id TEXT NOT NULL,
         ${subject}_id TEXT NOT NULL,
         mode TEXT NOT NULL,
         position INTEGER NOT NULL,
         PRIMARY KEY (form_id, ${subject}_id, mode),
         FOREIGN KEY (form_id, ${subject}_id) REFERENCES access_${subject}_rows (form_id, ${subject}_id) ON DELETE CASCADE,
         FOREIGN KEY (form_id, mode) REFERENCES form_types (form_id, mode) ON DELETE CASCADE`,
    ),
  ]),
  table(
    "public_uploads",
    `id TEXT PRIMARY KEY,
       org_id TEXT NOT NULL,
       form_id TEXT NOT NULL,
       file_name TEXT NOT NULL,
       size INTEGER NOT NULL,
       sha256 TEXT NOT NULL,
       path TEXT NOT NULL UNIQUE,
       created_at TEXT NOT NULL,
       FOREIGN KEY (form_id, org_id) REFERENCES forms (id, org_id) ON DELETE CASCADE`,
  ),
  "CREATE INDEX public_uploads_by_form ON public_uploads (form_id)",
  // An uploaded file is removed after the commit that deletes its row. Until then, this table keeps the path of the
  // file, so that the file can be removed even after a crash.
  table("file_trash", `path TEXT PRIMARY KEY, created_at TEXT NOT NULL`),

  table(
    "layouts",
    `id TEXT PRIMARY KEY,
       org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
       surface TEXT NOT NULL,
       target TEXT NOT NULL,
       target_key TEXT NOT NULL,
       owner_form_id TEXT UNIQUE,
       name TEXT NOT NULL,
       metadata TEXT,
       status TEXT NOT NULL CHECK (status IN ('DRAFT', 'ACTIVE', 'ARCHIVED')),
       last_version INTEGER NOT NULL CHECK (last_version >= 0),
       created_at TEXT NOT NULL,
       updated_at TEXT NOT NULL,
       UNIQUE (id, org_id),
       UNIQUE (id, org_id, surface, target_key),
       CHECK (owner_form_id IS NULL OR status <> 'ARCHIVED'),
       FOREIGN KEY (owner_form_id, org_id) REFERENCES forms (id, org_id) ON DELETE CASCADE`,
  ),
  "CREATE INDEX layouts_by_target ON layouts (org_id, surface, target_key, created_at, id)",
  // The modes of layouts that belong to the organization. A form's layout has the modes of its form (R59).
  table(
    "layout_modes",
    `layout_id TEXT NOT NULL,
       org_id TEXT NOT NULL,
       mode TEXT NOT NULL CHECK (mode IN ${modes}),
       position INTEGER NOT NULL,
       PRIMARY KEY (layout_id, mode),
       FOREIGN KEY (layout_id, org_id) REFERENCES layouts (id, org_id) ON DELETE CASCADE`,
  ),
  table(
    "layout_versions",
    `id TEXT PRIMARY KEY,
       org_id TEXT NOT NULL,
       layout_id TEXT NOT NULL,
       number INTEGER NOT NULL CHECK (number >= 1),
       status TEXT NOT NULL CHECK (status IN ('DRAFT', 'PUBLISHED', 'ARCHIVED')),
       supported_modes TEXT NOT NULL,
       content TEXT NOT NULL,
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
       FOREIGN KEY (layout_id, org_id) REFERENCES layouts (id, org_id) ON DELETE CASCADE`,
  ),
  "CREATE UNIQUE INDEX one_draft ON layout_versions (layout_id) WHERE status = 'DRAFT'",
  "CREATE UNIQUE INDEX one_published ON layout_versions (layout_id) WHERE status = 'PUBLISHED'",
  ...initialTriggers,
  table(
    "assignments",
    `id TEXT PRIMARY KEY,
       org_id TEXT NOT NULL,
       layout_id TEXT NOT NULL,
       role_id TEXT NOT NULL,
       priority INTEGER NOT NULL,
       position INTEGER NOT NULL,
       UNIQUE (layout_id, role_id),
       FOREIGN KEY (layout_id, org_id) REFERENCES layouts (id, org_id) ON DELETE CASCADE,
       FOREIGN KEY (role_id, org_id) REFERENCES roles (id, org_id) ON DELETE CASCADE`,
  ),
  // The key allows an organization one default for each surface, target and mode.
  table(
    "assignment_defaults",
    `org_id TEXT NOT NULL,
       surface TEXT NOT NULL,
       target_key TEXT NOT NULL,
       mode TEXT NOT NULL,
       layout_id TEXT NOT NULL,
       PRIMARY KEY (org_id, surface, target_key, mode),
       FOREIGN KEY (layout_id, org_id, surface, target_key)
         REFERENCES layouts (id, org_id, surface, target_key) ON DELETE CASCADE,
       FOREIGN KEY (layout_id, mode) REFERENCES layout_modes (layout_id, mode) ON DELETE CASCADE`,
  ),
  "CREATE INDEX assignment_defaults_by_layout ON assignment_defaults (layout_id)",

  // The stored responses to writes with a clientMutationId. `scope` is the id of the layout, or '' for a request that
  // creates a layout. The foreign key of `owner_layout_id` deletes the response together with its layout.
  table(
    "mutations",
    `org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
       operation TEXT NOT NULL,
       scope TEXT NOT NULL,
       client_mutation_id TEXT NOT NULL,
       owner_layout_id TEXT NOT NULL,
       body_sha256 TEXT NOT NULL,
       response TEXT NOT NULL,
       created_at TEXT NOT NULL,
       PRIMARY KEY (org_id, operation, scope, client_mutation_id),
       FOREIGN KEY (owner_layout_id, org_id) REFERENCES layouts (id, org_id) ON DELETE CASCADE`,
  ),
  "CREATE INDEX mutations_by_layout ON mutations (owner_layout_id)",
  "CREATE INDEX mutations_by_age ON mutations (created_at)",
  table(
    "audit",
    `seq INTEGER PRIMARY KEY AUTOINCREMENT,
       at TEXT NOT NULL,
       org_id TEXT NOT NULL,
       token_id TEXT,
       operation TEXT NOT NULL,
       target TEXT NOT NULL,
       client_mutation_id TEXT`,
  ),
];
