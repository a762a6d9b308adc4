/** Form records as the API shows them: with their modes, their layout, and what the layout can do. */

import { MODES } from "../schemas/words.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { Form, Mode } from "../schemas/form.ts";
import {
  type FormRecord,
  listFormTypes,
  listLiveVersions,
  listOwnedLayouts,
  type LiveVersion,
} from "../store/forms.ts";
import type { LayoutRecord } from "../store/layouts.ts";
import type { Tx } from "../store/store.ts";
import { availabilityOf, type LiveContent } from "./availability.ts";
import { knownFor } from "./knowledge.ts";

/**
 * Any number of forms with a fixed number of queries; each published version is parsed once.
 *
 * @param records forms of ONE object (R4): the object's fields are read once for all of them
 */
export async function toForms(tx: Tx, records: readonly FormRecord[]): Promise<Form[]> {
  const formIds = records.map((record) => record.id);
  const types = await typesOfForms(tx, formIds);
  const layouts = await listOwnedLayouts(tx, formIds);
  const layoutOf = new Map(layouts.map((layout) => [layout.owner_form_id, layout]));
  const versions = await listLiveVersions(
    tx,
    layouts.map((layout) => layout.id),
  );
  const liveOf = new Map(versions.map((version) => [version.layout_id, toLiveContent(version)]));
  const [anyLayout] = layouts;
  const known = anyLayout && versions.length > 0 ? await knownFor(tx, anyLayout, MODES) : {};
  return records.map((record) => {
    const layout = layoutOf.get(record.id);
    const live = layout && liveOf.get(layout.id);
    const modes = types.get(record.id) ?? [];
    return {
      ...toForm(record, modes, layout),
      ...availabilityOf({ form: { isActive: record.is_active === 1, types: modes }, layout, live, known }),
    };
  });
}

/** One form as the API shows it. */
export async function toOneForm(tx: Tx, record: FormRecord): Promise<Form> {
  const [form] = await toForms(tx, [record]);
  return form!;
}

/** The modes of one form, in the order in which they were given. */
export async function typesOfForm(tx: Tx, formId: string): Promise<Mode[]> {
  return (await typesOfForms(tx, [formId])).get(formId) ?? [];
}

/** The modes of each form. */
export async function typesOfForms(tx: Tx, formIds: readonly string[]): Promise<Map<string, Mode[]>> {
  const types = new Map<string, Mode[]>();
  for (const { form_id, mode } of await listFormTypes(tx, formIds)) {
    const modes = types.get(form_id);
    if (modes) modes.push(mode);
    else types.set(form_id, [mode]);
  }
  return types;
}

function toForm(
  record: FormRecord,
  types: Mode[],
  layout: LayoutRecord | undefined,
): Omit<Form, "layoutAvailability" | "usableTypes" | "layoutWarnings"> {
  return {
    id: record.id,
    organizationId: record.org_id,
    objectId: record.object_id,
    name: record.name,
    types,
    isActive: record.is_active === 1,
    isPublic: record.is_public === 1,
    publicToken: record.public_token,
    config: record.config === null ? null : (JSON.parse(record.config) as Record<string, unknown>),
    // Only a damaged store has a form without a layout (R7): such a form is still shown, with the state MISSING.
    viewLayoutId: layout?.id ?? "",
    viewLayoutName: layout?.name ?? "",
    createdAt: record.created_at,
    updatedAt: record.updated_at,
  };
}

function toLiveContent(version: LiveVersion): LiveContent {
  const content = JSON.parse(version.content) as DraftContent;
  return {
    id: version.id,
    modes: JSON.parse(version.supported_modes) as Mode[],
    // Its staged fields were committed when it was published.
    content: { ...content, stagedFieldDefinitions: [] },
  };
}
