/** The addresses on a command line: `staffing/candidate`, `staffing/candidate/Candidate profile`, a layout id. */

import { FormctlError, hasCode } from "../base/error.ts";
import type { FormAddress } from "../lists/forms.ts";
import { isPageAddress, type ObjectKey, objectText } from "../lists/addresses.ts";
import type { LoadedSettings } from "../config/settings.ts";
import { isIdentifier } from "../schemas/words.ts";
import { quoted } from "../base/shell-quote.ts";

export type { FormAddress };
export type LayoutAddress = { layoutId: string } | FormAddress;

/**
 * A text that is not the full address of a form or layout, such as a form's name alone. The module complete-address.ts
 * finds the full address, or reports the expected format.
 */
export type ShortAddress = { short: string };

/** Parses `staffing/candidate`. @throws USAGE */
export function parseObject(text: string): ObjectKey {
  const object = readObject(text);
  if (object) return object;
  const [moduleKey, objectKey, ...more] = text.split("/");
  if (!moduleKey || !objectKey || more.length > 0)
    throw new FormctlError("USAGE", `must be MODULE/OBJECT, such as staffing/candidate, not "${text}"`);
  requireIdentifier(moduleKey, "module key");
  requireIdentifier(objectKey, "object key");
  return { moduleKey, objectKey };
}

function readObject(text: string): ObjectKey | undefined {
  const [moduleKey = "", objectKey = "", ...more] = text.split("/");
  return more.length === 0 && isIdentifier(moduleKey) && isIdentifier(objectKey) ? { moduleKey, objectKey } : undefined;
}

export function parseObjectArgument(text: string): ObjectKey | ShortAddress {
  return readObject(text) ?? { short: text };
}

/**
 * Returns the address in `staffing/candidate/Candidate profile`. A name may contain `/`, so only the first two slashes
 * are separators. Undefined if the text is no full address.
 */
export function readForm(text: string): FormAddress | undefined {
  const [moduleKey = "", objectKey = "", ...names] = text.split("/");
  const form = names.join("/");
  return isIdentifier(moduleKey) && isIdentifier(objectKey) && form.trim() ? { moduleKey, objectKey, form } : undefined;
}

/** Parses the argument FORM. */
export function parseForm(text: string): FormAddress | ShortAddress {
  return readForm(text) ?? { short: text };
}

/**
 * Parses the argument LAYOUT:
 * - a layout id
 * - the address of a form, for the layout of the form
 * - the address of a layout that no form owns ({@link isPageAddress})
 */
export function parseLayout(text: string): LayoutAddress | ShortAddress {
  if (/^lay_\w+$/.test(text)) return { layoutId: text };
  return (isPageAddress(text) ? undefined : readForm(text)) ?? { short: text };
}

function requireIdentifier(text: string, what: string): void {
  // The text becomes a part of the request's path. For example, `..` would change the path.
  if (!isIdentifier(text)) throw new FormctlError("USAGE", `has an invalid ${what} "${text}"`);
}

/** Returns a form's address, quoted for a shell. */
export function formText(address: FormAddress): string {
  return quoted(`${objectText(address)}/${address.form}`);
}

/** Returns a layout's address, quoted for a shell. */
export function layoutText(address: LayoutAddress): string {
  return "layoutId" in address ? quoted(address.layoutId) : formText(address);
}

/** Returns the object of the setting `object`; undefined if it is not set. @throws USAGE if the setting is invalid */
export function configuredObject(settings: LoadedSettings): ObjectKey | undefined {
  const configured = settings.get("object");
  try {
    return configured === undefined ? undefined : parseObject(configured);
  } catch (error) {
    if (!hasCode(error, "USAGE")) throw error;
    throw new FormctlError(
      "USAGE",
      `the setting object ${error.message}`,
      "See the source of the setting: formctl config list",
    );
  }
}
