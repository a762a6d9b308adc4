/** Checks of staged fields: whether a publish can apply the change, and how the change affects values (R92). */

import { FIELD_TYPES } from "../words.ts";
import type { StagedEntry } from "../draft-fields.ts";
import { hasChoices, stagedChangeNeeds, stagedOptions } from "../staged-fields.ts";
import { type CheckContext, quote, nextStep } from "./report.ts";
import { isRequired } from "./inputs.ts";

export function checkStagedFields(context: CheckContext): void {
  for (const [index, staged] of context.fields.staged.entries()) {
    if (context.report.isFull()) return;
    checkNames(context, staged, index);
    checkType(context, staged, index);
    if (staged.problem !== "unknown") checkPlacement(context, staged, index);
    if (staged.problem === undefined) checkEffects(context, staged, index);
  }
}

const at = (index: number, ...steps: string[]) => ["stagedFieldDefinitions", index, ...steps];

function checkNames({ known, fields, report }: CheckContext, staged: StagedEntry, index: number): void {
  const { item, problem } = staged;
  if (fields.stagedById.get(item.draftId) !== staged) {
    const message = `another staged field already has the draftId ${quote(item.draftId)}. Use a different draftId`;
    report.at("STAGED_ID_DUPLICATE", at(index, "draftId"), message);
  }
  const byId = item.existingFieldDefinitionId;
  const member = byId ? "existingFieldDefinitionId" : "key";
  if (problem === "taken") {
    const message = `the field ${quote(item.key ?? "")} already exists. Use a different key, or update the field`;
    report.at("STAGED_KEY_TAKEN", at(index, "key"), message);
  } else if (problem === "duplicate") {
    const message = `another staged change already affects ${quote(byId || (item.key ?? ""))}. Keep one change`;
    report.at("STAGED_KEY_DUPLICATE", at(index, member), message);
  } else if (problem === "unknown") {
    const names = (known.fields ?? []).map((field) => (byId ? field.id : field.key));
    const name = byId || item.key;
    const message = name
      ? `unknown field ${quote(name)}. ${nextStep(name, names, "Valid fields", "Remove this change")}`
      : `the field to ${item.action} is not specified. Set existingFieldDefinitionId or key`;
    report.at("STAGED_TARGET_UNKNOWN", at(index, member), message);
  }
}

function checkType({ known, report }: CheckContext, { item, target }: StagedEntry, index: number): void {
  if (item.action !== "create" && item.action !== "update") return;
  if (item.type !== undefined && !(FIELD_TYPES as readonly string[]).includes(item.type)) {
    const message = `unknown field type ${quote(item.type)}. ${nextStep(item.type, FIELD_TYPES, "Valid types", "")}`;
    report.at("STAGED_TYPE_UNKNOWN", at(index, "type"), message);
  }
  const type = item.type ?? target?.type;
  if (type === undefined || !hasChoices(type)) return;
  // An update without options keeps the options of the field. These options may be unknown.
  const isKept = item.action === "update" && known.fields === undefined;
  const options = stagedOptions(item) ?? (isKept ? undefined : (target?.options ?? []));
  if (options?.length !== 0) return;
  const message = `a ${type} field requires options. Set config.options`;
  report.at("STAGED_OPTIONS_MISSING", at(index, "config", "options"), message);
}

function checkPlacement({ report }: CheckContext, { item, entry }: StagedEntry, index: number): void {
  const removes = item.action === "unlink" || item.action === "delete";
  if (removes && entry.blocks > 0) {
    const message = `a block still shows the field to ${item.action}. Remove the block`;
    report.at("STAGED_STILL_PLACED", at(index), message);
  }
  if (item.action === "create" && entry.blocks === 0) {
    const message = `no block shows the new field ${quote(item.key ?? "")}. Add a field block with the source draft_custom_field`;
    report.at("STAGED_NOT_PLACED", at(index), message);
  }
}

function checkEffects({ report }: CheckContext, { item, entry, target }: StagedEntry, index: number): void {
  const needs = stagedChangeNeeds(item, target, false);
  if (target && needs.requires.length > 0) {
    const records = target.valueCount === 1 ? "1 value" : `${target.valueCount} values`;
    const fact = needs.reasons.includes("VALUE_CLEAR")
      ? `${records} of ${quote(target.key)} may be lost`
      : `the type of ${quote(target.key)} changes; its ${records} are kept`;
    const message = `${fact}. To confirm ${quote(item.draftId)}, name it in confirmFieldChanges`;
    report.at("STAGED_NEEDS_CONFIRMATION", at(index), message, { meta: { ...needs, valueCount: target.valueCount } });
  }
  const isNew = item.action === "create" || (item.action === "update" && target && !target.isRequired);
  if (!isNew || !isRequired(entry)) return;
  const message = `${quote(entry.key ?? "")} becomes required, so that other layouts for CREATE without the field become invalid. Add it there, or set config.defaultValue`;
  report.at("STAGED_REQUIRED_NEW", at(index, "config", "required"), message);
}
