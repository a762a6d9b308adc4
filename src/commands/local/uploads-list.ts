/** `formctl local uploads list`: prints the uploaded files of a form. */

import type { UploadView } from "../../local-service.ts";
import { printTable } from "../../terminal/table.ts";
import { formArgument } from "../address-arguments.ts";
import { findForm } from "../../lists/forms.ts";
import { defineCommand } from "../command.ts";

export default defineCommand({
  examples: [
    'formctl local uploads list "staffing/candidate/Candidate intake"',
    'formctl local uploads list "staffing/candidate/Candidate intake" -o jsonl',
  ],
  args: { form: formArgument },
  options: {},
  async run(context, { form }) {
    const { id } = await findForm(await context.service(), form);
    return (await context.local()).listUploads(id);
  },
  view(uploads: UploadView[], terminal) {
    printTable(
      terminal,
      [
        { title: "File", value: ({ fileName }) => fileName, essential: true },
        { title: "Id", value: ({ id }) => id, yields: true },
        { title: "Bytes", value: ({ size }) => size, align: "right" },
        { title: "Uploaded", value: ({ createdAt }) => createdAt, time: true },
      ],
      uploads,
      "The form has no uploaded files.",
    );
  },
});
