/** `formctl forms access revoke`: takes modes of a form, or all of them, from roles and members. */

import { parseForm } from "../addresses.ts";
import { argument, defineCommand, list } from "../command.ts";
import { changeAccess } from "./access-change.ts";
import { requireSubjects, resolveSubjects, subjectOptions } from "./access-options.ts";
import { revoked } from "./access-rows.ts";
import { accessAnswer, type FormAccess } from "./access-view.ts";
import { modesOf, parseModes } from "./mode-list.ts";

export default defineCommand({
  about: "Take access from a role or member",
  details: "Without --types the whole row goes. Revoking what nobody has changes nothing.",
  examples: [
    'formctl forms access revoke "staffing/candidate/Candidate profile" --role recruiter --types EDIT',
    'formctl forms access revoke "staffing/candidate/Candidate profile" --member dana@northwind.example',
  ],
  args: { form: argument("FORM", "MODULE/OBJECT/FORM by name or id", parseForm) },
  options: { ...subjectOptions, types: list("--types <modes>", "Only these modes", parseModes) },
  writes: true,
  async run(context, { form: address, types, ...subjects }): Promise<FormAccess> {
    requireSubjects(subjects);
    const modes = modesOf(types);
    return changeAccess(context, address, {
      wanted: ({ rows, names }) => revoked(rows, resolveSubjects(subjects, names, rows), modes),
    });
  },
  ...accessAnswer,
});
