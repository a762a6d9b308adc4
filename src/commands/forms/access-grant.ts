/** `formctl forms access grant`: adds modes of a form to roles and members. */

import { FormctlError } from "../../error.ts";
import { parseForm } from "../addresses.ts";
import { argument, defineCommand, list } from "../command.ts";
import { changeAccess, refuseUnsupported, requireSubjects, resolveSubjects, subjectOptions } from "./access-change.ts";
import { grantModes, accessOutput, type FormAccess } from "./access-matrix.ts";
import { modesOf, parseModes } from "../modes.ts";

export default defineCommand({
  details: "Adds to the current access. Granting the same access again changes nothing.",
  examples: [
    'formctl forms access grant "staffing/candidate/Candidate profile" --role "Account Manager" --types VIEW',
    'formctl forms access grant "staffing/candidate/Candidate profile" --member bo@northwind.example --types VIEW,EDIT',
  ],
  args: { form: argument("FORM", "MODULE/OBJECT/FORM by name or id", parseForm) },
  options: {
    ...subjectOptions,
    types: list("--types <modes>", "Modes to grant, out of those of the form", parseModes),
  },
  writes: true,
  async run(context, { form: address, types: typed, ...subjects }): Promise<FormAccess> {
    requireSubjects(subjects);
    const types = modesOf(typed);
    if (!types) throw new FormctlError("USAGE", "missing option --types", "Specify the modes: --types VIEW,EDIT");
    return changeAccess(context, address, {
      wanted({ form, rows, names }) {
        refuseUnsupported(form, [{ types }], address);
        return grantModes(rows, resolveSubjects(subjects, names, rows), types);
      },
    });
  },
  ...accessOutput,
});
