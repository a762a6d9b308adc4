/**
 * Fills an empty store with the records that a server showed. All records except assignments keep their ids. The engine
 * does not check the records, because the server has already accepted them.
 */

import type { CopiedForm, CopiedLayout, CopiedVersion, CopySeed, ShownAvailability } from "../../local-service.ts";
import { canonicalJson } from "../../schemas/json.ts";
import { targetKey } from "../../schemas/target-key.ts";
import { insertAssignment, insertDefaults } from "../../store/assignments.ts";
import { replaceAccess } from "../../store/form-access.ts";
import { type FormRecord, insertForm, putDefault, replaceFormTypes } from "../../store/forms.ts";
import { insertLayout, insertLayoutModes, type LayoutRecord } from "../../store/layouts.ts";
import { findObject } from "../../store/objects.ts";
import { inOrganization, type OrgTx, type Store } from "../../store/store.ts";
import { insertContent, insertDraft, publishDraft, type VersionRecord } from "../../store/versions.ts";
import { readCatalog } from "../catalog.ts";
import type { NewId } from "../ids.ts";
import { storedContent, storedValidation } from "../stored-draft.ts";
import { verdictToStore } from "../stored-verdict.ts";
import { checkContent, type Verdict } from "../verdict.ts";
import { chooseOrganization } from "./choose-organization.ts";
import { seedOrganizations } from "./seed.ts";

type Seeding = { tx: OrgTx; now: string; newId: NewId };

/**
 * Inserts all records in one transaction.
 *
 * @throws ServiceError 400 with the problems that seed-problems.ts finds in `seed.organization`
 */
export function seedCopy(store: Store, seed: CopySeed, { now, newId }: { now: string; newId: NewId }): Promise<void> {
  return store.write(async (tx) => {
    await seedOrganizations(tx, { organizations: [seed.organization] }, newId);
    const { id } = await chooseOrganization(tx, seed.organization.key);
    const seeding = { tx: inOrganization(tx, id), now, newId };
    for (const form of seed.forms) await seedForm(seeding, form);
    for (const layout of seed.layouts) await seedLayout(seeding, layout);
  });
}

async function seedForm({ tx, now, newId }: Seeding, form: CopiedForm): Promise<void> {
  const { moduleKey, objectKey } = form.object;
  const object = await findObject(tx, moduleKey, objectKey);
  if (!object) throw new Error(`the copy has no object ${moduleKey}/${objectKey}`);
  const record: FormRecord = {
    id: form.id,
    org_id: tx.orgId,
    object_id: object.id,
    name: form.name,
    is_active: form.isActive ? 1 : 0,
    is_public: form.isPublic ? 1 : 0,
    public_token: form.isPublic ? newId("publicToken") : null,
    config: form.config && canonicalJson(form.config),
    created_at: now,
    updated_at: now,
  };
  await insertForm(tx, record);
  await replaceFormTypes(tx, record, form.types);
  const users = form.access.users.map(({ membershipId, types }) => ({ granteeId: membershipId, types }));
  const roles = form.access.roles.map(({ roleId, types }) => ({ granteeId: roleId, types }));
  await replaceAccess(tx, "membership", record, users);
  await replaceAccess(tx, "role", record, roles);
  for (const mode of form.defaultFor) await putDefault(tx, record, mode);
}

async function seedLayout({ tx, now, newId }: Seeding, layout: CopiedLayout): Promise<void> {
  const { id, surface, target, formId, name, metadata, modes, versions } = layout;
  const record: LayoutRecord = {
    id,
    org_id: tx.orgId,
    surface,
    target: JSON.stringify(target),
    target_key: targetKey(target),
    owner_form_id: formId,
    name,
    metadata: metadata && JSON.stringify(metadata),
    status: versions.some(({ status }) => status === "PUBLISHED") ? "ACTIVE" : "DRAFT",
    last_version: versions.length,
    created_at: now,
    updated_at: now,
  };
  await insertLayout(tx, record);
  if (formId === null) await insertLayoutModes(tx, record, modes);
  for (const [index, version] of versions.entries()) {
    await seedVersion(tx, { layout: record, version, number: index + 1, now });
  }
  for (const [position, { roleId, priority }] of layout.assignments.entries()) {
    const row = { id: newId("assignment"), org_id: tx.orgId, layout_id: id, role_id: roleId, priority, position };
    await insertAssignment(tx, row);
  }
  if (layout.isOrganizationDefault) await insertDefaults(tx, record, modes);
}

type SeededVersion = { layout: LayoutRecord; version: CopiedVersion; number: number; now: string };

async function seedVersion(tx: OrgTx, { layout, version, number, now }: SeededVersion): Promise<void> {
  const draft: VersionRecord = {
    id: version.id,
    org_id: layout.org_id,
    layout_id: layout.id,
    number,
    status: "DRAFT",
    supported_modes: JSON.stringify(version.modes),
    ...storedContent(version.content),
    // The validation of the server's draft is not copied: a publish validates the content again.
    ...storedValidation({ state: "valid", errors: [], warnings: [] }),
    source_version_id: null,
    created_at: now,
    published_at: null,
  };
  await insertContent(tx, draft);
  await insertDraft(tx, draft);
  if (version.status !== "PUBLISHED") return;
  const { shown } = version;
  const verdict = shown ? await shownVerdict(tx, layout, { ...version, shown }) : null;
  await publishDraft(tx, { ...draft, published_at: now, verdict });
}

/**
 * Returns the verdict that the server shows, so that the copy shows the same states although it lacks facts about
 * fields. It is valid until a step changes the fields. The content decides for modes that the server does not show.
 */
async function shownVerdict(
  tx: OrgTx,
  layout: LayoutRecord,
  { content, modes, shown }: CopiedVersion & { shown: ShownAvailability },
): Promise<string | null> {
  const known = { ...(await readCatalog(tx, layout)), modes };
  const { published, invalid, usable } = shown;
  const isComplete = usable !== undefined && modes.every((mode) => published.includes(mode) || invalid.includes(mode));
  const { errors, working }: Verdict = isComplete ? { errors: {}, working: [] } : checkContent(content, modes, known);
  for (const mode of published) delete errors[mode];
  for (const mode of invalid) errors[mode] = "the server reports it";
  const hidden = working.filter((mode) => !published.includes(mode));
  return verdictToStore(layout, known, { errors, working: usable ? [...usable, ...hidden] : working });
}
