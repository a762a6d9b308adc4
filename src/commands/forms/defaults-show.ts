/** `formctl forms defaults show`: which form an object uses for a mode when nobody names one (R12). */

import { listAllForms } from "../../lists/forms.ts";
import { defineCommand } from "../command.ts";
import { chosenObject, objectArgument } from "./chosen-object.ts";
import { defaultsAnswer, type ObjectDefaults, withForms } from "./defaults-view.ts";

export default defineCommand({
  about: "Show the default forms of an object",
  examples: [
    "formctl forms defaults show staffing/candidate",
    "formctl forms defaults show staffing/candidate -o json",
  ],
  args: { object: objectArgument },
  options: {},
  async run(context, { object }): Promise<ObjectDefaults> {
    return withForms(undefined, await listAllForms(await context.service(), chosenObject(context, object)));
  },
  ...defaultsAnswer,
});
