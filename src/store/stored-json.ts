/** JSON in a text column: what its value has to be, and the one function that reads it. */

import { isJsonObject } from "../schemas/json.ts";
import { MODES, PERMISSIONS } from "../schemas/words.ts";
import { damagedRecord } from "./record-hash.ts";

/** Every column of JSON text, by table. */
export const STORED_JSON = {
  layout_contents: { content: isJsonObject },
  layout_versions: { supported_modes: isModes, validation: isJsonObject, verdict: isJsonObject },
  layouts: { target: isJsonObject, metadata: isJsonObject },
  forms: { config: isJsonObject },
  fields: { options: isTexts, config: isJsonObject, default_value: isAnything },
  custom_fields: { options: isTexts, config: isJsonObject, default_value: isAnything },
  api_tokens: { permissions: isPermissions },
  mutations: { response: isAnything },
} as const;

/** `forms.config` */
export type JsonColumn = {
  [Table in keyof typeof STORED_JSON]: `${Table}.${keyof (typeof STORED_JSON)[Table] & string}`;
}[keyof typeof STORED_JSON];

/**
 * The value of a JSON text as it is stored.
 *
 * @param id of the record, for the error
 * @throws StoreError STORE_CORRUPT when it can't be read, or is not a value for the column
 */
export function readStored<T>(column: JsonColumn, text: string, id: string): T {
  const value = parse(text);
  const [table, name] = column.split(".") as [keyof typeof STORED_JSON, string];
  const fits = (STORED_JSON[table] as Record<string, (value: unknown) => boolean>)[name]!;
  if (!fits(value)) throw damagedRecord(`the ${name} of ${id}`);
  return value as T;
}

/** As {@link readStored}, for a column that may be empty. */
export function readStoredOrNull<T>(column: JsonColumn, text: string | null, id: string): T | null {
  return text === null ? null : readStored<T>(column, text, id);
}

/** The value of a JSON text, undefined for what is no JSON. */
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
