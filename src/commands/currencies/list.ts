/** `formctl currencies list`: prints all currencies, or those that match a search. */

import type { CurrencyAnswer } from "../../schemas/answers.ts";
import { printTable } from "../../terminal/table.ts";
import { defineCommand, option } from "../command.ts";

export default defineCommand({
  details: "The catalog contains the currencies of ISO 4217. The search ignores case.",
  examples: ["formctl currencies list", "formctl currencies list --search dollar", "formctl currencies list -o name"],
  args: {},
  options: { search: option("--search <text>", "Only currencies whose code or name contains this text") },
  async run(context, { search }) {
    const currencies = await (await context.service()).listCurrencies({});
    if (search === undefined) return currencies;
    const wanted = search.trim().toLowerCase();
    return currencies.filter(({ code, name }) => [code, name].some((text) => text?.toLowerCase().includes(wanted)));
  },
  view(currencies: CurrencyAnswer[], terminal) {
    printTable(
      terminal,
      [
        { title: "Code", value: ({ code }) => code, essential: true },
        { title: "Name", value: ({ name }) => name, essential: true },
      ],
      currencies,
      "No currency matches. List all currencies: formctl currencies list",
    );
  },
});
