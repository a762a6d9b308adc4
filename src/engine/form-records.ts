/**
 * Converts form records to forms of the API. Adds the modes of each form, its layout, and the availability of the
 * layout.
 */

import { MODES } from "../schemas/words.ts";
import type { Form, Mode } from "../schemas/form.ts";
import type { FormParts, FormRecord, OwnedLayout } from "../store/forms.ts";
import type { ObjectRecord } from "../store/objects.ts";
import { corruptRow } from "../store/record-hash.ts";
import { resultOf, settled } from "../base/settled.ts";
import { type OrgTx, pageSize } from "../store/store.ts";
import { readStored, readStoredOrNull } from "../store/stored-json.ts";
import { listContents, type PublishedHead } from "../store/versions.ts";
import { availabilityOf, type LiveVersion } from "./availability.ts";
import { CHECKS, type StoredVerdict } from "./stored-verdict.ts";
import type { Verdict } from "./verdict.ts";

/**
 * Converts forms of one object (R4). Only published versions with an outdated stored verdict (see verdict.ts) need
 * queries.
 *
 * @throws StoreError STORE_CORRUPT if a damaged index has led to a form of another object
 */
export async function toForms(tx: OrgTx, object: ObjectRecord, all: readonly FormParts[]): Promise<Form[]> {
  for (const { form } of all) if (form.object_id !== object.id) throw corruptRow("forms", form.id);
  const verdicts = await readVerdicts(
    tx,
    object,
    all.flatMap(({ layout }) => layout ?? []),
  );
  return all.map(({ form, types, layout }) => {
    const live = layout?.published && liveVersion(layout.published, verdicts);
    return {
      ...toForm(form, types, layout),
      ...availabilityOf({ form: { isActive: form.is_active === 1, types }, layout, live }),
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
  const outdated = new Map<string, PublishedHead>();
  for (const layout of layouts) {
    const { published } = layout;
    if (!published) continue;
    const stored = readStoredOrNull("layout_versions.verdict", published.verdict, published.id) as StoredVerdict | null;
    if (stored?.fieldsVersion === object.fields_version && stored.checks === CHECKS) verdicts.set(published.id, stored);
    else outdated.set(published.id, published);
  }
  if (outdated.size > 0) await judgeAgain(tx, object, outdated, verdicts);
  return verdicts;
}

async function judgeAgain(
  tx: OrgTx,
  object: ObjectRecord,
  outdated: ReadonlyMap<string, PublishedHead>,
  verdicts: Map<string, Verdict>,
): Promise<void> {
  // These modules are loaded only now. Most lists have nothing to check, and the checks are the largest part of the
  // engine.
  const { checkContent } = await import("./verdict.ts");
  const { readObjectCatalog } = await import("./catalog.ts");
  const catalog = settled(readObjectCatalog(tx, object));
  // The contents are long. A few are read at a time to limit memory use.
  const size = pageSize("layout_contents");
  const ids = [...outdated.keys()];
  for (let start = 0; start < ids.length; start += size) {
    const contents = await listContents(tx, ids.slice(start, start + size));
    const known = { ...resultOf(await catalog), modes: MODES };
    for (const { id, content } of contents) {
      const modes = modesOf(outdated.get(id)!);
      verdicts.set(id, checkContent(readStored("layout_contents.content", content, id), modes, known));
    }
  }
}

function modesOf({ id, supported_modes }: PublishedHead): Mode[] {
  return readStored("layout_versions.supported_modes", supported_modes, id);
}

export async function toOneForm(tx: OrgTx, object: ObjectRecord, parts: FormParts): Promise<Form> {
  const [form] = await toForms(tx, object, [parts]);
  return form!;
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
