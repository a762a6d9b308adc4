/** Determines the effects of a draft's staged field changes on fields and their values (R92). */

import type { Diagnostic } from "../schemas/diagnostic.ts";
import type { LayoutCatalog, CatalogField } from "../schemas/catalog.ts";
import type { Block, DraftContent, StagedField } from "../schemas/draft.ts";
import type { StagedFieldState } from "../schemas/layout.ts";
import { indexFields, stagedChangeNeeds, type StagedNeeds, stagedTarget } from "../schemas/staged-fields.ts";
import { type LayoutRecord, listLayoutsWithSameFields } from "../store/layouts.ts";
import type { OrgTx } from "../store/store.ts";
import { readStored } from "../store/stored-json.ts";

/**
 * A staged change and the existing field that it changes. `referencedByLayouts` has the ids of layouts with a published
 * version that shows the field. The draft's own layout is left out.
 */
export type StagedChange = StagedNeeds & {
  staged: StagedField;
  field: CatalogField | undefined;
  referencedByLayouts: string[];
};

/** Returns the staged changes of a draft in their order, each with its effects and required confirmations. */
export async function readStagedChanges(
  tx: OrgTx,
  layout: LayoutRecord,
  content: DraftContent,
  known: LayoutCatalog,
): Promise<StagedChange[]> {
  if (content.stagedFieldDefinitions.length === 0) return [];
  const fields = indexFields(known.fields ?? []);
  const changes = content.stagedFieldDefinitions.map((staged) => ({
    staged,
    field: staged.action === "create" ? undefined : stagedTarget(staged, fields),
  }));
  // An unlinked field remains. Therefore only an update or a deletion affects layouts other than the draft's own.
  const touched = changes.flatMap(({ staged, field }) => (field && staged.action !== "unlink" ? [field] : []));
  const references = await listReferences(tx, layout, touched);
  return changes.map(({ staged, field }) => {
    const referencedByLayouts = (field && references.get(field.id)) ?? [];
    const needs = stagedChangeNeeds(staged, field, referencedByLayouts.length > 0);
    return { staged, field, referencedByLayouts, ...needs };
  });
}

/** Converts staged changes to the members that the response to a saved draft contains. */
export function toStagedFieldStates(
  changes: readonly StagedChange[],
  errors: readonly Diagnostic[],
): StagedFieldState[] {
  return changes.map(({ staged, field, reasons, requires, referencedByLayouts }, index) => {
    const isInvalid = errors.some(({ path }) => path?.startsWith(`stagedFieldDefinitions[${index}]`));
    const state = isInvalid ? "invalid" : requires.length > 0 ? "needs_confirmation" : "ready";
    const valueCount = field?.valueCount ?? 0;
    const valueImpact = reasons.length > 0 ? { reasons, valueCount, referencedByLayouts, requires } : null;
    return { ...staged, state, valueImpact };
  });
}

/** Returns the ids of the layouts whose published version shows a field, by the field's id. Leaves out `layout`. */
async function listReferences(
  tx: OrgTx,
  layout: LayoutRecord,
  fields: readonly CatalogField[],
): Promise<Map<string, string[]>> {
  const references = new Map<string, string[]>();
  if (fields.length === 0) return references;
  for (const other of await listLayoutsWithSameFields(tx, layout)) {
    // The content is first searched as text. Most layouts show none of the fields, and need not be parsed.
    const candidates = fields.filter((field) => names(field).some((name) => other.content.includes(`"${name}"`)));
    if (candidates.length === 0) continue;
    const shown = shownFields(readStored("layout_contents.content", other.content, other.id).blocks);
    for (const field of candidates) {
      if (!names(field).some((name) => shown.has(name))) continue;
      const layouts = references.get(field.id);
      if (layouts) layouts.push(other.layout_id);
      else references.set(field.id, [other.layout_id]);
    }
  }
  return references;
}

function names(field: CatalogField): string[] {
  return [field.key, field.id];
}

/** Returns the keys and ids of the fields that blocks and their children show. */
function shownFields(blocks: readonly Block[], shown = new Set<string>()): Set<string> {
  for (const { ref, children } of blocks) {
    for (const name of [
      ref?.fieldKey,
      ref?.fieldId,
      ref?.fieldDefinitionId,
      ref?.relationFieldKey,
      ref?.relationFieldId,
    ])
      if (name) shown.add(name);
    if (children) shownFields(children, shown);
  }
  return shown;
}
