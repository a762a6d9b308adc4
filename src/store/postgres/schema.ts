/**
 * The tables, keys and triggers of a store on PostgreSQL.
 *
 * They enforce the same rules as the tables of SQLite (../migrations/0001-initial.ts). Every key begins with the
 * organization, except in the tables with `isDirectory`. So all other rows of an organization can be on one machine of
 * a distributed database. Ids are created by formctl, not by sequences.
 */

const modes = "('CREATE', 'VIEW', 'EDIT')";

type Table = { name: string; body: string; indexes?: readonly string[]; isDirectory?: boolean };

/** The table that identifies a store, and the row with the version of its schema. */
export const META = "meta";
export const VERSION_KEY = "formctl_schema_version";

const fieldColumns = `
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  is_required BIGINT NOT NULL CHECK (is_required IN (0, 1)),
  default_value TEXT,
  options TEXT NOT NULL,
  config TEXT NOT NULL,
  position BIGINT NOT NULL,
  value_count BIGINT NOT NULL CHECK (value_count >= 0)`;

const ofOrganization = "FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE";

/** Returns a table whose records consist of a key and a name within an organization. */
const keyed = (name: string): Table => ({
  name,
  body: `
  id TEXT NOT NULL,
  org_id TEXT NOT NULL,
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, key),
  ${ofOrganization}`,
});

const access = (subject: "membership" | "role"): Table[] => [
  {
    name: `access_${subject}_rows`,
    body: `
  form_id TEXT NOT NULL,
  org_id TEXT NOT NULL,
  ${subject}_id TEXT NOT NULL,
  position BIGINT NOT NULL,
  PRIMARY KEY (org_id, form_id, ${subject}_id),
  FOREIGN KEY (org_id, form_id) REFERENCES forms (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, ${subject}_id) REFERENCES ${subject}s (org_id, id) ON DELETE CASCADE`,
    indexes: [`INDEX access_${subject}_rows_by_subject ON access_${subject}_rows (org_id, ${subject}_id)`],
  },
  {
    name: `access_${subject}_modes`,
    body: `
  form_id TEXT NOT NULL,
  ${subject}_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  position BIGINT NOT NULL,
  org_id TEXT NOT NULL,
  PRIMARY KEY (org_id, form_id, ${subject}_id, mode),
  FOREIGN KEY (org_id, form_id, ${subject}_id)
    REFERENCES access_${subject}_rows (org_id, form_id, ${subject}_id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, form_id, mode) REFERENCES form_types (org_id, form_id, mode) ON DELETE CASCADE`,
  },
];

/**
 * The tables, referenced tables first. With `isDirectory`, the organization of a row is unknown at the lookup of the
 * row. So the table is never split by organization.
 */
const tables: readonly Table[] = [
  { name: META, body: "key TEXT PRIMARY KEY, value TEXT NOT NULL", isDirectory: true },
  {
    name: "organizations",
    body: "id TEXT PRIMARY KEY, key TEXT NOT NULL UNIQUE, name TEXT NOT NULL",
    isDirectory: true,
  },
  {
    name: "api_tokens",
    body: `
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL,
  name TEXT NOT NULL,
  token_sha256 TEXT NOT NULL UNIQUE CHECK (length(token_sha256) = 64),
  last4 TEXT NOT NULL,
  permissions TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT,
  revoked_at TEXT,
  last_used_at TEXT,
  record_hash TEXT NOT NULL DEFAULT '',
  CHECK (expires_at IS NULL OR expires_at > created_at),
  ${ofOrganization}`,
    indexes: ["INDEX api_tokens_by_organization ON api_tokens (org_id, created_at)"],
    isDirectory: true,
  },
  keyed("roles"),
  {
    name: "memberships",
    body: `
  id TEXT NOT NULL,
  org_id TEXT NOT NULL,
  email TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, email),
  ${ofOrganization}`,
  },
  {
    name: "membership_roles",
    body: `
  membership_id TEXT NOT NULL,
  role_id TEXT NOT NULL,
  org_id TEXT NOT NULL,
  PRIMARY KEY (org_id, membership_id, role_id),
  FOREIGN KEY (org_id, membership_id) REFERENCES memberships (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, role_id) REFERENCES roles (org_id, id) ON DELETE CASCADE`,
    indexes: ["INDEX membership_roles_by_role ON membership_roles (org_id, role_id)"],
  },
  keyed("modules"),
  {
    name: "objects",
    body: `
  id TEXT NOT NULL,
  org_id TEXT NOT NULL,
  module_id TEXT NOT NULL,
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('REGULAR', 'SUBORDINATE')),
  parent_object_id TEXT,
  fields_version BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, module_id, key),
  UNIQUE (org_id, id, kind),
  CHECK ((kind = 'SUBORDINATE') = (parent_object_id IS NOT NULL)),
  FOREIGN KEY (org_id, module_id) REFERENCES modules (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, parent_object_id) REFERENCES objects (org_id, id) ON DELETE CASCADE`,
    indexes: ["INDEX objects_by_parent ON objects (org_id, parent_object_id)"],
  },
  {
    name: "fields",
    body: `
  id TEXT NOT NULL,
  org_id TEXT NOT NULL,
  object_id TEXT NOT NULL,${fieldColumns},
  record_hash TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, object_id, key),
  FOREIGN KEY (org_id, object_id) REFERENCES objects (org_id, id) ON DELETE CASCADE`,
  },
  {
    name: "custom_fields",
    body: `
  id TEXT NOT NULL,
  org_id TEXT NOT NULL,
  surface TEXT NOT NULL,
  scope_id TEXT NOT NULL,${fieldColumns},
  record_hash TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, surface, scope_id, key),
  ${ofOrganization}`,
  },
  keyed("scripts"),
  {
    name: "forms",
    body: `
  id TEXT NOT NULL,
  org_id TEXT NOT NULL,
  object_id TEXT NOT NULL,
  object_kind TEXT NOT NULL DEFAULT 'REGULAR' CHECK (object_kind = 'REGULAR'),
  name TEXT NOT NULL,
  name_folded TEXT NOT NULL,
  is_active BIGINT NOT NULL CHECK (is_active IN (0, 1)),
  is_public BIGINT NOT NULL CHECK (is_public IN (0, 1)),
  public_token TEXT,
  config TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  record_hash TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, public_token),
  UNIQUE (org_id, id, object_id),
  UNIQUE (org_id, id, object_id, is_active),
  CHECK ((is_public = 1) = (public_token IS NOT NULL)),
  FOREIGN KEY (org_id, object_id, object_kind) REFERENCES objects (org_id, id, kind) ON DELETE RESTRICT`,
    indexes: [
      "INDEX forms_by_object ON forms (org_id, object_id, created_at, id)",
      "INDEX forms_by_name ON forms (org_id, object_id, name, created_at, id)",
    ],
  },
  {
    name: "form_types",
    body: `
  form_id TEXT NOT NULL,
  org_id TEXT NOT NULL,
  object_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ${modes}),
  position BIGINT NOT NULL,
  PRIMARY KEY (org_id, form_id, mode),
  UNIQUE (org_id, form_id, object_id, mode),
  FOREIGN KEY (org_id, form_id, object_id) REFERENCES forms (org_id, id, object_id) ON DELETE CASCADE`,
  },
  {
    name: "form_defaults",
    body: `
  org_id TEXT NOT NULL,
  object_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ${modes}),
  form_id TEXT NOT NULL,
  form_active BIGINT NOT NULL DEFAULT 1 CHECK (form_active = 1),
  PRIMARY KEY (org_id, object_id, mode),
  FOREIGN KEY (org_id, form_id, object_id, mode)
    REFERENCES form_types (org_id, form_id, object_id, mode) ON DELETE RESTRICT,
  FOREIGN KEY (org_id, form_id, object_id, form_active)
    REFERENCES forms (org_id, id, object_id, is_active) ON UPDATE RESTRICT ON DELETE RESTRICT`,
    indexes: ["INDEX form_defaults_by_form ON form_defaults (org_id, form_id)"],
  },
  ...access("membership"),
  ...access("role"),
  {
    name: "public_uploads",
    body: `
  id TEXT NOT NULL,
  org_id TEXT NOT NULL,
  form_id TEXT NOT NULL,
  file_name TEXT NOT NULL,
  size BIGINT NOT NULL,
  sha256 TEXT NOT NULL,
  path TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, path),
  FOREIGN KEY (org_id, form_id) REFERENCES forms (org_id, id) ON DELETE CASCADE`,
    indexes: ["INDEX public_uploads_by_form ON public_uploads (org_id, form_id)"],
  },
  {
    name: "file_trash",
    body: "path TEXT PRIMARY KEY, created_at TEXT NOT NULL",
    isDirectory: true,
  },
  {
    name: "layouts",
    body: `
  id TEXT NOT NULL,
  org_id TEXT NOT NULL,
  surface TEXT NOT NULL,
  target TEXT NOT NULL,
  target_key TEXT NOT NULL,
  owner_form_id TEXT,
  name TEXT NOT NULL,
  metadata TEXT,
  status TEXT NOT NULL CHECK (status IN ('DRAFT', 'ACTIVE', 'ARCHIVED')),
  last_version BIGINT NOT NULL CHECK (last_version >= 0),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  record_hash TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, owner_form_id),
  UNIQUE (org_id, id, surface, target_key),
  CHECK (owner_form_id IS NULL OR status <> 'ARCHIVED'),
  ${ofOrganization},
  FOREIGN KEY (org_id, owner_form_id) REFERENCES forms (org_id, id) ON DELETE CASCADE`,
    indexes: ["INDEX layouts_by_target ON layouts (org_id, surface, target_key, created_at, id)"],
  },
  {
    name: "layout_modes",
    body: `
  layout_id TEXT NOT NULL,
  org_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ${modes}),
  position BIGINT NOT NULL,
  PRIMARY KEY (org_id, layout_id, mode),
  FOREIGN KEY (org_id, layout_id) REFERENCES layouts (org_id, id) ON DELETE CASCADE`,
  },
  {
    name: "layout_contents",
    body: `
  layout_id TEXT NOT NULL,
  org_id TEXT NOT NULL,
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  content TEXT NOT NULL,
  PRIMARY KEY (org_id, layout_id, sha256),
  FOREIGN KEY (org_id, layout_id) REFERENCES layouts (org_id, id) ON DELETE CASCADE`,
  },
  {
    name: "layout_versions",
    body: `
  id TEXT NOT NULL,
  org_id TEXT NOT NULL,
  layout_id TEXT NOT NULL,
  number BIGINT NOT NULL CHECK (number >= 1),
  status TEXT NOT NULL CHECK (status IN ('DRAFT', 'PUBLISHED', 'ARCHIVED')),
  supported_modes TEXT NOT NULL,
  content_sha256 TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('valid', 'valid_with_warnings', 'invalid')),
  validation TEXT NOT NULL,
  verdict TEXT,
  source_version_id TEXT,
  created_at TEXT NOT NULL,
  published_at TEXT,
  verdict_hash TEXT,
  record_hash TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, layout_id, number),
  CHECK (status = 'DRAFT' OR state <> 'invalid'),
  CHECK ((status = 'DRAFT') = (published_at IS NULL)),
  FOREIGN KEY (org_id, layout_id) REFERENCES layouts (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, layout_id, content_sha256) REFERENCES layout_contents (org_id, layout_id, sha256)`,
    indexes: [
      "UNIQUE INDEX one_draft ON layout_versions (org_id, layout_id) WHERE status = 'DRAFT'",
      "UNIQUE INDEX one_published ON layout_versions (org_id, layout_id) WHERE status = 'PUBLISHED'",
      "INDEX layout_versions_by_content ON layout_versions (org_id, layout_id, content_sha256)",
    ],
  },
  {
    name: "assignments",
    body: `
  id TEXT NOT NULL,
  org_id TEXT NOT NULL,
  layout_id TEXT NOT NULL,
  role_id TEXT NOT NULL,
  priority BIGINT NOT NULL,
  position BIGINT NOT NULL,
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, layout_id, role_id),
  FOREIGN KEY (org_id, layout_id) REFERENCES layouts (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, role_id) REFERENCES roles (org_id, id) ON DELETE CASCADE`,
    indexes: ["INDEX assignments_by_role ON assignments (org_id, role_id)"],
  },
  {
    name: "assignment_defaults",
    body: `
  org_id TEXT NOT NULL,
  surface TEXT NOT NULL,
  target_key TEXT NOT NULL,
  mode TEXT NOT NULL,
  layout_id TEXT NOT NULL,
  PRIMARY KEY (org_id, surface, target_key, mode),
  FOREIGN KEY (org_id, layout_id, surface, target_key)
    REFERENCES layouts (org_id, id, surface, target_key) ON DELETE CASCADE,
  FOREIGN KEY (org_id, layout_id, mode) REFERENCES layout_modes (org_id, layout_id, mode) ON DELETE CASCADE`,
    indexes: ["INDEX assignment_defaults_by_layout ON assignment_defaults (org_id, layout_id)"],
  },
  {
    name: "mutations",
    body: `
  org_id TEXT NOT NULL,
  operation TEXT NOT NULL,
  scope TEXT NOT NULL,
  client_mutation_id TEXT NOT NULL,
  owner_layout_id TEXT,
  owner_form_id TEXT,
  body_sha256 TEXT NOT NULL,
  response TEXT NOT NULL,
  content_sha256 TEXT,
  created_at TEXT NOT NULL,
  record_hash TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (org_id, operation, scope, client_mutation_id),
  ${ofOrganization},
  FOREIGN KEY (org_id, owner_layout_id) REFERENCES layouts (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, owner_form_id) REFERENCES forms (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, owner_layout_id, content_sha256) REFERENCES layout_contents (org_id, layout_id, sha256)`,
    indexes: [
      "INDEX mutations_by_layout ON mutations (org_id, owner_layout_id, content_sha256)",
      "INDEX mutations_by_form ON mutations (org_id, owner_form_id)",
      "INDEX mutations_by_age ON mutations (org_id, created_at)",
    ],
  },
  {
    name: "audit",
    body: `
  org_id TEXT NOT NULL,
  seq BIGINT NOT NULL,
  at TEXT NOT NULL,
  token_id TEXT,
  operation TEXT NOT NULL,
  target TEXT NOT NULL,
  client_mutation_id TEXT,
  request_id TEXT,
  PRIMARY KEY (org_id, seq)`,
  },
  {
    name: "migration_records",
    body: `
  org_id TEXT PRIMARY KEY,
  revision TEXT NOT NULL,
  ${ofOrganization}`,
  },
  {
    name: "migration_entries",
    body: `
  id TEXT NOT NULL,
  org_id TEXT NOT NULL,
  position BIGINT NOT NULL CHECK (position >= 0),
  name TEXT NOT NULL,
  entry TEXT NOT NULL,
  record_hash TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, name),
  FOREIGN KEY (org_id) REFERENCES migration_records (org_id) ON DELETE CASCADE`,
  },
];

/** The names of all tables, referenced tables first. */
export const TABLES: readonly string[] = tables.map(({ name }) => name);

/** The columns that never change in a published version. The status can become ARCHIVED. */
const FIXED = `id org_id layout_id number supported_modes content_sha256 state validation source_version_id created_at
  published_at`.split(/\s+/);

type Trigger = { name: string; on: string; body: string };

const forgetContent = (layoutId: string) => `
  DELETE FROM layout_contents WHERE org_id = OLD.org_id AND layout_id = ${layoutId} AND sha256 = OLD.content_sha256
    AND NOT EXISTS (SELECT 1 FROM layout_versions WHERE org_id = OLD.org_id AND layout_id = ${layoutId}
                      AND content_sha256 = OLD.content_sha256)
    AND NOT EXISTS (SELECT 1 FROM mutations WHERE org_id = OLD.org_id AND owner_layout_id = ${layoutId}
                      AND content_sha256 = OLD.content_sha256);
  RETURN NULL;`;

const refuse = (message: string) => `RAISE EXCEPTION '${message}' USING ERRCODE = 'integrity_constraint_violation';`;

/** The same triggers as in SQLite: see ../migrations/0001-initial.ts and 0003-layout-contents.ts. */
const triggers: readonly Trigger[] = [
  ...(["INSERT", "UPDATE", "DELETE"] as const).map((change) => {
    const row = change === "DELETE" ? "OLD" : "NEW";
    return {
      name: `fields_counted_on_${change.toLowerCase()}`,
      on: `AFTER ${change} ON fields`,
      body: `
  UPDATE objects SET fields_version = fields_version + 1 WHERE org_id = ${row}.org_id AND id = ${row}.object_id;
  RETURN NULL;`,
    };
  }),
  {
    name: "published_versions_stay",
    on: "BEFORE UPDATE ON layout_versions",
    body: `
  IF OLD.status <> 'DRAFT' AND (NEW.status NOT IN (OLD.status, 'ARCHIVED')
    OR (${FIXED.map((column) => `NEW.${column}`).join(", ")}) IS DISTINCT FROM
       (${FIXED.map((column) => `OLD.${column}`).join(", ")})) THEN
    ${refuse("a published version never changes")}
  END IF;
  RETURN NEW;`,
  },
  {
    name: "published_versions_remain",
    on: "BEFORE DELETE ON layout_versions",
    body: `
  IF OLD.status <> 'DRAFT' AND EXISTS (SELECT 1 FROM layouts WHERE org_id = OLD.org_id AND id = OLD.layout_id) THEN
    ${refuse("a published version is deleted only with its layout")}
  END IF;
  RETURN OLD;`,
  },
  {
    name: "contents_stay",
    on: "BEFORE UPDATE ON layout_contents",
    body: `
  ${refuse("a content never changes: another one has another hash")}`,
  },
  ...(["layout_versions", "mutations"] as const).flatMap((table) => {
    const layoutId = table === "mutations" ? "OLD.owner_layout_id" : "OLD.layout_id";
    return [
      { name: `contents_go_with_${table}`, on: `AFTER DELETE ON ${table}`, body: forgetContent(layoutId) },
      {
        name: `contents_go_from_${table}`,
        on: `AFTER UPDATE OF content_sha256 ON ${table}`,
        body: `
  IF OLD.content_sha256 IS NOT DISTINCT FROM NEW.content_sha256 THEN RETURN NULL; END IF;${forgetContent(layoutId)}`,
      },
    ];
  }),
];

/**
 * Returns the statements that create the tables and triggers in the first schema of the search path.
 *
 * @param options.partitions the number of parts of each table without `isDirectory`, split by organization. For tests,
 *   the parts represent the machines of a distributed database. Default: 0, for tables without parts
 * @param options.functionSchema the schema of the functions of triggers. Default: the first schema of the search path
 */
export function createSchema({
  partitions = 0,
  functionSchema,
}: { partitions?: number; functionSchema?: string } = {}): string[] {
  const within = functionSchema === undefined ? "" : `${functionSchema}.`;
  return [
    ...tables.flatMap((table) => createTable(table, partitions)),
    ...triggers.flatMap(({ name, on, body }) => [
      `CREATE FUNCTION ${within}${name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN${body}
END $$`,
      `CREATE TRIGGER ${name} ${on} FOR EACH ROW EXECUTE FUNCTION ${within}${name}()`,
    ]),
  ];
}

function createTable({ name, body, indexes = [], isDirectory = false }: Table, partitions: number): string[] {
  // "C" compares the bytes of UTF-8, as SQLite does. The order does not depend on the version of the operating system.
  const columns = body.replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"');
  const isSplit = partitions > 0 && !isDirectory;
  const parts = Array.from(
    { length: isSplit ? partitions : 0 },
    (_, part) =>
      `CREATE TABLE ${name}_${part} PARTITION OF ${name} FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${part})`,
  );
  return [
    `CREATE TABLE ${name} (${columns})${isSplit ? " PARTITION BY HASH (org_id)" : ""}`,
    ...parts,
    ...indexes.map((index) => `CREATE ${index}`),
  ];
}
