/** `formctl forms access show`: which members and roles use a form. */

import { findForm, parseForm } from "../addresses.ts";
import { argument, defineCommand } from "../command.ts";
import { readNames } from "./access-names.ts";
import { accessAnswer, type FormAccess } from "./access-view.ts";

export default defineCommand({
  about: "Show who has access to a form",
  details:
    "These are the explicit rows. They say who uses the form in dashboard flows, and grant nobody an API permission.",
  examples: [
    'formctl forms access show "staffing/candidate/Candidate profile"',
    'formctl forms access show "staffing/candidate/Candidate profile" -o yaml',
  ],
  args: { form: argument("FORM", "MODULE/OBJECT/FORM by name or id", parseForm) },
  options: {},
  async run(context, { form: address }): Promise<FormAccess> {
    const service = await context.service();
    const form = await findForm(service, address);
    const { moduleKey, objectKey } = address;
    const matrix = await service.getFormAccess({ moduleKey, objectKey, formId: form.id });
    return { form, matrix, names: await readNames(context, form) };
  },
  ...accessAnswer,
});
