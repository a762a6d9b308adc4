/** Writes `src/engine/currency-catalog.ts` from ISO 4217 List One: `node build/currency-catalog.ts`. */

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { data } from "currency-codes";

/** The day of the last comparison with the amendments of the ISO 4217 maintenance agency. */
const LIST_DATE = "2026-01-01";

/** `currency-codes` contains the list of June 2024. The codes below were withdrawn or added later. */
const WITHDRAWN = new Set([
  "ANG", // the Caribbean guilder replaced it in 2025
  "BGN", // Bulgaria joined the euro in 2026
  "CUC", // Cuba withdrew its second peso
]);
const ADDED = [
  { code: "XAD", currency: "Arab Accounting Dinar" },
  { code: "XCG", currency: "Caribbean Guilder" },
];

/**
 * Returns the text of `src/engine/currency-catalog.ts`. The list is one string, which costs nothing at start-up. The
 * module splits the string on demand.
 */
export function currencyCatalogSource(): string {
  const currencies = [...data, ...ADDED]
    .filter(({ code }) => !WITHDRAWN.has(code))
    .sort((a, b) => (a.code < b.code ? -1 : 1));
  const lines = currencies.map(({ code, currency }) => `${code} ${currency.trim()}`);
  return `/** ISO 4217 List One. Written by \`node build/currency-catalog.ts\`: change that file, not this one. */

/** The day on which the list was last compared with the amendments of ISO 4217. */
export const CURRENCY_LIST_DATE = "${LIST_DATE}";

/** One line for each currency: its code, a space, its name. */
export const CURRENCY_LINES = \`\\
${lines.join("\n")}\`;
`;
}

const target = new URL("../src/engine/currency-catalog.ts", import.meta.url);
if (import.meta.main) writeFileSync(fileURLToPath(target), currencyCatalogSource());
