/**
 * Applies the staged field changes of a draft when the draft is published. Updates the blocks that refer to staged
 * fields.
 */

import type { BlockSource } from "../schemas/words.ts";
import type { Block, DraftContent, StagedField } from "../schemas/draft.ts";
import type { JsonObject } from "../schemas/json.ts";
import type { CommittedField } from "../schemas/layout.ts";
import { fieldAfter } from "../schemas/staged-fields.ts";
import {
  deleteField,
  type FieldOwner,
  insertField,
  listFieldsOf,
  updateField,
  type FieldRecord,
} from "../store/objects.ts";
import type { LayoutRecord } from "../store/layouts.ts";
import { readStored } from "../store/stored-json.ts";
import { fieldOwnerOf, toCatalogField } from "./catalog.ts";
import type { StagedChange } from "./field-change-impacts.ts";
import type { RuleContext } from "./rule.ts";

/**
 * Applies the staged changes of a valid draft in their order. `update` changes the name, type and settings of a field.
 * `unlink` changes only the layout, so the field stays.
 *
 * @returns the applied changes, and the content to publish. This content has no staged fields. Its blocks refer to the
 *   created fields
 */
export async function commitStagedFields(
  context: RuleContext,
  layout: LayoutRecord,
  content: DraftContent,
  changes: readonly StagedChange[],
): Promise<{ content: DraftContent; fields: CommittedField[] }> {
  if (changes.length === 0) return { content, fields: [] };
  const owner = await fieldOwnerOf(context.tx, layout);
  if (!owner) throw new Error(`the layout ${layout.id} stages fields of a deleted object`);
  const records = await listFieldsOf(context.tx, owner);
  const byId = new Map(records.map((record) => [record.id, record]));
  let nextPosition = records.reduce((highest, record) => Math.max(highest, record.position), -1) + 1;
  const fields: CommittedField[] = [];
  for (const { staged, field } of changes) {
    const before = field && byId.get(field.id);
    const { draftId, action } = staged;
    if (action === "create") {
      const created = toRecord(staged, undefined, { id: context.newId("field"), position: nextPosition++ });
      await insertField(context.tx, owner, created);
      fields.push({ draftId, action, fieldDefinitionId: created.id, key: created.key });
    } else if (before) {
      if (action === "update") await updateField(context.tx, owner, toRecord(staged, before, before));
      if (action === "delete") await deleteField(context.tx, owner, before.id);
      fields.push({ draftId, action, fieldDefinitionId: before.id, key: before.key });
    }
  }
  const committed = new Map(fields.map((field) => [field.draftId, field]));
  return {
    content: { ...content, stagedFieldDefinitions: [], blocks: resolveStagedRefs(content.blocks, committed, owner) },
    fields,
  };
}

/** Returns the record of a field after a create or update. Settings that the change does not name keep their values. */
function toRecord(
  staged: StagedField,
  before: FieldRecord | undefined,
  { id, position }: Pick<FieldRecord, "id" | "position">,
): FieldRecord {
  const after = fieldAfter(staged, before && toCatalogField(before));
  const config: JsonObject = {
    ...(before && readStored("fields.config", before.config, before.id)),
    ...staged.config,
    ...(staged.presentation && { presentation: staged.presentation }),
  };
  const given = staged.config?.["defaultValue"];
  return {
    id,
    key: after.key,
    name: after.name,
    type: after.type,
    is_required: after.isRequired ? 1 : 0,
    default_value:
      given === undefined ? (before?.default_value ?? null) : given === null ? null : JSON.stringify(given),
    options: JSON.stringify(after.options),
    config: JSON.stringify(config),
    position,
    value_count: after.valueCount,
  };
}

/**
 * Replaces references to staged fields with references to the created fields. A new reference has the field's key and,
 * for a custom field, also the field's id.
 */
function resolveStagedRefs(
  blocks: readonly Block[],
  committed: ReadonlyMap<string, CommittedField>,
  owner: FieldOwner,
): Block[] {
  const source: BlockSource = "objectId" in owner ? "dynamic_field" : "custom_field";
  return blocks.map((block) => {
    const named = block.children ? { ...block, children: resolveStagedRefs(block.children, committed, owner) } : block;
    const { draftFieldDefinitionId, ...ref } = block.ref ?? {};
    const field = block.source === "draft_custom_field" ? committed.get(draftFieldDefinitionId ?? "") : undefined;
    if (!field) return named;
    const byId = source === "custom_field" ? { fieldDefinitionId: field.fieldDefinitionId } : {};
    return { ...named, source, ref: { ...ref, fieldKey: field.key, ...byId } };
  });
}
