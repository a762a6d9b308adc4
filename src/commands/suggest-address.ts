/** Suggests the full address that a text can mean. A suggestion never sends a request to a server. */

import { FormctlError } from "../base/error.ts";
import { listFirstForms } from "../lists/forms.ts";
import { nearest } from "../base/nearest.ts";
import { isIdentifier } from "../schemas/words.ts";
import { ServiceError } from "../service.ts";
import { quoted } from "../base/shell-quote.ts";
import { configuredObject, parseObject } from "./addresses.ts";
import { formChoices, listChoices, objectChoices } from "./choices.ts";
import type { CommandContext } from "./command.ts";
import { objectText, type ObjectKey } from "../lists/addresses.ts";

/** Returns a hint with the form that the text can mean. */
export async function suggestForm(text: string, context: CommandContext): Promise<string> {
  const meant = await suggestion(text, context, () => formAddresses(context));
  return meant ?? "List the forms of an object: formctl forms list MODULE/OBJECT";
}

/** Returns a hint with the form or layout that the text can mean. */
export async function suggestLayout(text: string, context: CommandContext): Promise<string> {
  const layouts = async () => (await listChoices("layout", { context, input: {} })).map(({ value }) => value);
  return (await suggestion(text, context, layouts)) ?? "List the layouts: formctl layouts list";
}

/**
 * Returns a hint with the addresses that the text can mean. Returns undefined if none or too many match, or if the
 * target is a server.
 */
async function suggestion(
  text: string,
  { target }: CommandContext,
  read: () => Promise<string[]>,
): Promise<string | undefined> {
  const all = target.kind === "local" ? await unlessFailed(read) : undefined;
  const meant = addressesLike(text, all ?? []);
  if (meant.length === 0 || meant.length > MAX_SUGGESTIONS) return undefined;
  return `Did you mean ${meant.map((address) => quoted(address)).join(" or ")}?`;
}

const MAX_SUGGESTIONS = 5;

async function formAddresses(context: CommandContext): Promise<string[]> {
  const lists = await Promise.all(
    (await listObjects(context)).map((object) => formChoices(context, object, listFirstForms)),
  );
  return lists.flat().map(({ value }) => value);
}

/**
 * Searches in this order, and returns the first addresses that it finds:
 * - the addresses that end with the text
 * - the addresses that start with the text
 * - the most similar address
 */
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

/** Replaces the separators of other tools by slashes. An example is the period of `staffing.candidate`. */
const normalized = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replace(/^([\w-]+)[.:\\]([\w-]+)/, "$1/$2");

/** Refuses a text that is not the address of an object. @throws USAGE with the objects that it can mean */
export async function refuseObject(text: string, context: CommandContext): Promise<never> {
  const known = (await unlessFailed(() => knownObjects(context))) ?? [];
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

/** Returns an error with the known objects that the text can mean. Returns undefined if none or too many match. */
export async function objectError(text: string, context: CommandContext): Promise<FormctlError | undefined> {
  const meant = objectsLike(text, (await unlessFailed(() => knownObjects(context))) ?? []);
  return meant.length > 0 ? notAnObject(text, meant) : undefined;
}

type KnownObject = { address: string; words: string[] };

/**
 * Returns the objects that the text can mean. The rules are tried in this order, until a rule has a match:
 * - The text is the address or a name of the object.
 * - The text is the module of the object.
 * - The text is similar to the address or a name of the object.
 *
 * Returns none if more than `MAX_SUGGESTIONS` objects match.
 */
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

/** Returns the objects that are known without a request. `words` are other names of the object. */
async function knownObjects(context: CommandContext): Promise<KnownObject[]> {
  const configured = configuredObject(context.settings);
  const choices =
    context.target.kind === "local"
      ? await objectChoices(context)
      : configured
        ? [{ value: objectText(configured) }]
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

/** Returns the objects that a prompt would offer (see `objectChoices`). */
export async function listObjects(context: CommandContext): Promise<ObjectKey[]> {
  return (await objectChoices(context)).map(({ value }) => parseObject(value));
}

/**
 * Returns undefined if the service refuses a read or can't be reached. The user must see the original error. A failed
 * suggestion must not replace it.
 */
export async function unlessFailed<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof FormctlError || error instanceof ServiceError) return undefined;
    throw error;
  }
}
