/** A layout and what belongs to it, in the words of a command line: for lines that say what to type next. */

import { formatObject, type LayoutAddress, type ObjectAddress, quoted } from "../addresses.ts";

/** The address as it was typed, quoted for a shell. */
export function layoutText(address: LayoutAddress): string {
  if ("layoutId" in address) return quoted(address.layoutId);
  return formText(address, address.form);
}

/** A form's address, quoted for a shell. */
export function formText(object: ObjectAddress, form: string): string {
  return quoted(`${formatObject(object)}/${form}`);
}

/** A target as it is typed: `moduleKey=staffing objectKey=candidate`. */
export function targetText(target: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(target).filter(([, value]) => value !== null && value !== undefined);
  return members.map(([member, value]) => `${member}=${String(value)}`).join(" ");
}
