/** `formctl local uploads add`: adds a file as a public submission would. */

import { basename } from "node:path";
import type { UploadView } from "../../local-service.ts";
import { formArgument } from "../address-arguments.ts";
import { findForm } from "../../lists/forms.ts";
import { argument, asText, defineCommand } from "../command.ts";

export default defineCommand({
  details: "Simulates a file uploaded through the public form. Deleting the form deletes its uploaded files.",
  examples: [
    'formctl local uploads add "staffing/candidate/Candidate intake" cv.pdf',
    'formctl local uploads add "staffing/candidate/Candidate intake" cv.pdf -o name',
  ],
  args: {
    form: formArgument,
    file: argument("FILE", "The file to add", asText, "path"),
  },
  options: {},
  writes: "store",
  async run(context, { form, file }) {
    const bytes = await context.readFile(file);
    const { id } = await findForm(await context.service(), form);
    return (await context.local()).addUpload({ formId: id, fileName: file === "-" ? "upload" : basename(file), bytes });
  },
  view({ fileName, size, formId }: UploadView, terminal) {
    terminal.line(`Added ${fileName} (${size} bytes) to the form ${formId}.`);
  },
  done: ({ id, formId }: UploadView) => ({ text: `the file was added to the form ${formId} as ${id}` }),
});
