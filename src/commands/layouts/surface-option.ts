/** A surface as it is typed: a local store takes those that formctl knows, and a server decides itself. */

import { FormctlError, hasCode } from "../../error.ts";
import { Surface } from "../../schemas/layout.ts";
import { nearest } from "../../schemas/nearest.ts";
import { isSurface, SURFACES } from "../../schemas/words.ts";
import { visible } from "../../terminal/escape.ts";
import { by } from "../by-schema.ts";
import type { CommandContext } from "../command.ts";

/**
 * The surface that was typed. One that formctl does not know gets a warning where a server is the target.
 *
 * @param name of the option or argument
 * @throws USAGE where a local store is the target, which knows the same surfaces as formctl
 */
export function typedSurface<T extends string | undefined>(
  { target, terminal }: Pick<CommandContext, "target" | "terminal">,
  typed: T,
  name: string,
): T {
  if (typed === undefined || isSurface(typed)) return typed;
  if (target.kind === "local" || typed.trim() === "") requireKnown(typed, name);
  const fact = `formctl does not know the surface ${typed}; the server decides.`;
  terminal.warn(visible([fact, questionAbout(typed)].filter(Boolean).join(" ")));
  return typed;
}

function requireKnown(typed: string, name: string): void {
  try {
    by(Surface)(typed);
  } catch (error) {
    throw hasCode(error, "USAGE") ? new FormctlError("USAGE", `${name} ${error.message}`, error.hint) : error;
  }
}

function questionAbout(typed: string): string | undefined {
  if (typed === "INVOICE") return "Did you mean SALES_INVOICE or COST_INVOICE?";
  const near = nearest(typed, SURFACES);
  return near && `Did you mean ${near}?`;
}
