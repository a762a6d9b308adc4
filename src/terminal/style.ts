/** The colours and weights of terminal output. chalk applies them; this module decides whether a stream has colours. */

import { Chalk, type ChalkInstance } from "chalk";

export type Paint = (text: string) => string;

export type Style = Readonly<Pick<ChalkInstance, "bold" | "dim" | "red" | "green" | "yellow" | "cyan">>;

export const plain: Style = new Chalk({ level: 0 });

/** Uses only the 16 basic colours, which every terminal with colours supports. */
export const coloured: Style = new Chalk({ level: 1 });

/**
 * Whether to colour a stream. The first of these that applies decides: the flag, NO_COLOR (no-color.org), FORCE_COLOR,
 * CLICOLOR_FORCE and CLICOLOR (bixense.com/clicolors), TERM=dumb. If none applies, only a terminal is coloured. chalk's
 * own detection ignores NO_COLOR and CLICOLOR.
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
