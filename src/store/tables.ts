/**
 * The tables of a store, in every database. `ddl` (ddl.ts) writes them in the language of a database. The rules that
 * need triggers are in triggers.ts.
 *
 * Keys and checks refuse:
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
 * A foreign key includes `org_id`, or refers to a row whose own foreign keys include it. So no row can refer to another
 * organization.
 */

export type Table = {
  /** The columns in their order. A column does not accept NULL, unless its definition has the word. */
  columns: string;
  /**
   * The keys as SQLite has them, the primary key first. There, an id selects a row in the shortest index. In PostgreSQL, each key and index
   * begins with the organization. So all rows of an organization can be on one machine of a distributed database.
   */
  keys: readonly string[];
  checks?: readonly string[];
  indexes?: readonly string[];
  /** Indexes that only PostgreSQL has. In a file, these tables have few rows. */
  postgresIndexes?: readonly string[];
  /**
   * Whether the organization of a row is unknown at the lookup of the row. Then the keys are the same in all databases,
   * and the table is never split by organization.
   */
  isDirectory?: boolean;
};

const OF_ORGANIZATION = "FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE";

const IS_MODE = "mode IN ('CREATE', 'VIEW', 'EDIT')";

/**
 * The columns from `key` on are the same for the fields of objects and of other surfaces. No record has an empty hash.
 * So a row that another program inserts without a hash counts as damaged.
 */
const FIELD = `key TEXT, name TEXT, type TEXT, is_required INTEGER, default_value TEXT NULL, options TEXT, config TEXT,
  position INTEGER, value_count INTEGER, record_hash TEXT DEFAULT ''`;

const FIELD_CHECKS = ["is_required IN (0, 1)", "value_count >= 0"];

/** Returns a table of records with a key and a name within an organization. */
function keyed(...keys: string[]): Table {
  return {
    columns: "id TEXT, org_id TEXT, key TEXT, name TEXT",
    keys: ["PRIMARY KEY (id)", "UNIQUE (org_id, key)", ...keys, OF_ORGANIZATION],
  };
}

/** Returns the table for the roles or members that have access to a form. */
function accessRows(subject: "membership" | "role"): Table {
  return {
    columns: `form_id TEXT, org_id TEXT, ${subject}_id TEXT, position INTEGER`,
    keys: [
      `PRIMARY KEY (form_id, ${subject}_id)`,
      "FOREIGN KEY (form_id, org_id) REFERENCES forms (id, org_id) ON DELETE CASCADE",
      `FOREIGN KEY (${subject}_id, org_id) REFERENCES ${subject}s (id, org_id) ON DELETE CASCADE`,
    ],
    indexes: [`INDEX access_${subject}_rows_by_subject ON access_${subject}_rows (${subject}_id)`],
  };
}

/** Returns the table for the modes of {@link accessRows}. */
function accessModes(subject: "membership" | "role"): Table {
  return {
    columns: `form_id TEXT, ${subject}_id TEXT, mode TEXT, position INTEGER, org_id TEXT`,
    keys: [
      `PRIMARY KEY (form_id, ${subject}_id, mode)`,
      `FOREIGN KEY (form_id, ${subject}_id) REFERENCES access_${subject}_rows (form_id, ${subject}_id) ON DELETE CASCADE`,
      "FOREIGN KEY (form_id, mode) REFERENCES form_types (form_id, mode) ON DELETE CASCADE",
    ],
  };
}

/** The tables, referenced tables first. */
export const tables = {
  meta: {
    columns: "key TEXT, value TEXT",
    keys: ["PRIMARY KEY (key)"],
    isDirectory: true,
  },
  organizations: {
    columns: "id TEXT, key TEXT, name TEXT",
    keys: ["PRIMARY KEY (id)", "UNIQUE (key)"],
    isDirectory: true,
  },
  // What each write of an organization changes. On PostgreSQL, a write begins with an update of this row: other writes of
  // the organization wait for it, and a reader that finds another `version` knows that the records have changed.
  // `audit_seq` is the number of the newest row of the audit log.
  organization_state: {
    columns: "org_id TEXT, version INTEGER DEFAULT 0, audit_seq INTEGER DEFAULT 0",
    keys: ["PRIMARY KEY (org_id)", OF_ORGANIZATION],
  },
  api_tokens: {
    columns: `id TEXT, org_id TEXT, name TEXT, token_sha256 TEXT, last4 TEXT, permissions TEXT, created_at TEXT,
      expires_at TEXT NULL, revoked_at TEXT NULL, last_used_at TEXT NULL, record_hash TEXT DEFAULT ''`,
    keys: ["PRIMARY KEY (id)", "UNIQUE (token_sha256)", OF_ORGANIZATION],
    checks: ["length(token_sha256) = 64", "expires_at IS NULL OR expires_at > created_at"],
    postgresIndexes: ["INDEX api_tokens_by_organization ON api_tokens (org_id, created_at)"],
    isDirectory: true,
  },
  roles: keyed("UNIQUE (id, org_id)"),
  memberships: {
    columns: "id TEXT, org_id TEXT, email TEXT, name TEXT",
    keys: ["PRIMARY KEY (id)", "UNIQUE (org_id, email)", "UNIQUE (id, org_id)", OF_ORGANIZATION],
  },
  membership_roles: {
    columns: "membership_id TEXT, role_id TEXT, org_id TEXT",
    keys: [
      "PRIMARY KEY (membership_id, role_id)",
      "FOREIGN KEY (membership_id, org_id) REFERENCES memberships (id, org_id) ON DELETE CASCADE",
      "FOREIGN KEY (role_id, org_id) REFERENCES roles (id, org_id) ON DELETE CASCADE",
    ],
    postgresIndexes: ["INDEX membership_roles_by_role ON membership_roles (role_id)"],
  },
  modules: keyed("UNIQUE (id, org_id)"),
  objects: {
    columns: `id TEXT, org_id TEXT, module_id TEXT, key TEXT, name TEXT, kind TEXT, parent_object_id TEXT NULL,
      fields_version INTEGER DEFAULT 0`,
    keys: [
      "PRIMARY KEY (id)",
      "UNIQUE (module_id, key)",
      "UNIQUE (id, org_id)",
      "UNIQUE (id, org_id, kind)",
      "FOREIGN KEY (module_id, org_id) REFERENCES modules (id, org_id) ON DELETE CASCADE",
      "FOREIGN KEY (parent_object_id, org_id) REFERENCES objects (id, org_id) ON DELETE CASCADE",
    ],
    checks: ["kind IN ('REGULAR', 'SUBORDINATE')", "(kind = 'SUBORDINATE') = (parent_object_id IS NOT NULL)"],
    postgresIndexes: ["INDEX objects_by_parent ON objects (parent_object_id)"],
  },
  fields: {
    columns: `id TEXT, org_id TEXT, object_id TEXT, ${FIELD}`,
    keys: [
      "PRIMARY KEY (id)",
      "UNIQUE (object_id, key)",
      "FOREIGN KEY (object_id, org_id) REFERENCES objects (id, org_id) ON DELETE CASCADE",
    ],
    checks: FIELD_CHECKS,
  },
  custom_fields: {
    columns: `id TEXT, org_id TEXT, surface TEXT, scope_id TEXT, ${FIELD}`,
    keys: ["PRIMARY KEY (id)", "UNIQUE (org_id, surface, scope_id, key)", OF_ORGANIZATION],
    checks: FIELD_CHECKS,
  },
  scripts: keyed(),

  forms: {
    columns: `id TEXT, org_id TEXT, object_id TEXT, object_kind TEXT DEFAULT 'REGULAR', name TEXT, name_folded TEXT,
      is_active INTEGER, is_public INTEGER, public_token TEXT NULL, config TEXT NULL, created_at TEXT, updated_at TEXT,
      record_hash TEXT DEFAULT ''`,
    keys: [
      "PRIMARY KEY (id)",
      "UNIQUE (public_token)",
      "UNIQUE (id, org_id)",
      "UNIQUE (id, org_id, object_id)",
      "UNIQUE (id, org_id, object_id, is_active)",
      "FOREIGN KEY (object_id, org_id, object_kind) REFERENCES objects (id, org_id, kind) ON DELETE RESTRICT",
    ],
    checks: [
      "object_kind = 'REGULAR'",
      "is_active IN (0, 1)",
      "is_public IN (0, 1)",
      "(is_public = 1) = (public_token IS NOT NULL)",
    ],
    indexes: [
      "INDEX forms_by_object ON forms (object_id, created_at, id)",
      // With the organization, SQLite counts the forms of an object without reading their rows.
      "INDEX forms_by_name ON forms (object_id, name, created_at, id, org_id)",
    ],
  },
  form_types: {
    columns: "form_id TEXT, org_id TEXT, object_id TEXT, mode TEXT, position INTEGER",
    keys: [
      "PRIMARY KEY (form_id, mode)",
      "UNIQUE (form_id, org_id, object_id, mode)",
      "FOREIGN KEY (form_id, org_id, object_id) REFERENCES forms (id, org_id, object_id) ON DELETE CASCADE",
    ],
    checks: [IS_MODE],
  },
  form_defaults: {
    columns: "org_id TEXT, object_id TEXT, mode TEXT, form_id TEXT, form_active INTEGER DEFAULT 1",
    keys: [
      "PRIMARY KEY (object_id, mode)",
      `FOREIGN KEY (form_id, org_id, object_id, mode) REFERENCES form_types (form_id, org_id, object_id, mode)
    ON DELETE RESTRICT`,
      `FOREIGN KEY (form_id, org_id, object_id, form_active) REFERENCES forms (id, org_id, object_id, is_active)
    ON UPDATE RESTRICT ON DELETE RESTRICT`,
    ],
    checks: [IS_MODE, "form_active = 1"],
    indexes: ["INDEX form_defaults_by_form ON form_defaults (form_id)"],
  },
  access_membership_rows: accessRows("membership"),
  access_membership_modes: accessModes("membership"),
  access_role_rows: accessRows("role"),
  access_role_modes: accessModes("role"),
  public_uploads: {
    columns: `id TEXT, org_id TEXT, form_id TEXT, file_name TEXT, size INTEGER, sha256 TEXT, path TEXT,
      created_at TEXT`,
    keys: [
      "PRIMARY KEY (id)",
      "UNIQUE (path)",
      "FOREIGN KEY (form_id, org_id) REFERENCES forms (id, org_id) ON DELETE CASCADE",
    ],
    indexes: ["INDEX public_uploads_by_form ON public_uploads (form_id)"],
  },
  // An uploaded file is removed after the commit that deletes its row. Until then, this table keeps the path of the
  // file, so that the file can be removed even after a crash.
  file_trash: {
    columns: "path TEXT, created_at TEXT",
    keys: ["PRIMARY KEY (path)"],
    isDirectory: true,
  },

  layouts: {
    columns: `id TEXT, org_id TEXT, surface TEXT, target TEXT, target_key TEXT, owner_form_id TEXT NULL, name TEXT,
      metadata TEXT NULL, status TEXT, last_version INTEGER, created_at TEXT, updated_at TEXT,
      record_hash TEXT DEFAULT ''`,
    keys: [
      "PRIMARY KEY (id)",
      "UNIQUE (owner_form_id)",
      "UNIQUE (id, org_id)",
      "UNIQUE (id, org_id, surface, target_key)",
      OF_ORGANIZATION,
      "FOREIGN KEY (owner_form_id, org_id) REFERENCES forms (id, org_id) ON DELETE CASCADE",
    ],
    checks: [
      "status IN ('DRAFT', 'ACTIVE', 'ARCHIVED')",
      "last_version >= 0",
      "owner_form_id IS NULL OR status <> 'ARCHIVED'",
    ],
    indexes: ["INDEX layouts_by_target ON layouts (org_id, surface, target_key, created_at, id)"],
  },
  // The modes of layouts that belong to the organization. A form's layout has the modes of its form (R59).
  layout_modes: {
    columns: "layout_id TEXT, org_id TEXT, mode TEXT, position INTEGER",
    keys: [
      "PRIMARY KEY (layout_id, mode)",
      "FOREIGN KEY (layout_id, org_id) REFERENCES layouts (id, org_id) ON DELETE CASCADE",
    ],
    checks: [IS_MODE],
  },
  // Each content of a layout once. Versions and stored responses refer to a content by its hash. A content is deleted
  // together with the last reference to it.
  layout_contents: {
    columns: "layout_id TEXT, org_id TEXT, sha256 TEXT, content TEXT",
    keys: [
      "PRIMARY KEY (layout_id, sha256)",
      "FOREIGN KEY (layout_id, org_id) REFERENCES layouts (id, org_id) ON DELETE CASCADE",
    ],
    checks: ["length(sha256) = 64"],
  },
  layout_versions: {
    columns: `id TEXT, org_id TEXT, layout_id TEXT, number INTEGER, status TEXT, supported_modes TEXT,
      content_sha256 TEXT, state TEXT, validation TEXT, verdict TEXT NULL, source_version_id TEXT NULL, created_at TEXT,
      published_at TEXT NULL, verdict_hash TEXT NULL, record_hash TEXT DEFAULT ''`,
    keys: [
      "PRIMARY KEY (id)",
      "UNIQUE (layout_id, number)",
      "FOREIGN KEY (layout_id, org_id) REFERENCES layouts (id, org_id) ON DELETE CASCADE",
      "FOREIGN KEY (layout_id, content_sha256) REFERENCES layout_contents (layout_id, sha256)",
    ],
    checks: [
      "number >= 1",
      "status IN ('DRAFT', 'PUBLISHED', 'ARCHIVED')",
      "state IN ('valid', 'valid_with_warnings', 'invalid')",
      "status = 'DRAFT' OR state <> 'invalid'",
      "(status = 'DRAFT') = (published_at IS NULL)",
    ],
    indexes: [
      "UNIQUE INDEX one_draft ON layout_versions (layout_id) WHERE status = 'DRAFT'",
      "UNIQUE INDEX one_published ON layout_versions (layout_id) WHERE status = 'PUBLISHED'",
      "INDEX layout_versions_by_content ON layout_versions (layout_id, content_sha256)",
    ],
  },
  assignments: {
    columns: "id TEXT, org_id TEXT, layout_id TEXT, role_id TEXT, priority INTEGER, position INTEGER",
    keys: [
      "PRIMARY KEY (id)",
      "UNIQUE (layout_id, role_id)",
      "FOREIGN KEY (layout_id, org_id) REFERENCES layouts (id, org_id) ON DELETE CASCADE",
      "FOREIGN KEY (role_id, org_id) REFERENCES roles (id, org_id) ON DELETE CASCADE",
    ],
    postgresIndexes: ["INDEX assignments_by_role ON assignments (role_id)"],
  },
  // The key allows an organization one default for each surface, target and mode.
  assignment_defaults: {
    columns: "org_id TEXT, surface TEXT, target_key TEXT, mode TEXT, layout_id TEXT",
    keys: [
      "PRIMARY KEY (org_id, surface, target_key, mode)",
      `FOREIGN KEY (layout_id, org_id, surface, target_key) REFERENCES layouts (id, org_id, surface, target_key)
    ON DELETE CASCADE`,
      "FOREIGN KEY (layout_id, mode) REFERENCES layout_modes (layout_id, mode) ON DELETE CASCADE",
    ],
    indexes: ["INDEX assignment_defaults_by_layout ON assignment_defaults (layout_id)"],
  },

  // The stored responses to writes with a clientMutationId or an Idempotency-Key. `scope` is the id of the layout, '' for
  // a request that creates a layout, or begins with 'path:'. A response is deleted together with its owner. The response
  // to a deletion has no owner, so it is kept.
  mutations: {
    columns: `org_id TEXT, operation TEXT, scope TEXT, client_mutation_id TEXT, owner_layout_id TEXT NULL,
      owner_form_id TEXT NULL, body_sha256 TEXT, response TEXT, content_sha256 TEXT NULL, created_at TEXT,
      record_hash TEXT DEFAULT ''`,
    keys: [
      "PRIMARY KEY (org_id, operation, scope, client_mutation_id)",
      OF_ORGANIZATION,
      "FOREIGN KEY (owner_layout_id, org_id) REFERENCES layouts (id, org_id) ON DELETE CASCADE",
      "FOREIGN KEY (owner_form_id, org_id) REFERENCES forms (id, org_id) ON DELETE CASCADE",
      "FOREIGN KEY (owner_layout_id, content_sha256) REFERENCES layout_contents (layout_id, sha256)",
    ],
    indexes: [
      // Without the organization, SQLite would search for a layout in mutations_by_age.
      "INDEX mutations_by_layout ON mutations (owner_layout_id, org_id, content_sha256)",
      "INDEX mutations_by_form ON mutations (owner_form_id)",
      "INDEX mutations_by_age ON mutations (org_id, created_at)",
    ],
  },
  audit: {
    columns: `org_id TEXT, seq INTEGER, at TEXT, token_id TEXT NULL, operation TEXT, target TEXT,
      client_mutation_id TEXT NULL, request_id TEXT NULL`,
    keys: ["PRIMARY KEY (org_id, seq)"],
  },
  // The record of `formctl migrate`: the migrations of layouts and forms that ran on each organization. Each write changes
  // `revision`. A process compares it with the value that it has read, so that it does not overwrite the changes of
  // another process. `entry` is one migration, as JSON text in the format of src/migrations/record.ts.
  migration_records: {
    columns: "org_id TEXT, revision TEXT",
    keys: ["PRIMARY KEY (org_id)", OF_ORGANIZATION],
  },
  migration_entries: {
    columns: "id TEXT, org_id TEXT, position INTEGER, name TEXT, entry TEXT, record_hash TEXT DEFAULT ''",
    keys: [
      "PRIMARY KEY (id)",
      "UNIQUE (org_id, name)",
      "FOREIGN KEY (org_id) REFERENCES migration_records (org_id) ON DELETE CASCADE",
    ],
    checks: ["position >= 0"],
  },
} satisfies Record<string, Table>;

/** The table that identifies a store on PostgreSQL, and the row with the version of its schema. */
export const META = "meta";
export const VERSION_KEY = "formctl_schema_version";
/** The row of a number that changes with each write that names no organization. */
export const DATA_VERSION_KEY = "formctl_data_version";

/** A table with records. */
export type TableName = Exclude<keyof typeof tables, typeof META>;

/** The tables with records, referenced tables first. */
export const TABLE_NAMES = Object.keys(tables).filter((name) => name !== META) as TableName[];

export function columnsOf(table: TableName): string[] {
  return tables[table].columns.split(",").map((column) => column.trim().split(" ", 1)[0]!);
}
