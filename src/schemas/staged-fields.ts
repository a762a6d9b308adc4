/** What a staged change does to a field, and what of it a person has to confirm (R92). */

import type { KnownField } from "./draft-known.ts";
import type { StagedField } from "./draft.ts";
import type { FieldChangeImpact } from "./error-body.ts";

/** docs/decisions.md, "Staged fields". Every other change of type may lose values. */
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

/** Whether every value of the one type is also a value of the other. */
export function isLosslessTypeChange(from: string, to: string): boolean {
  return from === to || (Object.hasOwn(LOSSLESS, from) && LOSSLESS[from]!.includes(to));
}

export function hasChoices(type: string): boolean {
  return type === "SELECT" || type === "MULTI_SELECT";
}

/** Fields by their names; a map holds the place of a field in the list. */
export type FieldIndex = {
  fields: readonly KnownField[];
  byId: ReadonlyMap<string, number>;
  byKey: ReadonlyMap<string, number>;
};

/** Kept as long as the fields are: one list serves the drafts of all layouts of an object. */
const indexes = new WeakMap<readonly KnownField[], FieldIndex>();

export function indexFields(fields: readonly KnownField[]): FieldIndex {
  let index = indexes.get(fields);
  if (!index) {
    index = {
      fields,
      byId: new Map(fields.map(({ id }, place) => [id, place])),
      byKey: new Map(fields.map(({ key }, place) => [key, place])),
    };
    indexes.set(fields, index);
  }
  return index;
}

/** The field that an update, unlink or delete is about: the one with the given id, or without one, with the key. */
export function stagedTarget(staged: StagedField, fields: FieldIndex): KnownField | undefined {
  const { existingFieldDefinitionId: id, key } = staged;
  const place = id ? fields.byId.get(id) : key === undefined ? undefined : fields.byKey.get(key);
  return place === undefined ? undefined : fields.fields[place];
}

/** The choices that a staged change names in `config.options`, as texts or as `{value}`; undefined if it names none. */
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
 * The field as a create or update leaves it. The key of a field never changes, and a member of `config` that is absent
 * changes nothing: `required`, `defaultValue` and `options` are read. A new field has its draft id for an id.
 */
export function fieldAfter(staged: StagedField, field: KnownField | undefined): KnownField {
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
  };
}

export type StagedNeeds = Pick<FieldChangeImpact, "reasons" | "requires">;

/** What a staged change would cost the values of its field, and which confirmations it needs for that. */
export function stagedChangeNeeds(
  staged: StagedField,
  field: KnownField | undefined,
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

function removesOptions(staged: StagedField, field: KnownField, type: string): boolean {
  const options = stagedOptions(staged);
  if (!options || !hasChoices(field.type) || !hasChoices(type)) return false;
  const kept = new Set(options);
  return field.options.some((option) => !kept.has(option));
}
