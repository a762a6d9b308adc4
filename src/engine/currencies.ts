/** The catalog of currencies (R47, R100). */

import type { Currency } from "../schemas/currency.ts";
import { CURRENCY_LINES } from "./currency-catalog.ts";
import type { Rules } from "./world.ts";

export const currencyRules = {
  /** Sorted by code, the same for everybody (docs/decisions.md, "Currencies"). */
  async listCurrencies() {
    return CURRENCY_LINES.split("\n").map((line): Currency => ({ code: line.slice(0, 3), name: line.slice(4) }));
  },
} satisfies Partial<Rules>;
