/** `formctl forms defaults clear`: removes the default form of one or more modes. */

import { DEFAULT_KEY } from "../../schemas/words.ts";
import { objectArgument } from "../address-arguments.ts";
import { defineCommand, rest } from "../command.ts";
import { defaultsOutput, type ObjectDefaults, readForms } from "./defaults.ts";
import { modesOf, parseModes } from "../modes.ts";

export default defineCommand({
  details: "A mode without a default stays unchanged.",
  examples: [
    "formctl forms defaults clear staffing/candidate EDIT",
    "formctl forms defaults clear staffing/candidate VIEW EDIT -o json",
  ],
  args: {
    object: objectArgument,
    modes: rest("MODE", "CREATE, VIEW or EDIT", parseModes, "modes"),
  },
  options: {},
  writes: true,
  async run(context, { object, modes }): Promise<ObjectDefaults> {
    const service = await context.service();
    const cleared = modesOf(modes) ?? [];
    const body = Object.fromEntries(cleared.map((mode) => [DEFAULT_KEY[mode], null]));
    const answer = await service.updateFormDefaults({ ...object, body });
    return readForms({ sent: body, answer }, service, object);
  },
  ...defaultsOutput,
});
