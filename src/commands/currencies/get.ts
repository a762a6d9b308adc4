/** `formctl currencies get`: prints one currency by its code. */

import { FormctlError } from "../../base/error.ts";
import type { CurrencyAnswer } from "../../schemas/answers.ts";
import { nearest } from "../../base/nearest.ts";
import { fields } from "../../terminal/table.ts";
import { quoted } from "../../base/shell-quote.ts";
import { argument, defineCommand } from "../command.ts";

export default defineCommand({
  examples: ["formctl currencies get EUR", "formctl currencies get pln -o json"],
  args: { code: argument("CODE", "The ISO 4217 code, in any case", parseCode, "currency") },
  options: {},
  async run(context, { code }) {
    const currencies = await (await context.service()).listCurrencies({});
    return currencies.find((currency) => currency.code === code) ?? refuseUnknown(code, currencies);
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

/** Parses a code of three letters, which is the form of all codes of ISO 4217. @throws INVALID_VALUE */
function parseCode(text: string): string {
  const code = text.trim().toUpperCase();
  if (/^[A-Z]{3}$/.test(code)) return code;
  throw new FormctlError(
    "INVALID_VALUE",
    `"${text}" is not a currency code: a code has three letters, such as EUR`,
    `Search by name: formctl currencies list --search ${quoted(text.trim() || "TEXT")}`,
  );
}

/** @throws NOT_FOUND that suggests the most similar code or name */
function refuseUnknown(wanted: string, currencies: readonly CurrencyAnswer[]): never {
  const near = nearest(
    wanted,
    currencies.flatMap(({ code, name }) => (name === undefined ? [code] : [name, code])),
  );
  const meant = currencies.find(({ code, name }) => code === near || name === near);
  throw new FormctlError(
    "NOT_FOUND",
    `the currency "${wanted}" does not exist`,
    meant
      ? `Did you mean ${meant.name === undefined ? meant.code : `${meant.code} (${meant.name})`}? formctl currencies get ${quoted(meant.code)}`
      : "List the currencies: formctl currencies list",
  );
}
