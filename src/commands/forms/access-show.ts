/** `formctl forms access show`: prints the access rows of a form. */

import { formArgument } from "../address-arguments.ts";
import { findForm } from "../../lists/forms.ts";
import { defineCommand } from "../command.ts";
import { readNames } from "../local-names.ts";
import { accessOutput, type FormAccess } from "./access-matrix.ts";

export default defineCommand({
  details:
    "Shows the explicit access rows. They control who uses the form in dashboard flows, and grant no API permission. The API does not define who uses a form without rows in dashboards.",
  examples: [
    'formctl forms access show "staffing/candidate/Candidate profile"',
    'formctl forms access show "staffing/candidate/Candidate profile" -o yaml',
  ],
  args: { form: formArgument },
  options: {},
  async run(context, { form: address }): Promise<FormAccess> {
    const service = await context.service();
    const form = await findForm(service, address);
    const { moduleKey, objectKey } = address;
    const matrix = await service.getFormAccess({ moduleKey, objectKey, formId: form.id });
    return { form, matrix, names: await readNames(context, form) };
  },
  ...accessOutput,
});
