/** `formctl forms access clear`: removes all access rows (R81). */

import { formArgument } from "../address-arguments.ts";
import { defineCommand } from "../command.ts";
import { changeAccess } from "./access-change.ts";
import { accessOutput, type FormAccess } from "./access-matrix.ts";

export default defineCommand({
  details:
    "The command first shows which members and roles lose access, and asks for confirmation; without a terminal, --yes confirms.",
  examples: [
    'formctl forms access clear "staffing/candidate/Candidate profile" --dry-run',
    'formctl forms access clear "staffing/candidate/Candidate profile" --yes',
  ],
  args: { form: formArgument },
  options: {},
  writes: true,
  run: (context, { form: address }): Promise<FormAccess> =>
    changeAccess(context, address, {
      isWhole: true,
      wanted: () => [],
      question: (form) => `Remove all access rows of "${form}"?`,
    }),
  ...accessOutput,
});
