/** Finds the id of a form or layout, and the version that an address names. */

import { FormctlError } from "../error.ts";
import type { FormAnswer, VersionAnswer } from "../schemas/answers.ts";
import { listAllForms, findForm, mayBeFormId } from "../lists/forms.ts";
import { draftAmong, isStatusShown, latestAmong } from "../lists/versions.ts";
import { layoutIdOf, notShown, readLayout, type Service, ServiceError, unlessForbidden } from "../service.ts";
import { visible } from "../terminal/escape.ts";
import { type FormAddress, formText, type LayoutAddress, type ObjectAddress } from "./addresses.ts";
import { ifReadable } from "./failed-command.ts";

/**
 * Finds the id of a form, and the form if the token may read it. If it may not, a text that is a valid id is used as
 * the id: a token may have permission to change forms but not to read them.
 */
export async function findFormId(
  service: Service,
  address: FormAddress,
): Promise<{ formId: string; form?: FormAnswer }> {
  try {
    const form = await findForm(service, address);
    return { formId: form.id, form };
  } catch (error) {
    if (mayBeFormId(address.form) && error instanceof ServiceError && error.status === 403)
      return { formId: address.form };
    throw error;
  }
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

/**
 * A form's address for a command that the user can type: by name, or by id if the name is ambiguous or has invisible
 * characters.
 */
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
