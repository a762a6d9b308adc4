/** The colours and weights of terminal output. chalk applies them. This module decides whether a stream has colours. */

import { Chalk, type ChalkInstance } from "chalk";

export type Paint = (text: string) => string;

const NAMES = ["bold", "dim", "red", "green", "yellow", "cyan"] as const;

export type Style = Readonly<Record<(typeof NAMES)[number], Paint>>;

function styleWith(paint: (name: keyof Style, text: string) => string): Style {
  return Object.fromEntries(NAMES.map((name) => [name, (text: string) => paint(name, text)])) as Style;
}

export const plain: Style = styleWith((_, text) => text);

let chalk: ChalkInstance | undefined;

/** Uses only the 16 basic colours, which every terminal with colours supports. */
export const coloured: Style = styleWith((name, text) => (chalk ??= new Chalk({ level: 1 }))[name](text));

/**
 * Whether to colour a stream. The first of these settings that applies decides:
 *
 * 1. the flag
 * 2. NO_COLOR (no-color.org)
 * 3. FORCE_COLOR
 * 4. CLICOLOR_FORCE and CLICOLOR (bixense.com/clicolors)
 * 5. TERM=dumb
 *
 * If none applies, only a terminal is coloured. chalk's own detection ignores NO_COLOR and CLICOLOR.
 */
export function wantsColour(
  flag: boolean | undefined,
  env: Readonly<Record<string, string | undefined>>,
  isTTY: () => boolean,
): boolean {
  if (flag !== undefined) return flag;
  if (env["NO_COLOR"]) return false;
  const { FORCE_COLOR: force, CLICOLOR_FORCE: cliForce } = env;
  // An empty FORCE_COLOR means yes by convention; "0" and "false" mean no.
  if (force !== undefined) return force !== "0" && force !== "false";
  if (cliForce && cliForce !== "0") return true;
  if (env["CLICOLOR"] === "0" || env["TERM"] === "dumb") return false;
  return isTTY();
}
