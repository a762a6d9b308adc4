/** `formctl currencies get`: one currency by its code. */

import type { CurrencyAnswer } from "../../schemas/answers.ts";
import { nearest } from "../../schemas/nearest.ts";
import { fields } from "../../terminal/table.ts";
import { AddressError } from "../addresses.ts";
import { argument, defineCommand } from "../command.ts";

export default defineCommand({
  about: "Show a currency",
  examples: ["formctl currencies get EUR", "formctl currencies get pln -o json"],
  args: { code: argument("CODE", "The ISO 4217 code, in any case") },
  options: {},
  async run(context, { code }) {
    const currencies = await (await context.service()).listCurrencies({});
    const wanted = code.trim().toUpperCase();
    return currencies.find((currency) => currency.code === wanted) ?? refuse(code, currencies);
  },
  view({ code, name }: CurrencyAnswer, terminal) {
    terminal.out(
      fields(
        [
          ["Code", code],
          ["Name", name],
        ],
        terminal,
      ),
    );
  },
});

/** Who types `euro` or `EUT` is told of EUR. */
function refuse(wanted: string, currencies: readonly CurrencyAnswer[]): never {
  const near = nearest(
    wanted,
    currencies.flatMap(({ code, name }) => (name === undefined ? [code] : [name, code])),
  );
  const meant = currencies.find(({ code, name }) => code === near || name === near);
  throw new AddressError(
    "missing",
    `the currency "${wanted}" does not exist`,
    meant
      ? `Did you mean ${meant.name === undefined ? meant.code : `${meant.code} (${meant.name})`}? formctl currencies get ${meant.code}`
      : "See what there is: formctl currencies list",
  );
}
