/** The addresses on a command line: `staffing/candidate`, `staffing/candidate/Candidate profile`, a layout id. */

import { FormctlError, hasCode } from "../error.ts";
import type { FormAddress } from "../lists/forms.ts";
import { isIdentifier } from "../schemas/words.ts";
import { quoted } from "../shell-quote.ts";
import { type CommandContext, optionalArgument } from "./command.ts";

export type ObjectAddress = { moduleKey: string; objectKey: string };
export type { FormAddress };
export type LayoutAddress = { layoutId: string } | FormAddress;

/** Parses `staffing/candidate`. */
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

/**
 * Parses `staffing/candidate/Candidate profile`. A name may contain `/`, so only the first two slashes are separators.
 */
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

/** Parses a layout id, or the address of the form that owns the layout. */
export function parseLayout(text: string): LayoutAddress {
  if (text.includes("/")) return parseForm(text);
  requireIdentifier(text, "layout id");
  return { layoutId: text };
}

function requireIdentifier(text: string, what: string): void {
  // Refuses `..`, for example, because the text becomes a part of the request's path and would change it.
  if (!isIdentifier(text)) throw new FormctlError("USAGE", `has an invalid ${what} "${text}"`);
}

export function formatObject({ moduleKey, objectKey }: ObjectAddress): string {
  return `${moduleKey}/${objectKey}`;
}

/** Returns a form's address, quoted for a shell. */
export function formText(address: FormAddress): string {
  return quoted(`${formatObject(address)}/${address.form}`);
}

/** Returns a layout's address, quoted for a shell. */
export function layoutText(address: LayoutAddress): string {
  return "layoutId" in address ? quoted(address.layoutId) : formText(address);
}

/** The argument OBJECT, which is optional if the setting `object` is set. */
export const objectArgument = optionalArgument(
  "OBJECT",
  "MODULE/OBJECT; optional if the setting object is set",
  parseObject,
);

/**
 * Returns the object that the command line names. Without one, returns the object of the settings.
 *
 * @throws USAGE if both are missing or the setting is invalid
 */
export function chosenObject({ settings }: CommandContext, typed: ObjectAddress | undefined): ObjectAddress {
  if (typed) return typed;
  const configured = settings.get("object");
  if (configured === undefined) {
    throw new FormctlError(
      "USAGE",
      "missing argument OBJECT",
      "Specify it, such as staffing/candidate, or set a default: formctl config set object staffing/candidate",
    );
  }
  try {
    return parseObject(configured);
  } catch (error) {
    if (!hasCode(error, "USAGE")) throw error;
    throw new FormctlError(
      "USAGE",
      `the setting object ${error.message}`,
      "See the source of the setting: formctl config list",
    );
  }
}
