/** Computes the effects of staged field changes, and the confirmations that they require (R92). */

import { type CatalogField, currencyIn } from "./catalog.ts";
import type { StagedField } from "./draft.ts";
import type { FieldChangeImpact } from "./error-body.ts";

/** Type changes without loss of values (docs/decisions.md, "Staged fields"). All other type changes may lose values. */
const LOSSLESS: Record<string, readonly string[]> = {
  TEXT: ["TEXTAREA"],
  TEXTAREA: ["TEXT"],
  EMAIL: ["TEXT"],
  PHONE: ["TEXT"],
  URL: ["TEXT"],
  NUMBER: ["DECIMAL"],
  SELECT: ["MULTI_SELECT"],
  DATE: ["DATETIME"],
};

export function isLosslessTypeChange(from: string, to: string): boolean {
  return from === to || (Object.hasOwn(LOSSLESS, from) && LOSSLESS[from]!.includes(to));
}

export function hasChoices(type: string): boolean {
  return type === "SELECT" || type === "MULTI_SELECT";
}

/** A list of fields. The maps contain the position of each field in the list, by id and by key. */
export type FieldIndex = {
  fields: readonly CatalogField[];
  byId: ReadonlyMap<string, number>;
  byKey: ReadonlyMap<string, number>;
};

/** The {@link FieldIndex} of each list of fields, cached because all layouts of an object share one list. */
const indexes = new WeakMap<readonly CatalogField[], FieldIndex>();

export function indexFields(fields: readonly CatalogField[]): FieldIndex {
  let index = indexes.get(fields);
  if (!index) {
    index = {
      fields,
      byId: new Map(fields.map(({ id }, position) => [id, position])),
      byKey: new Map(fields.map(({ key }, position) => [key, position])),
    };
    indexes.set(fields, index);
  }
  return index;
}

/** Returns the field that an update, unlink or delete affects. Finds it by id, or by key if the change has no id. */
export function stagedTarget(staged: StagedField, fields: FieldIndex): CatalogField | undefined {
  const { existingFieldDefinitionId: id, key } = staged;
  const index = id ? fields.byId.get(id) : key === undefined ? undefined : fields.byKey.get(key);
  return index === undefined ? undefined : fields.fields[index];
}

/**
 * Returns the options in `config.options`. An option is a string or an object `{value}`. Undefined if `config.options`
 * is not a list.
 */
export function stagedOptions(staged: StagedField): string[] | undefined {
  const options = staged.config?.["options"];
  if (!Array.isArray(options)) return undefined;
  return options.map(optionText).filter((text) => text !== undefined);
}

function optionText(option: unknown): string | undefined {
  if (typeof option === "string") return option;
  if (typeof option !== "object" || option === null) return undefined;
  const { value } = option as { value?: unknown };
  return typeof value === "string" ? value : undefined;
}

/**
 * Returns the field after a create or update. The key never changes. Of `config`, the members `required`,
 * `defaultValue`, `options` and `currency` are used. Absent members change nothing. The id of a new field is its draft id.
 */
export function fieldAfter(staged: StagedField, field: CatalogField | undefined): CatalogField {
  const config = staged.config ?? {};
  const type = staged.type ?? field?.type ?? "";
  const required = config["required"];
  return {
    id: field?.id ?? staged.draftId,
    key: field?.key ?? staged.key ?? "",
    name: staged.name ?? field?.name ?? "",
    type,
    isRequired: typeof required === "boolean" ? required : (field?.isRequired ?? false),
    hasDefault: Object.hasOwn(config, "defaultValue") ? config["defaultValue"] != null : (field?.hasDefault ?? false),
    valueCount: field && isLosslessTypeChange(field.type, type) ? field.valueCount : 0,
    options: stagedOptions(staged) ?? field?.options ?? [],
    ...(field?.currency !== undefined && { currency: field.currency }),
    ...currencyIn(config),
  };
}

export type StagedNeeds = Pick<FieldChangeImpact, "reasons" | "requires">;

/** Returns the effects of a staged change on the values of its field, and the required confirmations. */
export function stagedChangeNeeds(
  staged: StagedField,
  field: CatalogField | undefined,
  referencedElsewhere: boolean,
): StagedNeeds {
  const reasons: StagedNeeds["reasons"] = [];
  if (field && staged.action === "update") {
    const type = staged.type ?? field.type;
    if (type !== field.type) reasons.push("TYPE_CHANGE");
    if (field.valueCount > 0 && (!isLosslessTypeChange(field.type, type) || removesOptions(staged, field, type))) {
      reasons.push("VALUE_CLEAR");
    }
  }
  if (field && staged.action === "delete") {
    if (field.valueCount > 0) reasons.push("VALUE_CLEAR");
    if (referencedElsewhere) reasons.push("REFERENCED_ELSEWHERE");
  }
  const requires: StagedNeeds["requires"] = [];
  if (reasons.includes("TYPE_CHANGE")) requires.push("confirmTypeChange");
  if (reasons.includes("VALUE_CLEAR") || reasons.includes("REFERENCED_ELSEWHERE")) requires.push("confirmValueClear");
  return { reasons, requires };
}

function removesOptions(staged: StagedField, field: CatalogField, type: string): boolean {
  const options = stagedOptions(staged);
  if (!options || !hasChoices(field.type) || !hasChoices(type)) return false;
  const kept = new Set(options);
  return field.options.some((option) => !kept.has(option));
}
