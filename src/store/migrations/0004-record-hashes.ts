/**
 * A hash beside each record that is answered: what a damaged page says of it is noticed when it is read. Records that are
 * there get the hash of what they are now. That of a verdict stands apart, because only lists of forms read verdicts.
 */

import type { Dialect } from "./dialect.ts";

/** What is hashed, in this order. It is written out here because a released step never changes. */
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

export function recordHashes({ text, hashOf }: Dialect): string[] {
  return [
    `ALTER TABLE layout_versions ADD COLUMN verdict_hash ${text}`,
    `UPDATE layout_versions SET verdict_hash = ${hashOf("id", "verdict")} WHERE verdict IS NOT NULL`,
    ...Object.entries(columns).flatMap(([table, hashed]) => [
      // An empty one is the hash of nothing: a row that comes without a hash is a damaged one.
      `ALTER TABLE ${table} ADD COLUMN record_hash ${text} NOT NULL DEFAULT ''`,
      `UPDATE ${table} SET record_hash = ${hashOf(hashed)}`,
    ]),
  ];
}
