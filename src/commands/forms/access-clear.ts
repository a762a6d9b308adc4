/** `formctl forms access clear`: removes every explicit access row (R81). */

import { parseForm } from "../addresses.ts";
import { argument, defineCommand } from "../command.ts";
import { changeAccess } from "./access-change.ts";
import { accessAnswer, type FormAccess } from "./access-view.ts";

export default defineCommand({
  about: "Remove all access rows",
  details: "Says first who loses what. Where nobody can be asked, --yes consents.",
  examples: [
    'formctl forms access clear "staffing/candidate/Candidate profile" --dry-run',
    'formctl forms access clear "staffing/candidate/Candidate profile" --yes',
  ],
  args: { form: argument("FORM", "MODULE/OBJECT/FORM by name or id", parseForm) },
  options: {},
  writes: true,
  run: (context, { form: address }): Promise<FormAccess> =>
    changeAccess(context, address, {
      isWhole: true,
      wanted: () => [],
      question: (form) => `Remove all access rows of "${form}"?`,
    }),
  ...accessAnswer,
});
