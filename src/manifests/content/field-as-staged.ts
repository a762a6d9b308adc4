/** Whether a field is as a staged change would leave it, where a local store shows the fields. */

import type { StagedField } from "../../schemas/draft.ts";
import { sameJson } from "../../schemas/json.ts";
import type { SeedField } from "../../schemas/organization.ts";
import { stagedOptions } from "../../schemas/staged-fields.ts";

/** `untold`: a field does not show whether a layout has been unlinked from it. */
export function fieldSays(staged: StagedField, fields: readonly SeedField[]): "done" | "pending" | "untold" {
  const { action, key, type, existingFieldDefinitionId: id } = staged;
  const field = fields.find((each) => (id && action !== "create" ? each.id === id : each.key === key));
  if (action === "create") return field && field.type === type ? "done" : "pending";
  if (action === "update") return field && isAsUpdated(staged, field) ? "done" : "pending";
  if (!field) return "done";
  return action === "delete" ? "pending" : "untold";
}

/** An absent member of an update changes nothing. */
function isAsUpdated(staged: StagedField, field: SeedField): boolean {
  const { name = field.name, type = field.type, presentation } = staged;
  const { required = field.required, defaultValue = field.default, options: _options, ...rest } = staged.config ?? {};
  const options = stagedOptions(staged) ?? field.options;
  const more = { ...rest, ...(presentation && { presentation }) };
  return (
    name === field.name &&
    type === field.type &&
    required === field.required &&
    sameJson(defaultValue ?? null, field.default ?? null) &&
    sameJson(options, field.options) &&
    Object.entries(more).every(([member, value]) => sameJson(value, field.config[member] ?? null))
  );
}
