/** `formctl forms access set`: replaces the whole access matrix (R80). */

import { FormctlError } from "../../error.ts";
import { AccessFile } from "../../schemas/access-file.ts";
import { parseForm } from "../addresses.ts";
import { argument, defineCommand, option } from "../command.ts";
import { locatedRefusal, readBody } from "../read-body.ts";
import { changeAccess } from "./access-change.ts";
import { refuseRepeatedIds, rowsOfFile } from "./access-file-rows.ts";
import { accessAnswer, type FormAccess } from "./access-view.ts";

export default defineCommand({
  about: "Replace the whole access matrix from a file",
  details: `FILE is YAML or JSON with both lists, as \`access show -o yaml\` prints it:

  users: [{ membershipId: mem_…, types: [VIEW] }]
  roles: [{ roleId: rol_…, types: [VIEW, EDIT] }]

In local mode \`member: ana@northwind.example\` and \`role: Recruiter\` do as well. The command first shows which access is
removed, as far as the token may read it, and asks; without a terminal, --yes confirms.`,
  examples: [
    `formctl forms access show "staffing/candidate/Candidate profile" -o yaml | formctl forms access set "staffing/candidate/Candidate profile" -f -`,
    `echo '{users: [], roles: [{role: Recruiter, types: [VIEW, EDIT]}]}' | formctl forms access set "staffing/candidate/Candidate profile" -f - --yes`,
  ],
  args: { form: argument("FORM", "MODULE/OBJECT/FORM by name or id", parseForm) },
  options: { file: option("-f, --file <file>", "The matrix as YAML or JSON; - is standard input") },
  writes: true,
  async run(context, { form: address, file }): Promise<FormAccess> {
    if (file === undefined)
      throw new FormctlError("USAGE", "which file?", "Name it, or - for standard input: -f access.yaml");
    const { value, document } = await readBody(context, file, AccessFile);
    await refuseRepeatedIds(value, document);
    return changeAccess(context, address, {
      isWhole: true,
      wanted: (before) => rowsOfFile(value, document, before),
      question: (form) => `Replace the access rows of "${form}"?`,
      send: (request) => locatedRefusal(document, request),
    });
  },
  ...accessAnswer,
});
