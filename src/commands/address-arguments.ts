/** The arguments that take an address: OBJECT, FORM and LAYOUT. */

import {
  configuredObject,
  type FormAddress,
  type LayoutAddress,
  parseForm,
  parseLayout,
  parseObjectArgument,
  type ShortAddress,
} from "./addresses.ts";
import {
  type Argument,
  argument,
  type Choose,
  type CommandContext,
  type CompleteValue,
  type Option,
  option,
  type Parse,
} from "./command.ts";
import type { ObjectKey } from "../lists/addresses.ts";

/**
 * Completes a short address.
 *
 * @throws USAGE if the text is not an address
 * @throws NOT_FOUND if the address names no record
 * @throws AMBIGUOUS_NAME if the address names several records
 */
export type Complete<T> = (short: ShortAddress, context: CommandContext) => Promise<T>;

// Loaded for short addresses only.
const completions = () => import("./complete-address.ts");

const completeForm: Complete<FormAddress> = async ({ short }, context) =>
  (await completions()).completeForm(short, context);

export const completeLayout: Complete<LayoutAddress> = async ({ short }, context) =>
  (await completions()).completeLayout(short, context);

/** Completes the address of a form or layout, for a command that also takes objects. */
export const completeAny: Complete<LayoutAddress> = async ({ short }, context) =>
  (await completions()).completeAny(short, context);

const refuseObject: Complete<never> = async ({ short }, context) =>
  (await import("./suggest-address.ts")).refuseObject(short, context);

/** Returns the definition with a `complete` that leaves full addresses unchanged. */
export function completing<T>(definition: Argument<unknown>, complete: Complete<unknown>): Argument<T>;
export function completing<T>(definition: Option<unknown>, complete: Complete<T>): Option<T | undefined>;
export function completing(
  definition: Argument<unknown> | Option<unknown>,
  complete: Complete<unknown>,
): Argument<unknown> | Option<unknown> {
  const isShort = (value: unknown): value is ShortAddress =>
    typeof value === "object" && value !== null && "short" in value;
  const completed: CompleteValue = async (value, context) => (isShort(value) ? complete(value, context) : value);
  return { ...definition, complete: completed };
}

function addressArgument<T>(
  name: string,
  about: string,
  { parse, choose, complete }: { parse: Parse<T | ShortAddress>; choose: Choose; complete: Complete<T> },
): Argument<T> {
  return completing(argument(name, about, parse, choose), complete);
}

export const objectArgument: Argument<ObjectKey> = addressArgument("OBJECT", "MODULE/OBJECT", {
  parse: parseObjectArgument,
  choose: "object",
  complete: refuseObject,
});

export function objectOption(flags: string, about: string): Option<ObjectKey | undefined> {
  return completing(option(flags, about, parseObjectArgument, "object"), refuseObject);
}

/** The argument OBJECT of a command that uses the setting `object` by default. */
export const defaultObjectArgument: Argument<ObjectKey> = {
  ...objectArgument,
  about: "MODULE/OBJECT; optional if the setting object is set",
  fallback: configuredObject,
  alternative: "Set a default: formctl config set object staffing/candidate",
};

export const formArgument: Argument<FormAddress> = addressArgument("FORM", "MODULE/OBJECT/FORM by name or id", {
  parse: parseForm,
  choose: "form",
  complete: completeForm,
});

export const layoutArgument: Argument<LayoutAddress> = addressArgument(
  "LAYOUT",
  "Layout id, MODULE/OBJECT/FORM, or SURFACE/NAME",
  {
    parse: parseLayout,
    choose: "layout",
    complete: completeLayout,
  },
);

/**
 * Returns the layout address that a text contains. Used for an argument that also accepts other values, such as the
 * path of a file.
 */
export async function layoutAddressOf(text: string, context: CommandContext): Promise<LayoutAddress> {
  const address = parseLayout(text);
  return "short" in address ? completeLayout(address, context) : address;
}
