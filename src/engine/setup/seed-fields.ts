/** A field of the organization file as it is shown, and as it is stored. */

import { canonicalJson } from "../../schemas/json.ts";
import type { FieldView, SeedField } from "../../schemas/organization.ts";
import type { NewId } from "../ids.ts";

/** What the file says; the id and the count of values stay those that are known. */
export function seededField(entry: SeedField, known: FieldView | undefined, newId: NewId): FieldView {
  return {
    key: entry.key,
    id: known?.id ?? entry.id ?? newId("field"),
    name: entry.name,
    type: entry.type,
    required: entry.required,
    options: entry.options,
    default: entry.default,
    valueCount: entry.valueCount ?? known?.valueCount ?? 0,
    config: entry.config,
  };
}

export function fieldColumns(field: FieldView) {
  return {
    id: field.id,
    key: field.key,
    name: field.name,
    type: field.type,
    is_required: field.required ? (1 as const) : (0 as const),
    default_value: field.default === null ? null : JSON.stringify(field.default),
    options: JSON.stringify(field.options),
    config: canonicalJson(field.config),
    value_count: field.valueCount,
  };
}
