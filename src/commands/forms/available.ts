/** `formctl forms available`: lists the active forms of an object, including forms that are not usable yet. */

import type { FormAnswer } from "../../schemas/answers.ts";
import { printTable, UNKNOWN } from "../../terminal/table.ts";
import { defaultObjectArgument } from "../address-arguments.ts";
import { defineCommand, option } from "../command.ts";
import { ID_COLUMN, MODES_COLUMN, NAME_COLUMN, type ShownForm } from "./form-view.ts";
import { parseMode } from "../modes.ts";
import { objectText } from "../../lists/addresses.ts";

export default defineCommand({
  details: "An active form may not be usable yet. The column USABLE lists the modes in which it can render or save.",
  examples: ["formctl forms available staffing/candidate", "formctl forms available staffing/candidate --type VIEW"],
  args: { object: defaultObjectArgument },
  options: { type: option("--type <mode>", "Only forms that have this mode: CREATE, VIEW or EDIT", parseMode) },
  async run(context, { object, type }) {
    const forms = await (await context.service()).listAvailableForms({ ...object, query: type ? { type } : {} });
    return { object: objectText(object), type, forms };
  },
  view({ object, type, forms }, terminal) {
    const usable = (form: ShownForm) => {
      if (!form.usableTypes) return UNKNOWN;
      if (type) return form.usableTypes.includes(type);
      return form.usableTypes.join(", ") || "none";
    };
    printTable(
      terminal,
      [NAME_COLUMN, ID_COLUMN, { title: "Usable", value: usable }, MODES_COLUMN],
      forms,
      `${object} has no active form${type ? ` for ${type}` : ""}.`,
    );
  },
  document: ({ forms }): FormAnswer[] => forms,
});
