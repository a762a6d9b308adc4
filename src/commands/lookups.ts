/** Finds the form, layout or version that an address names. */

import { FormctlError } from "../error.ts";
import type { FormAnswer, FormListedAnswer, VersionAnswer } from "../schemas/answers.ts";
import { listAllForms } from "../lists/all-forms.ts";
import { nearest } from "../schemas/nearest.ts";
import { isIdentifier } from "../schemas/words.ts";
import { draftAmong, isStatusShown, latestAmong } from "../lists/versions.ts";
import { layoutIdOf, notShown, readLayout, type Service, ServiceError, unlessForbidden } from "../service.ts";
import { visible } from "../terminal/escape.ts";
import {
  type FormAddress,
  formatObject,
  formText,
  type LayoutAddress,
  type ObjectAddress,
  quoted,
} from "./addresses.ts";
import { ifReadable } from "./failed-command.ts";

/** Endpoints with paths like that of a form: no form has such an id. */
const RESERVED = new Set(["available", "defaults"]);

/** Statuses for an unknown id, or for a name in place of an id. */
const NOT_AN_ID = new Set([400, 404, 422]);

/**
 * Finds a form by id, then by name, and reads it: an item of the list may lack members of the record.
 *
 * @throws NOT_FOUND or AMBIGUOUS_NAME when no form or several forms have the name
 */
export async function findForm(service: Service, address: FormAddress): Promise<FormAnswer> {
  return (await locateForm(service, address)).form;
}

/** The same, with the list item of a form that was found by name. */
export async function locateForm(
  service: Service,
  address: FormAddress,
): Promise<{ form: FormAnswer; listed?: FormListedAnswer }> {
  const { moduleKey, objectKey, form: wanted } = address;
  if (isIdentifier(wanted) && !RESERVED.has(wanted)) {
    try {
      return { form: await service.getForm({ moduleKey, objectKey, formId: wanted }) };
    } catch (error) {
      if (!(error instanceof ServiceError) || !NOT_AN_ID.has(error.status)) throw error;
    }
  }
  const listed = await findNamed(service, address);
  return { form: await service.getForm({ moduleKey, objectKey, formId: listed.id }), listed };
}

/**
 * Finds the id of a form, and the form if the token may read it. If it may not, a text that is a valid id is used as the id: a
 * token may have permission to change forms but not to read them.
 */
export async function findFormId(
  service: Service,
  address: FormAddress,
): Promise<{ formId: string; form?: FormAnswer }> {
  try {
    const form = await findForm(service, address);
    return { formId: form.id, form };
  } catch (error) {
    const mayBeId = isIdentifier(address.form) && !RESERVED.has(address.form);
    if (mayBeId && error instanceof ServiceError && error.status === 403) return { formId: address.form };
    throw error;
  }
}

async function findNamed(service: Service, address: FormAddress): Promise<FormListedAnswer> {
  const { moduleKey, objectKey, form: wanted } = address;
  const forms = await listAllForms(service, { moduleKey, objectKey });
  const named = forms.filter((form) => form.name === wanted);
  const [only] = named;
  if (only && named.length === 1) return only;
  const object = formatObject(address);
  if (only) {
    throw new FormctlError(
      "AMBIGUOUS_NAME",
      `${named.length} forms of ${object} are named "${wanted}": ${named.map((form) => form.id).join(", ")}`,
      `Specify the id: ${object}/${only.id}`,
    );
  }
  throw missing(
    `the form "${wanted}" of ${object}`,
    wanted,
    forms.map((form) => form.name),
    (name) => `${object}/${name}`,
    `formctl forms list ${object}`,
  );
}

/** Finds the id of a layout, and the form that owns it for an address that names the form. */
export async function findLayoutId(
  service: Service,
  address: LayoutAddress,
): Promise<{ layoutId: string; form?: FormAnswer }> {
  if ("layoutId" in address) return { layoutId: address.layoutId };
  const form = await findForm(service, address);
  return { layoutId: layoutIdOf(form), form };
}

/**
 * Finds a version by id, number, `latest` (the newest published) or `draft`.
 *
 * @throws NOT_FOUND or AMBIGUOUS_NAME when the layout has no such version
 */
export async function findVersion(service: Service, layoutId: string, wanted: string): Promise<VersionAnswer> {
  const versions = await service.listVersions({ layoutId });
  const isWord = wanted === "draft" || wanted === "latest";
  const found = isWord
    ? isStatusShown(versions)
      ? wanted === "draft"
        ? draftAmong(versions)
        : latestAmong(versions)
      : await versionOfRecord(service, layoutId, wanted, versions)
    : versions.find((version) => version.id === wanted || String(version.version) === wanted);
  if (found) return found;
  const hint = `Specify the version by its id: formctl layouts versions get ${layoutId} ID; it has ${versions.map(({ id }) => id).join(", ")}`;
  if (isWord && !isStatusShown(versions))
    throw notShown(`which version of the layout ${layoutId} is the draft, and which is published`, hint);
  if (/^\d+$/.test(wanted) && versions.some(({ version }) => version === undefined))
    throw notShown(`the numbers of the versions of the layout ${layoutId}`, hint);
  const what = wanted === "draft" ? "a draft" : wanted === "latest" ? "a published version" : `the version ${wanted}`;
  const known = versions.map((version) => versionWords(version)).join(", ");
  throw new FormctlError(
    "NOT_FOUND",
    `the layout ${layoutId} does not have ${what}`,
    known
      ? `It has ${known}: formctl layouts versions list ${layoutId}`
      : "Save a draft first: formctl layouts draft push",
  );
}

/** The version with this role according to the layout's record, for a list of versions without statuses. */
export async function versionOfRecord(
  service: Service,
  layoutId: string,
  wanted: "draft" | "latest",
  versions: readonly VersionAnswer[],
): Promise<VersionAnswer | undefined> {
  const layout = await unlessForbidden(() => readLayout(service, layoutId));
  const id = wanted === "draft" ? layout?.latestDraftVersionId : layout?.currentVersionId;
  return id == null ? undefined : (versions.find((version) => version.id === id) ?? { id });
}

/** `2 (published)`, as far as the server reports it. */
function versionWords({ id, version, status }: VersionAnswer): string {
  return status === undefined ? String(version ?? id) : `${version ?? id} (${status.toLowerCase()})`;
}

/** An error that suggests the nearest name, or the command that lists the names. */
function missing(
  what: string,
  wanted: string,
  names: string[],
  address: (name: string) => string,
  listing: string,
): FormctlError {
  const near = nearest(wanted, names);
  const hint = near === undefined ? `List the forms: ${listing}` : `Did you mean ${quoted(address(near))}?`;
  return new FormctlError("NOT_FOUND", `${what} does not exist`, hint);
}

/** A form's address for a command that the user can type: by name, or by id if the name is ambiguous or has invisible characters. */
export async function typedForm(
  service: Service,
  object: ObjectAddress,
  { id, name }: Pick<FormAnswer, "id" | "name">,
): Promise<string> {
  const isTypeable = visible(name) === name && name.trim() === name;
  return formText({ ...object, form: isTypeable && (await isUnique(service, object, name)) ? name : id });
}

async function isUnique(service: Service, object: ObjectAddress, name: string): Promise<boolean> {
  const items = [{ field: "name", operator: "eq", value: name }] as const;
  // A token may have permission to create forms but not to list them.
  const forms = await ifReadable(() => listAllForms(service, object, { filters: { op: "and", items: [...items] } }));
  return forms?.filter((form) => form.name === name).length === 1;
}
