/** `formctl forms access grant`: adds modes of a form to roles and members. */

import { formArgument } from "../address-arguments.ts";
import { defineCommand, list, required } from "../command.ts";
import { changeAccess, refuseUnsupported, resolveSubjects, subjectOptions } from "./access-change.ts";
import { grantModes, accessOutput, type FormAccess } from "./access-matrix.ts";
import { modesOf, parseModes } from "../modes.ts";

export default defineCommand({
  details: "Adds to the current access. Granting the same access again changes nothing.",
  examples: [
    'formctl forms access grant "staffing/candidate/Candidate profile" --role "Account Manager" --types VIEW',
    'formctl forms access grant "staffing/candidate/Candidate profile" --member bo@northwind.example --types VIEW,EDIT',
  ],
  args: { form: formArgument },
  options: {
    ...subjectOptions,
    types: required(list("--types <modes>", "Modes to grant, out of those of the form", parseModes, "formModes")),
  },
  atLeastOneOf: [["role", "member"]],
  writes: true,
  async run(context, { form: address, types: typed, ...subjects }): Promise<FormAccess> {
    const types = modesOf(typed) ?? [];
    return changeAccess(context, address, {
      wanted({ form, rows, names }) {
        refuseUnsupported(form, [{ types }], address);
        return grantModes(rows, resolveSubjects(subjects, names, rows), types);
      },
    });
  },
  ...accessOutput,
});
