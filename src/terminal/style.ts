/** Colours and weights for a terminal that wants them, and nothing for one that does not. */

const SGR = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export type Paint = (text: string) => string;

export type Style = { readonly [Name in keyof typeof SGR]: Paint };

export const plain: Style = styleBy(() => (text) => text);

export const coloured: Style = styleBy(
  ([on, off]) =>
    (text) =>
      text && `\u001B[${on}m${text}\u001B[${off}m`,
);

function styleBy(paint: (codes: readonly [number, number]) => Paint): Style {
  const { bold, dim, red, green, yellow, cyan } = SGR;
  return {
    bold: paint(bold),
    dim: paint(dim),
    red: paint(red),
    green: paint(green),
    yellow: paint(yellow),
    cyan: paint(cyan),
  };
}

/**
 * Whether to colour a stream: the first of these that says anything decides. The flag, NO_COLOR (no-color.org),
 * FORCE_COLOR, CLICOLOR_FORCE and CLICOLOR (bixense.com/clicolors), TERM=dumb, and last whether it is a terminal.
 */
export function wantsColour(
  flag: boolean | undefined,
  env: Readonly<Record<string, string | undefined>>,
  isTTY: () => boolean,
): boolean {
  if (flag !== undefined) return flag;
  if (env["NO_COLOR"]) return false;
  const { FORCE_COLOR: force, CLICOLOR_FORCE: cliForce } = env;
  // An empty FORCE_COLOR has always meant yes; "0" and "false" mean no.
  if (force !== undefined) return force !== "0" && force !== "false";
  if (cliForce && cliForce !== "0") return true;
  if (env["CLICOLOR"] === "0" || env["TERM"] === "dumb") return false;
  return isTTY();
}
