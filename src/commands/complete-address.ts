/**
 * Finds the full address for a short one: an id alone, the name of a form of the default object, or the address of a
 * layout that plans print. If there is none, suggests the records that the text can mean.
 */

import { FormctlError, hasCode } from "../error.ts";
import { findForm, type FormAddress } from "../lists/forms.ts";
import { nearest } from "../nearest.ts";
import { isIdentifier, isSurface } from "../schemas/words.ts";
import { readLayout, type Service, ServiceError } from "../service.ts";
import { quoted } from "../shell-quote.ts";
import { mayBeShortId } from "../short-ids.ts";
import {
  configuredObject,
  formatObject,
  isPageAddress,
  type LayoutAddress,
  type ObjectAddress,
  parseObject,
  readForm,
} from "./addresses.ts";
import { formChoices, listChoices, objectChoices, pageOf } from "./choices.ts";
import type { CommandContext } from "./command.ts";

const EXPECTED_FORM = `must be MODULE/OBJECT/FORM with the form's name or id, such as "staffing/candidate/Candidate profile"`;

/** The id of a form or layout, as formctl's own service creates it, or a number or UUID of another server. */
const ID = /^([a-z]{3}_[A-Za-z0-9-]+|\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Returns the full address of a form. @throws USAGE if the text does not name a form */
export async function completeForm(text: string, context: CommandContext): Promise<FormAddress> {
  if (text.trim() === "") throw new FormctlError("USAGE", "is empty", `It ${EXPECTED_FORM}.`);
  const found = ID.test(text) ? await findById(text, context) : undefined;
  if (found) return found;
  const object = configuredObject(context.settings);
  if (object) return { ...object, form: text };
  if (/^frm_\w+$/.test(text) && context.target.kind === "local") {
    const hint = "List the forms of an object: formctl forms list MODULE/OBJECT";
    throw new FormctlError("NOT_FOUND", `the form ${text} does not exist`, hint);
  }
  if (ID.test(text) && context.target.kind === "remote") {
    throw new FormctlError(
      "USAGE",
      `is the id ${text} without its object, which requests to a server require`,
      `Specify it as MODULE/OBJECT/${text}, or set the default object: formctl config set object MODULE/OBJECT`,
    );
  }
  throw new FormctlError("USAGE", `${EXPECTED_FORM}, not "${text}"`, await suggestForm(text, context));
}

/** Finds the object of a form by the form's id or the start of it. Only a local store lists its objects, so undefined for a server. */
async function findById(formId: string, context: CommandContext): Promise<FormAddress | undefined> {
  if (context.target.kind === "remote") return undefined;
  const service = await context.service();
  for (const object of await listObjects(context)) {
    try {
      const find = () => findForm(service, { ...object, form: formId });
      const { id } = await (mayBeShortId(formId) ? find() : service.getForm({ ...object, formId }));
      return { ...object, form: id };
    } catch (error) {
      const isMissing = error instanceof ServiceError ? error.status === 404 : hasCode(error, "NOT_FOUND");
      if (!isMissing) throw error;
    }
  }
  return undefined;
}

async function listObjects(context: CommandContext): Promise<ObjectAddress[]> {
  return (await objectChoices(context)).map(({ value }) => parseObject(value));
}

/** Returns a hint with the form that the text can mean. */
async function suggestForm(text: string, context: CommandContext): Promise<string> {
  const meant = await suggestion(text, context, () => formAddresses(context));
  return meant ?? "List the forms of an object: formctl forms list MODULE/OBJECT";
}

/** Returns a hint with the form or layout that the text can mean. */
async function suggestLayout(text: string, context: CommandContext): Promise<string> {
  const layouts = async () => (await listChoices("layout", { context, input: {} })).map(({ value }) => value);
  return (await suggestion(text, context, layouts)) ?? "List the layouts: formctl layouts list";
}

/** Returns a hint with the addresses that the text can mean, if it is one or a few. For a server, reads nothing. */
async function suggestion(
  text: string,
  { target }: CommandContext,
  read: () => Promise<string[]>,
): Promise<string | undefined> {
  const all = target.kind === "local" ? await ifReadable(read) : undefined;
  const meant = addressesLike(text, all ?? []);
  if (meant.length === 0 || meant.length > MAX_SUGGESTIONS) return undefined;
  return `Did you mean ${meant.map((address) => quoted(address)).join(" or ")}?`;
}

const MAX_SUGGESTIONS = 5;

async function formAddresses(context: CommandContext): Promise<string[]> {
  const lists = await Promise.all((await listObjects(context)).map((object) => formChoices(context, object)));
  return lists.flat().map(({ value }) => value);
}

/** Returns the addresses that end with the text, or else start with it, or else the most similar one. */
function addressesLike(text: string, addresses: readonly string[]): string[] {
  const wanted = normalized(text);
  const ending = addresses.filter((address) => `/${normalized(address)}`.endsWith(`/${wanted}`));
  if (ending.length > 0) return ending;
  const starting = addresses.filter((address) => normalized(address).startsWith(`${wanted}/`));
  if (starting.length > 0) return starting;
  const nameOf = (address: string) => address.slice(address.lastIndexOf("/") + 1);
  const near = nearest(text, addresses) ?? nearest(text, addresses.map(nameOf));
  return addresses.filter((address) => near !== undefined && (address === near || nameOf(address) === near));
}

/** Replaces the separators of other tools, such as the period of `staffing.candidate`, by slashes. */
const normalized = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replace(/^([\w-]+)[.:\\]([\w-]+)/, "$1/$2");

/** Refuses a text that is not the address of an object. @throws USAGE with the objects that it can mean */
export async function refuseObject(text: string, context: CommandContext): Promise<never> {
  const known = (await ifReadable(() => knownObjects(context))) ?? [];
  const wanted = normalized(text);
  const meant = objectsLike(text, known);
  if (meant.length === 0 && context.target.kind === "remote" && isObject(wanted)) meant.push(wanted);
  const listed = known.slice(0, MAX_SUGGESTIONS).map(({ address }) => address);
  throw notAnObject(text, meant, listed);
}

function notAnObject(text: string, meant: readonly string[], listed: readonly string[] = []): FormctlError {
  const objects = listed.length > 0 ? `Objects: ${listed.join(", ")}` : undefined;
  return new FormctlError(
    "USAGE",
    `must be MODULE/OBJECT, such as staffing/candidate, not "${text}"`,
    meant.length > 0 ? `Did you mean ${meant.join(" or ")}?` : objects,
  );
}

/**
 * Returns the address of an object, a form or a layout, for a command that takes all of them.
 *
 * @throws USAGE, NOT_FOUND or AMBIGUOUS_NAME
 */
export async function completeAny(text: string, context: CommandContext): Promise<LayoutAddress> {
  try {
    return await completeLayout(text, context);
  } catch (error) {
    if (!hasCode(error, "USAGE", "NOT_FOUND") || context.target.kind === "remote") throw error;
    const meant = objectsLike(text, (await ifReadable(() => knownObjects(context))) ?? []);
    throw meant.length > 0 ? notAnObject(text, meant) : error;
  }
}

type KnownObject = { address: string; words: string[] };

/** Returns the objects that have the text as a name or as their module, or else a similar name. */
function objectsLike(text: string, known: readonly KnownObject[]): string[] {
  const wanted = normalized(text);
  const near = nearest(
    wanted,
    known.flatMap(({ address, words }) => [address, ...words]),
  );
  const tests = [
    ({ address, words }: KnownObject) => address === wanted || words.includes(wanted),
    ({ address }: KnownObject) => address.startsWith(`${wanted}/`),
    ({ address, words }: KnownObject) => near !== undefined && [address, ...words].includes(near),
  ];
  const found = tests.map((test) => known.filter(test)).find((some) => some.length > 0) ?? [];
  return found.length > MAX_SUGGESTIONS ? [] : found.map(({ address }) => address);
}

/** Returns the objects that are known without a request, each with the other words that name it. */
async function knownObjects(context: CommandContext): Promise<KnownObject[]> {
  const configured = configuredObject(context.settings);
  const choices =
    context.target.kind === "local"
      ? await objectChoices(context)
      : configured
        ? [{ value: formatObject(configured) }]
        : [];
  return choices.map((choice) => {
    const name = "description" in choice ? choice.description : undefined;
    const { objectKey } = parseObject(choice.value);
    return {
      address: choice.value,
      words: [objectKey, ...(name === undefined ? [] : [name])].map((word) => word.toLowerCase()),
    };
  });
}

const isObject = (text: string) => text.split("/").length === 2 && text.split("/").every(isIdentifier);

/** Returns the id of a layout, or the address of the form that owns it. @throws USAGE, NOT_FOUND or AMBIGUOUS_NAME */
export async function completeLayout(text: string, context: CommandContext): Promise<LayoutAddress> {
  if (isPageAddress(text)) return findPage(text, context);
  if (/^frm_\w+$/.test(text)) return completeForm(text, context);
  const object = configuredObject(context.settings);
  if (!isIdentifier(text)) {
    if (object) return { ...object, form: text };
    if (text.includes("/") || text.trim() === "") return completeForm(text, context);
    throw new FormctlError("USAGE", `has an invalid layout id "${text}"`, await suggestLayout(text, context));
  }
  if (ID.test(text) || (!object && context.target.kind === "remote")) return { layoutId: text };
  const service = await context.service();
  try {
    if (object) return { ...object, form: (await findForm(service, { ...object, form: text })).id };
  } catch (error) {
    // Some servers have words as the ids of layouts.
    if (!hasCode(error, "NOT_FOUND") || !(await layoutExists(service, text))) throw error;
  }
  if (object || (await layoutExists(service, text))) return { layoutId: text };
  const hint = /\.(ya?ml|json)$/.test(text)
    ? "Specify the layout before the file: formctl layouts draft push LAYOUT FILE"
    : await suggestLayout(text, context);
  throw new FormctlError("NOT_FOUND", `the layout ${text} does not exist`, hint);
}

async function layoutExists(service: Service, layoutId: string): Promise<boolean> {
  const layout = await ifReadable(() => readLayout(service, layoutId));
  return layout !== undefined;
}

/**
 * Finds a layout that no form owns, by its address.
 *
 * @throws NOT_FOUND that suggests a similar address, AMBIGUOUS_NAME with the ids, NOT_FOUND if the server does not list
 *   layouts
 */
async function findPage(text: string, context: CommandContext): Promise<LayoutAddress> {
  const service = await context.service();
  const [surface = ""] = text.split(/[ /]/, 1);
  const query = isSurface(surface) ? { surface } : {};
  const listed = await service.listLayouts({ query }).catch((error: unknown) => {
    if (!(error instanceof ServiceError) || (error.status !== 404 && error.status !== 405)) throw error;
    throw new FormctlError("NOT_FOUND", "this server does not list layouts", "Specify the layout by its id.");
  });
  const matches = listed.filter((layout) => pageOf(layout) === text);
  const [only, ...others] = matches;
  if (only && others.length === 0) return { layoutId: only.id };
  if (only) {
    const ids = matches.map(({ id }) => id).join(", ");
    throw new FormctlError(
      "AMBIGUOUS_NAME",
      `${matches.length} layouts have the address "${text}": ${ids}`,
      `Specify the id: ${only.id}`,
    );
  }
  // The key of a module may be the name of a surface.
  const form = readForm(text);
  if (form) return form;
  const pages = listed.flatMap((layout) => pageOf(layout) ?? []);
  const name = text.slice(text.indexOf("/") + 1);
  const named = pages.filter((page) => page.endsWith(`/${name}`));
  const near = named.length === 1 ? named[0] : nearest(text, pages);
  throw new FormctlError(
    "NOT_FOUND",
    `the layout "${text}" does not exist`,
    near === undefined ? `List the layouts: formctl layouts list` : `Did you mean ${quoted(near)}?`,
  );
}

async function ifReadable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof FormctlError || error instanceof ServiceError) return undefined;
    throw error;
  }
}
