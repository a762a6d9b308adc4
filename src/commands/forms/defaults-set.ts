/** `formctl forms defaults set`: makes a form the default of a mode. */

import type { FormAnswer } from "../../schemas/answers.ts";
import { DEFAULT_KEY } from "../../schemas/words.ts";
import type { Mode } from "../../schemas/form.ts";
import { findForm, formatObject, type ObjectAddress, parseObject } from "../addresses.ts";
import { argument, defineCommand, rest } from "../command.ts";
import { defaultsAnswer, type ObjectDefaults, readForms, warnUnusable } from "./defaults-view.ts";
import { parseMode } from "./mode-list.ts";

type SetDefault = ObjectDefaults & { form: FormAnswer; mode: Mode };

export default defineCommand({
  about: "Make a form the default of a mode",
  details: "The form must be active and have the mode. The other modes keep their defaults.",
  examples: [
    "formctl forms defaults set staffing/candidate VIEW Candidate profile",
    "formctl forms defaults set staffing/candidate CREATE Candidate intake -o json",
  ],
  args: {
    object: argument("OBJECT", "MODULE/OBJECT", parseObject),
    mode: argument("MODE", "CREATE, VIEW or EDIT", parseMode),
    form: rest("FORM-NAME", "The form's name or id; the words of a name need no quotes", (word) => word),
  },
  options: {},
  writes: true,
  async run(context, { object, mode, form: words }): Promise<SetDefault> {
    const service = await context.service();
    const form = await findForm(service, { ...object, form: formName(object, words) });
    const body = { [DEFAULT_KEY[mode]]: form.id };
    const answer = await service.updateFormDefaults({ ...object, body });
    return { form, mode, ...(await readForms({ sent: body, answer }, service, object)) };
  },
  ...defaultsAnswer,
  view(result: SetDefault, terminal) {
    defaultsAnswer.view(result, terminal);
    warnUnusable(result.form, result.mode, terminal);
  },
});

/** A whole address is understood too: whoever has just copied one need not take it apart. */
function formName(object: ObjectAddress, words: readonly string[]): string {
  const text = words.join(" ");
  const prefix = `${formatObject(object)}/`;
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}
