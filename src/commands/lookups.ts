/** Finds the id of a form or layout by its address. Finds a version by its id, its number or a word. */

import { FormctlError, hasCode } from "../base/error.ts";
import type { FormAnswer, VersionAnswer } from "../schemas/answers.ts";
import { findForm, listFormsNamed, mayBeFormId } from "../lists/forms.ts";
import { currentVersion, isStatusShown } from "../lists/versions.ts";
import { layoutIdOf, notShown, type Service, ServiceError } from "../service.ts";
import { findByShortId, mayBeShortId } from "../base/short-ids.ts";
import { visible } from "../terminal/escape.ts";
import { type FormAddress, formText, type LayoutAddress } from "./addresses.ts";
import { ifReadable } from "./failed-command.ts";
import { quoted } from "../base/shell-quote.ts";
import { numberAndStatus } from "./version-text.ts";
import type { ObjectKey } from "../lists/addresses.ts";

/**
 * Finds the id of a form, and returns the form too. If the token has no permission to read forms, but the address has
 * an id, returns this id unchanged without the form. Such a token can still have the permission to change forms.
 */
export async function findFormId(
  service: Service,
  address: FormAddress,
): Promise<{ formId: string; form?: FormAnswer }> {
  try {
    return await requireForm(service, address);
  } catch (error) {
    if (mayBeFormId(address.form) && error instanceof ServiceError && error.status === 403)
      return { formId: address.form };
    throw error;
  }
}

/** Finds a form and its id. For a command that requires the permission to read the form. */
export async function requireForm(
  service: Service,
  address: FormAddress,
): Promise<{ formId: string; form: FormAnswer }> {
  const form = await findForm(service, address);
  return { formId: form.id, form };
}

/** Finds the id of a layout. For the address of a form, also returns the form. */
export async function findLayoutId(
  service: Service,
  address: LayoutAddress,
): Promise<{ layoutId: string; form?: FormAnswer }> {
  if ("layoutId" in address) return { layoutId: await wholeLayoutId(service, address.layoutId) };
  const form = await findForm(service, address);
  return { layoutId: layoutIdOf(form), form };
}

/**
 * Returns the layout id that starts with the given text. Returns the text unchanged if it can't be a shortened id. Also
 * returns it unchanged if no listed id starts with it.
 *
 * @throws AMBIGUOUS_NAME if several ids start with the text
 */
export async function wholeLayoutId(service: Service, text: string): Promise<string> {
  if (!mayBeShortId(text)) return text;
  // A server may offer no list of layouts to this token. Then the user can't have copied a shortened id from a list.
  // The text is used unchanged.
  const layouts = await ifListed(() => service.listLayouts({ query: {} }));
  if (layouts.some(({ id }) => id === text)) return text;
  return findByShortId(layouts, text, "layouts")?.id ?? text;
}

/** The statuses of an answer if the server does not offer a list to the token. */
const NOT_LISTED = new Set([403, 404, 405]);

/** Returns a list. Returns an empty list if the server does not offer the list to the token. */
export async function ifListed<T>(read: () => Promise<T[]>): Promise<T[]> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ServiceError && NOT_LISTED.has(error.status)) return [];
    throw error;
  }
}

/**
 * Finds a version by one of these:
 * - its id, or a unique start of its id
 * - its number
 * - `latest`: the newest published version
 * - `draft`
 *
 * @throws NOT_FOUND if the layout has no such version
 * @throws AMBIGUOUS_NAME if several ids start with the text
 * @throws NOT_SHOWN if the server does not return statuses or numbers
 */
export async function findVersion(service: Service, layoutId: string, wanted: string): Promise<VersionAnswer> {
  const versions = await service.listVersions({ layoutId });
  const isWord = wanted === "draft" || wanted === "latest";
  const found = isWord
    ? await currentVersion(service, layoutId, wanted, versions)
    : (versions.find((version) => version.id === wanted || String(version.version) === wanted) ??
      findByShortId(versions, wanted, `versions of the layout ${layoutId}`));
  if (found) return found;
  const hint = `Specify the version by its id: formctl layouts versions get ${quoted(layoutId)} ID; it has ${versions.map(({ id }) => id).join(", ")}`;
  if (isWord && !isStatusShown(versions))
    throw notShown(`which version of the layout ${layoutId} is the draft, and which is published`, hint);
  if (/^\d+$/.test(wanted) && versions.some(({ version }) => version === undefined))
    throw notShown(`the numbers of the versions of the layout ${layoutId}`, hint);
  const what = wanted === "draft" ? "a draft" : wanted === "latest" ? "a published version" : `the version ${wanted}`;
  const known = versions.map((version) => numberAndStatus(version)).join(", ");
  throw new FormctlError(
    "NOT_FOUND",
    `the layout ${layoutId} does not have ${what}`,
    known && wanted !== "draft"
      ? `It has ${known}: formctl layouts versions list ${quoted(layoutId)}`
      : `Save a draft first: formctl layouts edit ${quoted(layoutId)}`,
  );
}

/** Like `findVersion`, but returns undefined if the layout has no such version. */
export async function findVersionIfAny(
  service: Service,
  layoutId: string,
  wanted: "draft" | "latest",
): Promise<VersionAnswer | undefined> {
  try {
    return await findVersion(service, layoutId, wanted);
  } catch (error) {
    if (hasCode(error, "NOT_FOUND")) return undefined;
    throw error;
  }
}

/**
 * Completes the value of an option such as `--expect-draft`: for a unique start of a version's id, returns the whole id.
 * Returns any other value unchanged, such as null.
 *
 * @throws AMBIGUOUS_NAME if several ids start with the text
 */
export async function wholeVersionId<T extends string | null | undefined>(
  service: Service,
  layoutId: string,
  text: T,
): Promise<T | string> {
  if (typeof text !== "string" || !mayBeShortId(text)) return text;
  const versions = await service.listVersions({ layoutId });
  if (versions.some(({ id }) => id === text)) return text;
  return findByShortId(versions, text, `versions of the layout ${layoutId}`)?.id ?? text;
}

/**
 * Returns a form's address for a command that the user can type. The address has the form's name. An ambiguous or
 * untypeable name is replaced with the form's id.
 */
export async function typedForm(
  service: Service,
  object: ObjectKey,
  form: Pick<FormAnswer, "id" | "name">,
): Promise<string> {
  return shortestAddress(object, form, isTypeable(form.name) && (await isUnique(service, object, form.name)));
}

/** Like {@link typedForm}, without a request. @param isOnly whether no other form of the object has the name */
export function shortestAddress(
  object: ObjectKey,
  { id, name }: Pick<FormAnswer, "id" | "name">,
  isOnly: boolean,
): string {
  return formText({ ...object, form: isOnly && isTypeable(name) ? name : id });
}

/** Whether a user can type the name. The name must have no invisible characters, and no spaces at its ends. */
export const isTypeable = (name: string): boolean => visible(name) === name && name.trim() === name;

async function isUnique(service: Service, object: ObjectKey, name: string): Promise<boolean> {
  // A token may have permission to publish layouts but not to list forms. The name then counts as ambiguous.
  const forms = await ifReadable(() => listFormsNamed(service, object, name));
  return forms?.length === 1;
}
