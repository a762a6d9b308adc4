/** The model's rules for the content of drafts. A rule that no sequence can reach is left out. */

import {
  type Block,
  type Content,
  type Field,
  type LayoutRecord,
  type Mode,
  MODES,
  objectOf,
  type Organization,
  type StagedField,
  type Validation,
} from "./records.ts";

const SOURCES: Record<string, string[]> = {
  DYNAMIC_OBJECT: ["dynamic_field", "draft_custom_field", "system"],
  DASHBOARD: ["dashboard", "system"],
};
const OTHER_SOURCES = ["built_in", "custom_field", "draft_custom_field", "system"];

/** The fields that the layout can show. The sequences add no custom fields to other surfaces. */
export function fieldsOf(organization: Organization, { surface, target }: LayoutRecord): Field[] {
  return surface === "DYNAMIC_OBJECT" ? objectOf(organization, target["objectKey"])!.fields : [];
}

/** A field after the staged changes of the draft. */
type Entry = { field: Field; isDeleted: boolean };

type Use = { block: Block; modes: Mode[]; entry: Entry | undefined; isAbsent: boolean; isInput: boolean };

/** Checks a draft for `modes`. Staged changes count as applied. */
export function check(surface: string, content: Content, modes: readonly Mode[], fields: readonly Field[]): Validation {
  const errors: string[] = [];
  const warnings: string[] = [];
  const { entries, staged } = stage(content.stagedFieldDefinitions, fields);
  const uses = content.blocks.map((block): Use => {
    const own = block.supportedModes?.length ? block.supportedModes : MODES;
    const isAllowed = (SOURCES[surface] ?? OTHER_SOURCES).includes(block.source);
    if (!isAllowed) errors.push("SOURCE_NOT_ALLOWED");
    const { fieldKey, draftFieldDefinitionId } = block.ref ?? {};
    const byStage = staged.find(({ item }) => item.draftId === draftFieldDefinitionId);
    const entry = isAllowed ? (byStage?.entry ?? entries.find(({ field }) => field.key === fieldKey)) : undefined;
    if (isAllowed && fieldKey !== undefined && !entry) errors.push("FIELD_UNKNOWN");
    if (isAllowed && draftFieldDefinitionId !== undefined && !entry) errors.push("STAGED_REF_UNKNOWN");
    return {
      block,
      modes: modes.filter((mode) => own.includes(mode)),
      entry,
      isAbsent: !entry,
      isInput: block.type === "field" && block.config?.readOnly !== true,
    };
  });
  checkRegions(content, errors, warnings);
  checkBlocks(uses, modes, errors, warnings);
  checkStaged(staged, uses, errors, warnings);
  checkModes(entries, uses, modes, errors, warnings);
  const state = errors.length > 0 ? "invalid" : warnings.length > 0 ? "valid_with_warnings" : "valid";
  return { state, errors: errors.sort(), warnings: warnings.sort() };
}

type Staged = { item: StagedField; entry: Entry | undefined; target: Field | undefined; isTaken: boolean };

function stage(items: readonly StagedField[], fields: readonly Field[]): { entries: Entry[]; staged: Staged[] } {
  const entries: Entry[] = fields.map((field) => ({ field, isDeleted: false }));
  const staged = items.map((item): Staged => {
    const known = entries.find(({ field }) => field.key === item.key);
    if (item.action === "create") {
      const entry = { field: fieldAfter(item, undefined), isDeleted: false };
      if (!known) entries.push(entry);
      return { item, entry, target: undefined, isTaken: known !== undefined };
    }
    const target = known?.field;
    if (known && item.action === "update") known.field = fieldAfter(item, known.field);
    if (known && item.action === "delete") known.isDeleted = true;
    return { item, entry: known, target, isTaken: false };
  });
  return { entries, staged };
}

/** Returns the field after a staged change (R92). If the new type can't keep the values, the values are cleared. */
export function fieldAfter(item: StagedField, field: Field | undefined): Field {
  const type = item.type ?? field!.type;
  return {
    key: item.key,
    type,
    required: item.config?.required ?? field?.required ?? false,
    options: item.config?.options ?? field?.options ?? [],
    valueCount: field && isLossless(field.type, type) ? field.valueCount : 0,
  };
}

const LOSSLESS = ["TEXT TEXTAREA", "TEXTAREA TEXT", "EMAIL TEXT", "PHONE TEXT", "SELECT MULTI_SELECT"];
const isLossless = (from: string, to: string) => from === to || LOSSLESS.includes(`${from} ${to}`);

/** Returns the confirmations that a staged change needs, and the reasons. */
export function needsOf(item: StagedField, field: Field | undefined, isShownElsewhere: boolean) {
  const reasons: string[] = [];
  const requires: string[] = [];
  if (field && item.action === "update") {
    const { type = field.type, config } = item;
    const isSelect = (word: string) => word.endsWith("SELECT");
    const kept = config?.options ?? field.options;
    const dropsOption = isSelect(field.type) && isSelect(type) && field.options.some((each) => !kept.includes(each));
    if (type !== field.type) reasons.push("TYPE_CHANGE");
    if (field.valueCount > 0 && (!isLossless(field.type, type) || dropsOption)) reasons.push("VALUE_CLEAR");
  }
  if (field && item.action === "delete") {
    if (field.valueCount > 0) reasons.push("VALUE_CLEAR");
    if (isShownElsewhere) reasons.push("REFERENCED_ELSEWHERE");
  }
  if (reasons.includes("TYPE_CHANGE")) requires.push("confirmTypeChange");
  if (reasons.some((reason) => reason !== "TYPE_CHANGE")) requires.push("confirmValueClear");
  return { reasons, requires };
}

function checkRegions({ regions, blocks }: Content, errors: string[], warnings: string[]): void {
  if (regions.length === 0) errors.push("NO_REGIONS");
  for (const { key } of regions) if (!blocks.some(({ regionKey }) => regionKey === key)) warnings.push("REGION_EMPTY");
  const isKnown = (block: Block) => regions.some(({ key }) => key === block.regionKey);
  if (regions.length > 0) for (const block of blocks) if (!isKnown(block)) errors.push("REGION_UNKNOWN");
}

function checkBlocks(uses: readonly Use[], modes: readonly Mode[], errors: string[], warnings: string[]): void {
  for (const [index, use] of uses.entries()) {
    const { block, entry, isInput } = use;
    const earlier = uses.slice(0, index);
    if (block.id !== undefined && earlier.some((other) => other.block.id === block.id))
      errors.push("BLOCK_ID_DUPLICATE");
    const same = earlier.filter((other) => entry !== undefined && other.entry === entry);
    const sharesOne = (others: readonly Use[], shared: readonly Mode[]) =>
      others.some((other) => shared.some((mode) => use.modes.includes(mode) && other.modes.includes(mode)));
    const inputs = same.filter((other) => other.isInput);
    if (isInput && sharesOne(inputs, ["CREATE", "EDIT"])) errors.push("FIELD_DUPLICATE");
    else if (sharesOne(same, ["VIEW"])) warnings.push("FIELD_REPEATED_IN_VIEW");
    const isRequired = entry?.field.required === true;
    const isSaved = use.modes.includes("CREATE") || use.modes.includes("EDIT");
    if ((block.requiredPolicy ?? "optional") === "optional" && isRequired && isSaved && isInput)
      warnings.push("REQUIRED_POLICY_WEAKER");
    if (block.requiredPolicy === "required" && use.modes.join() === "VIEW") warnings.push("REQUIRED_POLICY_STRICTER");
    const isInputElsewhere = uses.some(
      (other) => other.entry === entry && other.isInput && other.modes.includes("CREATE"),
    );
    if (isRequired && !entry.isDeleted && !isInput && use.modes.includes("CREATE") && !isInputElsewhere)
      errors.push("REQUIRED_FIELD_READONLY");
    if (block.supportedModes?.some((mode) => !modes.includes(mode))) warnings.push("BLOCK_MODE_UNSUPPORTED");
    if (use.modes.length === 0) warnings.push("BLOCK_UNREACHABLE");
  }
}

function checkStaged(staged: readonly Staged[], uses: readonly Use[], errors: string[], warnings: string[]): void {
  for (const { item, entry, target, isTaken } of staged) {
    const isPlaced = uses.some((use) => use.entry !== undefined && use.entry === entry);
    if (isTaken) errors.push("STAGED_KEY_TAKEN");
    if (item.action === "create" && !isPlaced) warnings.push("STAGED_NOT_PLACED");
    if (item.action !== "create" && !target) errors.push("STAGED_TARGET_UNKNOWN");
    if (item.action === "delete" && isPlaced) errors.push("STAGED_STILL_PLACED");
    if (needsOf(item, target, false).requires.length > 0) warnings.push("STAGED_NEEDS_CONFIRMATION");
    if (item.action === "create" && !isTaken && item.config?.required) warnings.push("STAGED_REQUIRED_NEW");
  }
}

function checkModes(
  entries: readonly Entry[],
  uses: readonly Use[],
  modes: readonly Mode[],
  errors: string[],
  warnings: string[],
): void {
  for (const mode of modes) {
    const shown = uses.filter((use) => use.modes.includes(mode));
    if (shown.length === 0) warnings.push("MODE_EMPTY");
    else if (mode !== "VIEW" && !shown.some(({ isInput }) => isInput)) warnings.push("MODE_NO_EDITABLE_FIELD");
    if (mode !== "CREATE") continue;
    for (const entry of entries) {
      const isNeeded = entry.field.required && !entry.isDeleted;
      if (isNeeded && !shown.some((use) => use.entry === entry)) errors.push("REQUIRED_FIELD_MISSING");
    }
  }
}

export type Availability = { state: string; isUsable: boolean };

/** Returns the availability of a published content in one of its modes, with the current fields. */
export function availabilityIn(mode: Mode, surface: string, content: Content, fields: readonly Field[]): Availability {
  const shown = content.blocks.filter(
    ({ supportedModes = [] }) => supportedModes.length === 0 || supportedModes.includes(mode),
  );
  const { errors } = check(surface, { ...content, blocks: shown }, [mode], fields);
  const isUsable = shown.some(({ type, config }) => mode === "VIEW" || (type === "field" && config?.readOnly !== true));
  return errors.length > 0 ? { state: "INVALID", isUsable: false } : { state: "PUBLISHED", isUsable };
}
