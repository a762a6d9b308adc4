/** What publishing a draft would do to the fields it stages, and to the values they have (R92). */

import type { Diagnostic } from "../schemas/diagnostic.ts";
import type { Known, KnownField } from "../schemas/draft-known.ts";
import type { Block, DraftContent, StagedField } from "../schemas/draft.ts";
import type { StagedFieldState } from "../schemas/layout.ts";
import { indexFields, stagedChangeNeeds, type StagedNeeds, stagedTarget } from "../schemas/staged-fields.ts";
import { type LayoutRecord, listLayoutsWithSameFields } from "../store/layouts.ts";
import type { Tx } from "../store/store.ts";
import { readStored } from "../store/stored-json.ts";

/** One staged change, the field that it is about, and the layouts whose runtime version shows that field too. */
export type StagedChange = StagedNeeds & {
  staged: StagedField;
  field: KnownField | undefined;
  referencedByLayouts: string[];
};

/** The staged changes of a draft in their order, each with what it costs. */
export async function readStagedChanges(
  tx: Tx,
  layout: LayoutRecord,
  content: DraftContent,
  known: Known,
): Promise<StagedChange[]> {
  if (content.stagedFieldDefinitions.length === 0) return [];
  const fields = indexFields(known.fields ?? []);
  const changes = content.stagedFieldDefinitions.map((staged) => ({
    staged,
    field: staged.action === "create" ? undefined : stagedTarget(staged, fields),
  }));
  // Other layouts matter only to a field that is changed or deleted for them as well.
  const touched = changes.flatMap(({ staged, field }) => (field && staged.action !== "unlink" ? [field] : []));
  const references = await listReferences(tx, layout, touched);
  return changes.map(({ staged, field }) => {
    const referencedByLayouts = (field && references.get(field.id)) ?? [];
    const needs = stagedChangeNeeds(staged, field, referencedByLayouts.length > 0);
    return { staged, field, referencedByLayouts, ...needs };
  });
}

/** The staged changes as a saved draft tells them. */
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

/** By the id of each field, the other layouts that show it at run time. */
async function listReferences(
  tx: Tx,
  layout: LayoutRecord,
  fields: readonly KnownField[],
): Promise<Map<string, string[]>> {
  const references = new Map<string, string[]>();
  if (fields.length === 0) return references;
  for (const neighbour of await listLayoutsWithSameFields(tx, layout)) {
    // A look at the text spares most layouts the parsing.
    const suspects = fields.filter((field) => names(field).some((name) => neighbour.content.includes(`"${name}"`)));
    if (suspects.length === 0) continue;
    const shown = shownFields(readStored("layout_contents.content", neighbour.content, neighbour.id).blocks);
    for (const field of suspects) {
      if (!names(field).some((name) => shown.has(name))) continue;
      const layouts = references.get(field.id);
      if (layouts) layouts.push(neighbour.layout_id);
      else references.set(field.id, [neighbour.layout_id]);
    }
  }
  return references;
}

function names(field: KnownField): string[] {
  return [field.key, field.id];
}

/** The keys and ids by which blocks name fields. */
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
