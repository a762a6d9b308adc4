/** The table of the attacks in docs/security.md. */

import { type Attack, POSITIONS } from "./attack.ts";

/** Returns the table as Markdown, sorted by position. */
export function attackTable(attacks: readonly Attack[]): string {
  const rows = attacks
    .toSorted((a, b) => POSITIONS.indexOf(a.position) - POSITIONS.indexOf(b.position))
    .map(
      ({ name, position, prize, rule, test }) => `| ${position} | ${name} | ${prize} | ${rule} | \`${test.file}\` |`,
    );
  return ["| from | attack | prize | rule | test |", "|---|---|---|---|---|", ...rows, ""].join("\n");
}
