/** The rules that create, update and delete forms. */

import { MODES } from "../schemas/words.ts";
import { canonicalJson } from "../schemas/json.ts";
import type { Mode } from "../schemas/form.ts";
import type { Output, ParsedInput } from "../schemas/operations.ts";
import { deleteEmptyAccess } from "../store/form-access.ts";
import {
  listDefaults,
  deleteForm,
  type FormRecord,
  insertForm,
  insertFormTypes,
  replaceFormTypes,
  trashUploads,
  updateForm,
} from "../store/forms.ts";
import { findObjectAddress, type ObjectRecord } from "../store/objects.ts";
import type { OrgTx } from "../store/store.ts";
import { toOneForm } from "./form-records.ts";
import { createOwnedLayout } from "./new-layout.ts";
import { conflict } from "./refuse.ts";
import type { PathRecords, Rules, RuleContext } from "./rule.ts";

export const formRules = {
  createForm,
  updateForm: changeForm,
  deleteForm: removeForm,
} satisfies Partial<Rules>;

/**
 * Creates a form and its only layout (R7, R63).
 *
 * @throws ServiceError 409 OBJECT_IS_SUBORDINATE (R10)
 */
async function createForm(
  context: RuleContext & PathRecords<"createForm">,
  { body }: ParsedInput<"createForm">,
): Promise<Output<"createForm">> {
  const { tx, object, now } = context;
  if (object.kind === "SUBORDINATE") throw await isSubordinate(tx, object);
  const form: FormRecord = {
    id: context.newId("form"),
    org_id: object.org_id,
    object_id: object.id,
    name: body.name,
    is_active: body.isActive ? 1 : 0,
    is_public: body.isPublic ? 1 : 0,
    public_token: body.isPublic ? context.newId("publicToken") : null,
    config: configText(body.config),
    created_at: now,
    updated_at: now,
  };
  await insertForm(tx, form);
  await insertFormTypes(tx, form, body.types);
  const { id, name } = await createOwnedLayout(context, object, { id: form.id, name: form.name, types: body.types });
  return toOneForm(tx, object, { form, types: body.types, layout: { id, name, published: undefined } });
}

/**
 * Changes the members that the body names, in one transaction (R66). If no value changes, `updatedAt` stays the same.
 *
 * @throws ServiceError 409 FORM_TYPE_IS_DEFAULT if the form would lose a mode for which it is the default (R75)
 * @throws ServiceError 409 FORM_IS_DEFAULT if a default form would become inactive (R78)
 */
async function changeForm(
  context: RuleContext & PathRecords<"updateForm">,
  { body }: ParsedInput<"updateForm">,
): Promise<Output<"updateForm">> {
  const { tx, object, form, parts } = context;
  const isPublic = body.isPublic ?? form.is_public === 1;
  const changed: FormRecord = {
    ...form,
    name: body.name ?? form.name,
    config: body.config === undefined ? form.config : configText(body.config),
    is_active: (body.isActive ?? form.is_active === 1) ? 1 : 0,
    is_public: isPublic ? 1 : 0,
    public_token: isPublic ? (form.public_token ?? context.newId("publicToken")) : null,
    updated_at: context.now,
  };
  const { types } = parts;
  const newTypes = body.types ?? types;
  // The order of modes has no meaning (R16). The same set in another order is not a change.
  const sameTypes = newTypes.length === types.length && types.every((mode) => newTypes.includes(mode));
  const members = ["name", "config", "is_active", "is_public"] as const;
  if (sameTypes && members.every((member) => changed[member] === form[member])) return toOneForm(tx, object, parts);

  const defaults = await defaultModes(context);
  const removedDefaults = defaults.filter((mode) => !newTypes.includes(mode));
  if (removedDefaults.length > 0) throw typesAreDefault(object, form, removedDefaults);
  if (changed.is_active === 0 && defaults.length > 0) throw isDefault(object, form, defaults);

  await updateForm(tx, changed);
  if (!sameTypes) {
    // The owned layout has no modes of its own. It uses the modes of the form (R59).
    await replaceFormTypes(tx, form, newTypes);
    // A cascade has deleted the removed modes from the access rows (R74). A row without modes grants no access.
    await deleteEmptyAccess(tx, "membership", form.id);
    await deleteEmptyAccess(tx, "role", form.id);
  }
  return toOneForm(tx, object, { ...parts, form: changed, types: sameTypes ? types : newTypes });
}

/**
 * Deletes a form with its layout, versions and access rows (R83). Marks for removal the files that were uploaded
 * through the form.
 *
 * @throws ServiceError 409 FORM_IS_DEFAULT (R60)
 */
async function removeForm(context: RuleContext & PathRecords<"deleteForm">): Promise<void> {
  const { tx, object, form } = context;
  const defaults = await defaultModes(context);
  if (defaults.length > 0) throw isDefault(object, form, defaults);
  await trashUploads(tx, form.id, context.now);
  await deleteForm(tx, form.id);
}

/** Returns the modes for which the form is the object's default. */
async function defaultModes({ tx, object, form }: RuleContext & PathRecords<"updateForm">): Promise<Mode[]> {
  const defaults = await listDefaults(tx, object.id);
  return MODES.filter((mode) => defaults.some((one) => one.mode === mode && one.form_id === form.id));
}

/** Returns canonical JSON, so that equal configs have equal texts. */
function configText(config: Record<string, unknown> | null): string | null {
  return config === null ? null : canonicalJson(config);
}

function isDefault(object: ObjectRecord, form: FormRecord, modes: readonly Mode[]) {
  return conflict(
    "FORM_IS_DEFAULT",
    `"${form.name}" is the default for ${modes.join(", ")}. ${clearing(object, modes)}`,
  );
}

function typesAreDefault(object: ObjectRecord, form: FormRecord, modes: readonly Mode[]) {
  const names = modes.join(", ");
  return conflict(
    "FORM_TYPE_IS_DEFAULT",
    `"${form.name}" is the default for ${names}, so ${names} can't be removed. ${clearing(object, modes)}`,
  );
}

function clearing(object: ObjectRecord, modes: readonly Mode[]): string {
  return `Clear it first: formctl forms defaults clear ${object.module_key}/${object.key} ${modes.join(" ")}`;
}

/** Returns the 409 error for a subordinate object, which has no forms (R10). */
export async function isSubordinate(tx: OrgTx, { module_key: module, key, parent_object_id: parentId }: ObjectRecord) {
  const parent = parentId === null ? undefined : await findObjectAddress(tx, parentId);
  const name = parent === undefined ? "its parent object" : `its parent object ${parent}`;
  return conflict(
    "OBJECT_IS_SUBORDINATE",
    `${module}/${key} is a subordinate object, and subordinate objects have no forms. Use the forms of ${name}`,
  );
}
