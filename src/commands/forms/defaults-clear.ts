/** `formctl forms defaults clear`: leaves modes without a default. */

import { DEFAULT_KEY } from "../../schemas/words.ts";
import { parseObject } from "../addresses.ts";
import { argument, defineCommand, rest } from "../command.ts";
import { defaultsAnswer, type ObjectDefaults, readForms } from "./defaults-view.ts";
import { modesOf, parseModes } from "./mode-list.ts";

export default defineCommand({
  about: "Leave modes without a default",
  details: "A mode that has no default stays as it is.",
  examples: [
    "formctl forms defaults clear staffing/candidate EDIT",
    "formctl forms defaults clear staffing/candidate VIEW EDIT -o json",
  ],
  args: {
    object: argument("OBJECT", "MODULE/OBJECT", parseObject),
    modes: rest("MODE", "CREATE, VIEW or EDIT", parseModes),
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
  ...defaultsAnswer,
});
