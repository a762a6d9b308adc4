/**
 * Adds a hash to each record of the tables below. With the hash, each read of a record detects damage. Existing records
 * get the hash of their current values. The verdict on a version (engine/verdict.ts) has its own hash, because only
 * lists of forms read verdicts.
 */

/**
 * The hashed columns in their order. They are not imported from record-hash.ts, because a released migration never
 * changes.
 */
const columns = {
  forms: "id, org_id, object_id, name, is_active, is_public, public_token, config, created_at, updated_at",
  layouts: "id, org_id, surface, target, target_key, owner_form_id, name, metadata, created_at",
  layout_versions:
    "id, org_id, layout_id, number, supported_modes, content_sha256, state, validation, source_version_id, created_at, published_at",
  fields: "id, key, name, type, is_required, default_value, options, config, value_count",
  custom_fields: "id, key, name, type, is_required, default_value, options, config, value_count",
  api_tokens: "id, org_id, name, token_sha256, last4, permissions, created_at, expires_at",
  mutations: "org_id, operation, scope, client_mutation_id, body_sha256, response, content_sha256, created_at",
};

export const recordHashes: readonly string[] = [
  `ALTER TABLE layout_versions ADD COLUMN verdict_hash TEXT`,
  `UPDATE layout_versions SET verdict_hash = record_hash(id, verdict) WHERE verdict IS NOT NULL`,
  ...Object.entries(columns).flatMap(([table, hashed]) => [
    // No record has an empty hash. So a row that another program inserts without a hash counts as damaged.
    `ALTER TABLE ${table} ADD COLUMN record_hash TEXT NOT NULL DEFAULT ''`,
    `UPDATE ${table} SET record_hash = record_hash(${hashed})`,
  ]),
];
