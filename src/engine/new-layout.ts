/** Creates a layout and its first draft: default regions without blocks (docs/decisions.md, "Initial draft"). */

import type { DraftContent } from "../schemas/draft.ts";
import type { Mode } from "../schemas/form.ts";
import type { JsonObject } from "../schemas/json.ts";
import type { Layout, Surface, Target } from "../schemas/layout.ts";
import { targetKey } from "../schemas/target-key.ts";
import { insertLayout, insertLayoutModes, type LayoutRecord } from "../store/layouts.ts";
import type { ObjectRecord } from "../store/objects.ts";
import { readObjectFields, readCatalog } from "./catalog.ts";
import { layoutOf, UNASSIGNED } from "./layout-records.ts";
import { storeFirstDraft } from "./stored-draft.ts";
import { defaultRegions } from "./surfaces.ts";
import type { RuleContext } from "./rule.ts";

/**
 * Creates the layout of a new form (R7). The caller has inserted the rows of the form in the same transaction. The
 * layout has no modes of its own: it has the modes of its form (R59).
 */
export async function createOwnedLayout(
  context: RuleContext,
  object: ObjectRecord,
  form: { id: string; name: string; types: readonly Mode[] },
): Promise<LayoutRecord> {
  const surface = "DYNAMIC_OBJECT";
  const layout = newRecord(context, {
    surface,
    target: { moduleKey: object.module_key, objectKey: object.key, formId: form.id },
    ownerFormId: form.id,
    name: form.name,
    metadata: null,
  });
  await insertLayout(context.tx, layout);
  const known = { surface, modes: form.types, fields: await readObjectFields(context.tx, object) } as const;
  const content = initialContent(surface);
  await storeFirstDraft(context, layout, { content, modes: form.types, known, sourceVersionId: null });
  return layout;
}

/** Creates a layout that belongs to the organization (R85), and returns it as the API does. */
export async function createOrganizationLayout(
  context: RuleContext,
  input: { surface: Surface; target: Target; name: string; metadata: JsonObject | null; modes: Mode[] },
): Promise<Layout> {
  const layout = newRecord(context, { ...input, ownerFormId: null });
  await insertLayout(context.tx, layout);
  await insertLayoutModes(context.tx, layout, input.modes);
  const known = { ...(await readCatalog(context.tx, layout)), modes: input.modes };
  const content = initialContent(input.surface);
  const { draft } = await storeFirstDraft(context, layout, {
    content,
    modes: input.modes,
    known,
    sourceVersionId: null,
  });
  return layoutOf(layout, { modes: input.modes, heads: [draft], assigned: UNASSIGNED });
}

function newRecord(
  context: RuleContext,
  input: {
    surface: Surface;
    target: Target;
    ownerFormId: string | null;
    name: string;
    metadata: JsonObject | null;
  },
): LayoutRecord {
  return {
    id: context.newId("layout"),
    org_id: context.actor.organizationId,
    surface: input.surface,
    target: JSON.stringify(input.target),
    target_key: targetKey(input.target),
    owner_form_id: input.ownerFormId,
    name: input.name,
    metadata: input.metadata && JSON.stringify(input.metadata),
    status: "DRAFT",
    last_version: 1,
    created_at: context.now,
    updated_at: context.now,
  };
}

function initialContent(surface: Surface): DraftContent {
  return {
    schemaVersion: 1,
    regions: defaultRegions(surface),
    blocks: [],
    stagedFieldDefinitions: [],
    scriptBindings: [],
    metadata: null,
  };
}
