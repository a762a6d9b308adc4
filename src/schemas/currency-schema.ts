/** A currency of the catalog (R47). */

import * as z from "zod/mini";

export const Currency = z.object({ code: z.string(), name: z.string() });

export const CurrencyList = z.array(Currency);
