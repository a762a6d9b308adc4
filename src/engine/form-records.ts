/** Form records as the API shows them: with their modes, their layout, and what the layout can do. */

import { MODES } from "../schemas/words.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { Form, Mode } from "../schemas/form.ts";
import { type FormRecord, listFormTypes, listOwnedLayouts, type OwnedLayout } from "../store/forms.ts";
import type { Tx } from "../store/store.ts";
import { readStored, readStoredOrNull } from "../store/stored-json.ts";
import { listContents } from "../store/versions.ts";
import { availabilityOf, CHECKS, type LiveVersion } from "./availability.ts";
import type { StoredVerdict, Verdict } from "./verdict.ts";

/**
 * Any number of forms with a fixed number of queries.
 *
 * @param records forms of ONE object (R4): its fields are asked about once for all of them
 */
export async function toForms(tx: Tx, records: readonly FormRecord[]): Promise<Form[]> {
  const formIds = records.map((record) => record.id);
  const types = await typesOfForms(tx, formIds);
  const layouts = await listOwnedLayouts(tx, formIds);
  const layoutOf = new Map(layouts.map((layout) => [layout.owner_form_id, layout]));
  const liveOf = await liveVersions(tx, layouts);
  return records.map((record) => {
    const layout = layoutOf.get(record.id);
    const live = layout && liveOf.get(layout.id);
    const modes = types.get(record.id) ?? [];
    return {
      ...toForm(record, modes, layout),
      ...availabilityOf({ form: { isActive: record.is_active === 1, types: modes }, layout, live }),
    };
  });
}

/** A layout with a runtime version. */
type LiveLayout = OwnedLayout & { version_id: string; supported_modes: string };

/**
 * The runtime versions of layouts with a verdict each, by the layout's id. The verdict of publishing holds until the
 * object's fields change, or the program's checks do; after that the content is read and judged again.
 */
async function liveVersions(tx: Tx, layouts: readonly OwnedLayout[]): Promise<Map<string, LiveVersion>> {
  const live = layouts.filter((layout): layout is LiveLayout => layout.version_id !== null);
  const verdicts = new Map<string, Verdict>();
  for (const { version_id, verdict, fields_version } of live) {
    const stored =
      verdict === null ? undefined : readStored<StoredVerdict>("layout_versions.verdict", verdict, version_id);
    if (stored?.fieldsVersion === fields_version && stored.checks === CHECKS) verdicts.set(version_id, stored);
  }
  const outdated = live.filter(({ version_id }) => !verdicts.has(version_id));
  for (const [id, verdict] of await judgeAgain(tx, outdated)) verdicts.set(id, verdict);
  return new Map(
    live.map((layout) => {
      const verdict = verdicts.get(layout.version_id)!;
      return [layout.id, { id: layout.version_id, modes: modesOf(layout), verdict }];
    }),
  );
}

async function judgeAgain(tx: Tx, layouts: readonly LiveLayout[]): Promise<Map<string, Verdict>> {
  const verdicts = new Map<string, Verdict>();
  // Any of them will do: all are of one object, and have the same fields.
  const [anyLayout] = layouts;
  if (!anyLayout) return verdicts;
  // Most lists have nothing to judge, and the checks are the largest part of the engine.
  const { judgeContent } = await import("./verdict.ts");
  const { knownFor } = await import("./knowledge.ts");
  const known = await knownFor(tx, anyLayout, MODES);
  const layoutOf = new Map(layouts.map((layout) => [layout.version_id, layout]));
  // One after the other: contents are long, and a hundred of them are more than a process should hold at once.
  for (const [versionId, layout] of layoutOf) {
    for (const { id, content } of await listContents(tx, [versionId])) {
      const shown = readStored<DraftContent>("layout_contents.content", content, id);
      verdicts.set(id, judgeContent(shown, modesOf(layout), known));
    }
  }
  return verdicts;
}

function modesOf({ version_id, supported_modes }: LiveLayout): Mode[] {
  return readStored<Mode[]>("layout_versions.supported_modes", supported_modes, version_id);
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
    config: readStoredOrNull<Record<string, unknown>>("forms.config", record.config, record.id),
    // Only a damaged store has a form without a layout (R7): such a form is still shown, with the state MISSING.
    viewLayoutId: layout?.id ?? "",
    viewLayoutName: layout?.name ?? "",
    createdAt: record.created_at,
    updatedAt: record.updated_at,
  };
}
