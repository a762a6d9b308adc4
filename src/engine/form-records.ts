/**
 * Converts form records to forms of the API. Adds the modes of each form, its layout, and the availability of the
 * layout.
 */

import { MODES } from "../schemas/words.ts";
import type { Form, Mode } from "../schemas/form.ts";
import { type FormRecord, listFormTypes, listOwnedLayouts, type OwnedLayout } from "../store/forms.ts";
import type { ObjectRecord } from "../store/objects.ts";
import type { OrgTx } from "../store/store.ts";
import { readStored, readStoredOrNull } from "../store/stored-json.ts";
import { listContents, type PublishedHead } from "../store/versions.ts";
import { availabilityOf, type LiveVersion } from "./availability.ts";
import { CHECKS, type StoredVerdict } from "./stored-verdict.ts";
import type { Verdict } from "./verdict.ts";

/**
 * Converts form records of one object (R4). The number of queries does not depend on the number of records. Each
 * published version with an outdated stored verdict (see verdict.ts) needs one more query.
 */
export async function toForms(tx: OrgTx, object: ObjectRecord, records: readonly FormRecord[]): Promise<Form[]> {
  const formIds = records.map((record) => record.id);
  const types = await typesOfForms(tx, formIds);
  const layouts = await listOwnedLayouts(tx, formIds);
  const layoutOf = new Map(layouts.map((layout) => [layout.owner_form_id, layout]));
  const verdicts = await readVerdicts(tx, object, layouts);
  return records.map((record) => {
    const layout = layoutOf.get(record.id);
    const modes = types.get(record.id) ?? [];
    const live = layout?.published && liveVersion(layout.published, verdicts);
    return {
      ...toForm(record, modes, layout),
      ...availabilityOf({ form: { isActive: record.is_active === 1, types: modes }, layout, live }),
    };
  });
}

function liveVersion(published: PublishedHead, verdicts: ReadonlyMap<string, Verdict>): LiveVersion {
  return { id: published.id, modes: modesOf(published), verdict: verdicts.get(published.id)! };
}

/**
 * Returns the verdict on each published version, by the version's id. A stored verdict is valid until the object's
 * fields or the program's checks change. Then the content is read and checked again.
 */
async function readVerdicts(
  tx: OrgTx,
  object: ObjectRecord,
  layouts: readonly OwnedLayout[],
): Promise<Map<string, Verdict>> {
  const verdicts = new Map<string, Verdict>();
  const outdated: OwnedLayout[] = [];
  for (const layout of layouts) {
    const { published } = layout;
    if (!published) continue;
    const stored = readStoredOrNull("layout_versions.verdict", published.verdict, published.id) as StoredVerdict | null;
    if (stored?.fieldsVersion === object.fields_version && stored.checks === CHECKS) verdicts.set(published.id, stored);
    else outdated.push(layout);
  }
  if (outdated.length > 0) await judgeAgain(tx, object, outdated, verdicts);
  return verdicts;
}

async function judgeAgain(
  tx: OrgTx,
  object: ObjectRecord,
  layouts: readonly OwnedLayout[],
  verdicts: Map<string, Verdict>,
): Promise<void> {
  // These modules are loaded only now. Most lists have nothing to check, and the checks are the largest part of the
  // engine.
  const { checkContent } = await import("./verdict.ts");
  const { readObjectCatalog } = await import("./catalog.ts");
  const known = await readObjectCatalog(tx, object, MODES);
  for (const { published } of layouts) {
    if (!published) continue;
    // The contents are long. They are read one at a time to limit memory use.
    for (const { id, content } of await listContents(tx, [published.id]))
      verdicts.set(id, checkContent(readStored("layout_contents.content", content, id), modesOf(published), known));
  }
}

function modesOf({ id, supported_modes }: PublishedHead): Mode[] {
  return readStored("layout_versions.supported_modes", supported_modes, id);
}

export async function toOneForm(tx: OrgTx, object: ObjectRecord, record: FormRecord): Promise<Form> {
  const [form] = await toForms(tx, object, [record]);
  return form!;
}

/** Returns the modes of a form in the order in which they were set. */
export async function typesOfForm(tx: OrgTx, formId: string): Promise<Mode[]> {
  return (await typesOfForms(tx, [formId])).get(formId) ?? [];
}

/** Returns the modes of each form, by the form's id. */
export async function typesOfForms(tx: OrgTx, formIds: readonly string[]): Promise<Map<string, Mode[]>> {
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
  layout: OwnedLayout | undefined,
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
    config: readStoredOrNull("forms.config", record.config, record.id),
    // Only a damaged store has a form without a layout (R7). Such a form is shown with the state MISSING.
    viewLayoutId: layout?.id ?? "",
    viewLayoutName: layout?.name ?? "",
    createdAt: record.created_at,
    updatedAt: record.updated_at,
  };
}
