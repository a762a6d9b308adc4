/** Reads and checks JSON in text columns. */

import type { Validation } from "../schemas/diagnostic.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { Mode } from "../schemas/form.ts";
import { isJsonObject, type JsonObject } from "../schemas/json.ts";
import type { Target } from "../schemas/layout.ts";
import { MODES, type Permission, PERMISSIONS } from "../schemas/words.ts";
import { corruptRecord } from "./record-hash.ts";

/** The columns of JSON text by table, each with a check of its value. */
export const STORED_JSON = {
  layout_contents: { content: isJsonObject },
  layout_versions: { supported_modes: isModes, validation: isJsonObject, verdict: isJsonObject },
  layouts: { target: isJsonObject, metadata: isJsonObject },
  forms: { config: isJsonObject },
  fields: { options: isTexts, config: isJsonObject, default_value: isAnything },
  custom_fields: { options: isTexts, config: isJsonObject, default_value: isAnything },
  api_tokens: { permissions: isPermissions },
  mutations: { response: isAnything },
  migration_entries: { entry: isJsonObject },
} as const;

/** The types of the stored values. A verdict is only `object` here, because its type is in engine/verdict.ts. */
type StoredValues = {
  "layout_contents.content": DraftContent;
  "layout_versions.supported_modes": Mode[];
  "layout_versions.validation": Validation;
  "layout_versions.verdict": object;
  "layouts.target": Target;
  "layouts.metadata": JsonObject;
  "forms.config": JsonObject;
  "fields.options": string[];
  "fields.config": JsonObject;
  "fields.default_value": unknown;
  "api_tokens.permissions": Permission[];
  "mutations.response": unknown;
  "migration_entries.entry": JsonObject;
};

/**
 * Parses and checks a stored JSON text.
 *
 * @param id the id of the record, for the error
 * @throws StoreError STORE_CORRUPT if the text is not JSON or not valid for the column
 */
export function readStored<Column extends keyof StoredValues>(
  column: Column,
  text: string,
  id: string,
): StoredValues[Column] {
  const value = parse(text);
  const [table, name] = column.split(".") as [keyof typeof STORED_JSON, string];
  const isValid = (STORED_JSON[table] as Record<string, (value: unknown) => boolean>)[name]!;
  if (!isValid(value)) throw corruptRecord(`the ${name} of ${id}`);
  return value as StoredValues[Column];
}

/** Same as {@link readStored}, for a nullable column. */
export function readStoredOrNull<Column extends keyof StoredValues>(
  column: Column,
  text: string | null,
  id: string,
): StoredValues[Column] | null {
  return text === null ? null : readStored(column, text, id);
}

/** Parses a JSON text. Returns undefined if it is invalid. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isAnything(value: unknown): boolean {
  return value !== undefined;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isModes(value: unknown): boolean {
  return isListOf(MODES, value) && (value as unknown[]).length > 0;
}

function isPermissions(value: unknown): boolean {
  return isListOf(PERMISSIONS, value);
}

function isListOf(known: readonly string[], value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => known.includes(item)) && new Set(value).size === value.length;
}
