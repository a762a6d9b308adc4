/** The tables of a store and their columns. They are the same in every database. */

/** The columns of each table. Referenced tables come first. */
export const TABLES = {
  organizations: "id key name",
  api_tokens: "id org_id name token_sha256 last4 permissions created_at expires_at revoked_at last_used_at record_hash",
  roles: "id org_id key name",
  memberships: "id org_id email name",
  membership_roles: "membership_id role_id org_id",
  modules: "id org_id key name",
  objects: "id org_id module_id key name kind parent_object_id fields_version",
  fields: "id org_id object_id key name type is_required default_value options config position value_count record_hash",
  custom_fields:
    "id org_id surface scope_id key name type is_required default_value options config position value_count record_hash",
  scripts: "id org_id key name",
  forms:
    "id org_id object_id object_kind name name_folded is_active is_public public_token config created_at updated_at record_hash",
  form_types: "form_id org_id object_id mode position",
  form_defaults: "org_id object_id mode form_id form_active",
  access_membership_rows: "form_id org_id membership_id position",
  access_membership_modes: "form_id org_id membership_id mode position",
  access_role_rows: "form_id org_id role_id position",
  access_role_modes: "form_id org_id role_id mode position",
  public_uploads: "id org_id form_id file_name size sha256 path created_at",
  file_trash: "path created_at",
  layouts:
    "id org_id surface target target_key owner_form_id name metadata status last_version created_at updated_at record_hash",
  layout_modes: "layout_id org_id mode position",
  layout_contents: "layout_id org_id sha256 content",
  layout_versions:
    "id org_id layout_id number status supported_modes content_sha256 state validation verdict source_version_id created_at published_at verdict_hash record_hash",
  assignments: "id org_id layout_id role_id priority position",
  assignment_defaults: "org_id surface target_key mode layout_id",
  mutations:
    "org_id operation scope client_mutation_id owner_layout_id owner_form_id body_sha256 response content_sha256 created_at record_hash",
  audit: "org_id seq at token_id operation target client_mutation_id request_id",
  migration_records: "org_id revision",
  migration_entries: "id org_id position name entry record_hash",
} as const;

export type TableName = keyof typeof TABLES;

export const TABLE_NAMES = Object.keys(TABLES) as TableName[];

export function columnsOf(table: TableName): string[] {
  return TABLES[table].split(" ");
}
