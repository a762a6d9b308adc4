/** `formctl forms access grant`: gives roles and members modes of a form, and takes none away. */

import { FormctlError } from "../../error.ts";
import { parseForm } from "../addresses.ts";
import { argument, defineCommand, list } from "../command.ts";
import { changeAccess, refuseUnsupported } from "./access-change.ts";
import { requireSubjects, resolveSubjects, subjectOptions } from "./access-options.ts";
import { granted } from "./access-rows.ts";
import { accessAnswer, type FormAccess } from "./access-view.ts";
import { modesOf, parseModes } from "./mode-list.ts";

export default defineCommand({
  about: "Give a role or member access",
  details: "Adds to what there is; granting again changes nothing.",
  examples: [
    'formctl forms access grant "staffing/candidate/Candidate profile" --role "Account Manager" --types VIEW',
    'formctl forms access grant "staffing/candidate/Candidate profile" --member bo@northwind.example --types VIEW,EDIT',
  ],
  args: { form: argument("FORM", "MODULE/OBJECT/FORM by name or id", parseForm) },
  options: {
    ...subjectOptions,
    types: list("--types <modes>", "Modes to give, out of those of the form", parseModes),
  },
  writes: true,
  async run(context, { form: address, types: typed, ...subjects }): Promise<FormAccess> {
    requireSubjects(subjects);
    const types = modesOf(typed);
    if (!types) throw new FormctlError("USAGE", "access to which modes?", "Name them: --types VIEW,EDIT");
    return changeAccess(context, address, {
      wanted({ form, rows, names }) {
        refuseUnsupported(form, [{ types }], address);
        return granted(rows, resolveSubjects(subjects, names, rows), types);
      },
    });
  },
  ...accessAnswer,
});
