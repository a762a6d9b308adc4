/** `formctl forms access revoke`: removes some or all modes of a form from roles and members. */

import { formArgument } from "../address-arguments.ts";
import { defineCommand, list } from "../command.ts";
import { changeAccess, resolveSubjects, subjectOptions } from "./access-change.ts";
import { revokeModes, accessOutput, type FormAccess } from "./access-matrix.ts";
import { modesOf, parseModes } from "../modes.ts";

export default defineCommand({
  details: "Without --types the whole row is removed. Revoking access that does not exist changes nothing.",
  examples: [
    'formctl forms access revoke "staffing/candidate/Candidate profile" --role recruiter --types EDIT',
    'formctl forms access revoke "staffing/candidate/Candidate profile" --member dana@northwind.example',
  ],
  args: { form: formArgument },
  options: { ...subjectOptions, types: list("--types <modes>", "Only these modes", parseModes) },
  atLeastOneOf: [["role", "member"]],
  writes: true,
  async run(context, { form: address, types, ...subjects }): Promise<FormAccess> {
    const modes = modesOf(types);
    return changeAccess(context, address, {
      wanted: ({ rows, names }) => revokeModes(rows, resolveSubjects(subjects, names, rows), modes),
    });
  },
  ...accessOutput,
});
