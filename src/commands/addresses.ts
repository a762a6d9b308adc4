/** How a person names things: `staffing/candidate`, `staffing/candidate/Candidate profile`, a layout, a version. */

import { FormctlError } from "../error.ts";
import type { FormAnswer, FormListedAnswer, VersionAnswer } from "../schemas/answers.ts";
import { listAllForms } from "../lists/all-forms.ts";
import { nearest } from "../schemas/nearest.ts";
import { isIdentifier } from "../schemas/identifier.ts";
import { draftAmong, isStatusShown, latestAmong } from "../lists/versions.ts";
import { layoutIdOf, notShown, readLayout, type Service, ServiceError, unlessForbidden } from "../service.ts";

export type ObjectAddress = { moduleKey: string; objectKey: string };
export type FormAddress = ObjectAddress & { form: string };
export type LayoutAddress = { layoutId: string } | FormAddress;

/** `staffing/candidate` */
export function parseObject(text: string): ObjectAddress {
  const parts = text.split("/");
  const [moduleKey, objectKey] = parts;
  if (parts.length !== 2 || !moduleKey || !objectKey) {
    throw new FormctlError("USAGE", `must be MODULE/OBJECT, such as staffing/candidate, not "${text}"`);
  }
  requireIdentifier(moduleKey, "module key");
  requireIdentifier(objectKey, "object key");
  return { moduleKey, objectKey };
}

/** `staffing/candidate/Candidate profile`: a name may hold `/`, so only the first two split. */
export function parseForm(text: string): FormAddress {
  const [moduleKey, objectKey, ...names] = text.split("/");
  const form = names.join("/");
  if (!moduleKey || !objectKey || !form.trim()) {
    throw new FormctlError(
      "USAGE",
      `must be MODULE/OBJECT/FORM with the form's name or id, such as "staffing/candidate/Candidate profile", not "${text}"`,
    );
  }
  requireIdentifier(moduleKey, "module key");
  requireIdentifier(objectKey, "object key");
  return { moduleKey, objectKey, form };
}

/** A layout's id, or a form whose own layout is meant. */
export function parseLayout(text: string): LayoutAddress {
  if (text.includes("/")) return parseForm(text);
  requireIdentifier(text, "layout id");
  return { layoutId: text };
}

function requireIdentifier(text: string, what: string): void {
  // An id of `..` would reach another endpoint: it is refused before a URL is made of it.
  if (!isIdentifier(text)) throw new FormctlError("USAGE", `"${text}" can't be a ${what}`);
}

export function formatObject({ moduleKey, objectKey }: ObjectAddress): string {
  return `${moduleKey}/${objectKey}`;
}

/** The address as it would be typed in a shell. */
export function quoted(text: string): string {
  return /^[\w./@=:-]+$/.test(text) ? text : `"${text.replace(/(["\\$`])/g, "\\$1")}"`;
}

/** A form's address as it would be typed in a shell. */
export function formText(address: FormAddress): string {
  return quoted(`${formatObject(address)}/${address.form}`);
}

/** A layout's address as it would be typed in a shell. */
export function layoutText(address: LayoutAddress): string {
  return "layoutId" in address ? quoted(address.layoutId) : formText(address);
}

/** Paths beside those of forms: no form has such an id. */
const NO_IDS = new Set(["available", "defaults"]);

/** What a server answers to an id that no form has, or to a name in the place of an id. */
const NO_SUCH_ID = new Set([400, 404, 422]);

/**
 * The form that an address means: its id first, then its name. It is read by its id in either case, because an item of a list
 * may lack members of the record.
 *
 * @throws NOT_FOUND, AMBIGUOUS_NAME when no form or several have the name
 */
export async function findForm(service: Service, address: FormAddress): Promise<FormAnswer> {
  return (await locateForm(service, address)).form;
}

/** The same, with what the list says of the form where the form was found by its name. */
export async function locateForm(
  service: Service,
  address: FormAddress,
): Promise<{ form: FormAnswer; listed?: FormListedAnswer }> {
  const { moduleKey, objectKey, form: wanted } = address;
  if (isIdentifier(wanted) && !NO_IDS.has(wanted)) {
    try {
      return { form: await service.getForm({ moduleKey, objectKey, formId: wanted }) };
    } catch (error) {
      if (!(error instanceof ServiceError) || !NO_SUCH_ID.has(error.status)) throw error;
    }
  }
  const listed = await findNamed(service, address);
  return { form: await service.getForm({ moduleKey, objectKey, formId: listed.id }), listed };
}

/**
 * The id of the form that an address means, and the form where it may be read: a token that may change forms need not be
 * allowed to read them. Then what could be an id is taken for one.
 */
export async function findFormId(
  service: Service,
  address: FormAddress,
): Promise<{ formId: string; form?: FormAnswer }> {
  try {
    const form = await findForm(service, address);
    return { formId: form.id, form };
  } catch (error) {
    const mayBeId = isIdentifier(address.form) && !NO_IDS.has(address.form);
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
      `Name one by its id: ${object}/${only.id}`,
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

/** The id of the layout that an address means, and the form that owns it where the address named one. */
export async function findLayoutId(
  service: Service,
  address: LayoutAddress,
): Promise<{ layoutId: string; form?: FormAnswer }> {
  if ("layoutId" in address) return { layoutId: address.layoutId };
  const form = await findForm(service, address);
  return { layoutId: layoutIdOf(form), form };
}

/**
 * A version by id, number, `latest` (the newest published) or `draft`.
 *
 * @throws NOT_FOUND, AMBIGUOUS_NAME when the layout has no such version
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

/** Where versions don't say which they are, the record of the layout may. */
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

/** `2 (published)`, as far as the server says it. */
function versionWords({ id, version, status }: VersionAnswer): string {
  return status === undefined ? String(version ?? id) : `${version ?? id} (${status.toLowerCase()})`;
}

/** A refusal that offers the nearest name there is, or the command that lists them. */
function missing(
  what: string,
  wanted: string,
  names: string[],
  address: (name: string) => string,
  listing: string,
): FormctlError {
  const near = nearest(wanted, names);
  const hint = near === undefined ? `See what there is: ${listing}` : `Did you mean ${quoted(address(near))}?`;
  return new FormctlError("NOT_FOUND", `${what} does not exist`, hint);
}
