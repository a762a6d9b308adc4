/** `formctl forms get`: one form, mode by mode. */

import { findForm, parseForm } from "../addresses.ts";
import { argument, defineCommand } from "../command.ts";
import { printForm, type ShownForm } from "./form-view.ts";

export default defineCommand({
  about: "Show a form",
  details: "A mode is usable when its published layout can render it or save through it.",
  examples: [
    'formctl forms get "staffing/candidate/Candidate profile"',
    'formctl forms get "staffing/candidate/Candidate profile" -o json --query usableTypes',
  ],
  args: { form: argument("FORM", "MODULE/OBJECT/FORM by name or id", parseForm) },
  options: {},
  async run(context, { form: address }) {
    const service = await context.service();
    const found: ShownForm = await findForm(service, address);
    // Found by its name it comes from the list, which tells more of it; the record of one form is what is asked for.
    const isListed = found.isDefaultView !== undefined || found.directUserAccessCount !== undefined;
    const { moduleKey, objectKey } = address;
    const form = isListed ? await service.getForm({ moduleKey, objectKey, formId: found.id }) : found;
    return { form, shown: { ...found, ...form } };
  },
  view: ({ shown }, terminal) => printForm(shown, terminal),
  document: ({ form }) => form,
});
