/** `formctl forms get`: prints one form. */

import { formArgument } from "../address-arguments.ts";
import { locateForm } from "../../lists/forms.ts";
import { defineCommand } from "../command.ts";
import { printForm } from "./form-view.ts";

export default defineCommand({
  details: "A mode is usable when the published layout can render it or save through it.",
  examples: [
    'formctl forms get "staffing/candidate/Candidate profile"',
    'formctl forms get "staffing/candidate/Candidate profile" -o json --query usableTypes',
  ],
  args: { form: formArgument },
  options: {},
  async run(context, { form: address }) {
    const service = await context.service();
    const { form, listed } = await locateForm(service, address);
    return { form, shown: { ...listed, ...form } };
  },
  view: ({ shown }, terminal) => printForm(shown, terminal),
  document: ({ form }) => form,
});
