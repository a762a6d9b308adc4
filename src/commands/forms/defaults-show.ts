/** `formctl forms defaults show`: shows the default form of an object for each mode (R12). */

import { listDefaultForms } from "../../lists/forms.ts";
import { defineCommand } from "../command.ts";
import { defaultObjectArgument } from "../address-arguments.ts";
import { defaultsOutput, type ObjectDefaults, withForms } from "./defaults.ts";

export default defineCommand({
  examples: [
    "formctl forms defaults show staffing/candidate",
    "formctl forms defaults show staffing/candidate -o json",
  ],
  args: { object: defaultObjectArgument },
  options: {},
  async run(context, { object }): Promise<ObjectDefaults> {
    return withForms(undefined, await listDefaultForms(await context.service(), object));
  },
  ...defaultsOutput,
});
