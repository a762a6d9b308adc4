/** `formctl forms access set`: replaces the whole access matrix (R80). */

import { hasCode } from "../../base/error.ts";
import type { Document } from "../../documents/document.ts";
import type { AccessFile } from "../../schemas/access-file.ts";
import { AccessFile as AccessSchema } from "../../schemas/access-file-schema.ts";
import type { FormAnswer } from "../../schemas/answers.ts";
import type { ShapeProblem } from "../../schemas/shape.ts";
import { formArgument } from "../address-arguments.ts";
import { asText, defineCommand, option, required } from "../command.ts";
import { resolveSubject, type GranteeKind } from "../local-names.ts";
import { locatedRefusal, readBody, refusedAt } from "../read-input.ts";
import { changeAccess, type CurrentAccess } from "./access-change.ts";
import { accessOutput, type AccessRow, type FormAccess } from "./access-matrix.ts";

export default defineCommand({
  details: `FILE is YAML or JSON with both lists, in the format of \`access show -o yaml\`:

  users: [{ membershipId: mem_…, types: [VIEW] }]
  roles: [{ roleId: rol_…, types: [VIEW, EDIT] }]

In a local store, \`member: ana@northwind.example\` and \`role: Recruiter\` are accepted too. The command first shows which
access is removed, as far as the token may read it, and asks for confirmation; without a terminal, --yes confirms.`,
  examples: [
    'formctl forms access set "staffing/candidate/Candidate profile" -f access.yaml --dry-run',
    `formctl forms access show "staffing/candidate/Candidate profile" -o yaml | formctl forms access set "staffing/candidate/Candidate profile" -f -`,
    `echo '{users: [], roles: [{role: Recruiter, types: [VIEW, EDIT]}]}' | formctl forms access set "staffing/candidate/Candidate profile" -f - --yes`,
  ],
  args: { form: formArgument },
  options: {
    file: required(option("-f, --file <file>", "The matrix as YAML or JSON; - is standard input", asText, "file")),
  },
  writes: true,
  async run(context, { form: address, file }): Promise<FormAccess> {
    const { value, document } = await readBody(context, file, AccessSchema);
    await refuseRepeatedIds(value, document);
    return changeAccess(context, address, {
      isWhole: true,
      wanted: (current) => rowsOfFile(value, document, current),
      question: (form) => `Replace the access rows of "${form}"?`,
      send: (request) => locatedRefusal(document, request),
    });
  },
  ...accessOutput,
});

/**
 * A row of the file.
 *
 * - `path`: the path of the row in the file
 * - `key`: the property that identifies the user or role, such as `roleId`
 * - `wanted`: the value of this property
 */
type FileRow = { kind: GranteeKind; path: string; key: string; wanted: string; types: AccessRow["types"] };

function fileRows({ users, roles }: AccessFile): FileRow[] {
  return [
    ...users.map(({ membershipId, member, types }, index): FileRow => ({
      kind: "user",
      path: `users[${index}]`,
      key: membershipId === undefined ? "member" : "membershipId",
      wanted: membershipId ?? member ?? "",
      types,
    })),
    ...roles.map(({ roleId, role, types }, index): FileRow => ({
      kind: "role",
      path: `roles[${index}]`,
      key: roleId === undefined ? "role" : "roleId",
      wanted: roleId ?? role ?? "",
      types,
    })),
  ];
}

/** Refuses repeated ids before any request. @throws INVALID_FILE that lists each repeated id */
async function refuseRepeatedIds(file: AccessFile, document: Document): Promise<void> {
  const seen = new Set<string>();
  const problems: ShapeProblem[] = [];
  for (const { kind, path, key, wanted } of fileRows(file)) {
    if (!key.endsWith("Id")) continue;
    const subject = `${kind} ${wanted}`;
    if (seen.has(subject)) problems.push({ path: `${path}.${key}`, message: `repeats "${wanted}"` });
    seen.add(subject);
  }
  if (problems.length > 0) throw await refusedAt(document, "ACCESS_INVALID", problems);
}

/**
 * Returns the rows of a file with their subjects resolved.
 *
 * @throws INVALID_FILE that lists all unknown, ambiguous or repeated subjects, and all modes missing from the form
 */
async function rowsOfFile(
  file: AccessFile,
  document: Document,
  { form, rows: current, names }: CurrentAccess,
): Promise<AccessRow[]> {
  const problems: ShapeProblem[] = [];
  const rows: AccessRow[] = [];
  for (const { kind, path, key, wanted, types } of fileRows(file)) {
    const report = (message: string) => problems.push({ path: `${path}.${key}`, message });
    try {
      const subject = resolveSubject(names, kind, wanted, current);
      if (rows.some((row) => row.kind === kind && row.id === subject.id)) report(`repeats "${wanted}"`);
      rows.push({ ...subject, types });
    } catch (error) {
      if (!hasCode(error, "NOT_FOUND", "AMBIGUOUS_NAME") && !hasCode(error, "INVALID_VALUE")) throw error;
      report(`is invalid: ${error.message}${error.hint ? `. ${error.hint}` : ""}`);
    }
    problems.push(...unsupportedModes(form, path, types));
  }
  if (problems.length > 0) throw await refusedAt(document, "ACCESS_INVALID", problems);
  return rows;
}

/** Returns a problem for each mode that the form does not have (R28). */
function unsupportedModes(form: FormAnswer | undefined, path: string, types: AccessRow["types"]): ShapeProblem[] {
  return types.flatMap((mode, position) =>
    !form || form.types.includes(mode)
      ? []
      : [{ path: `${path}.types[${position}]`, message: `is not a mode of the form. Modes: ${form.types.join(", ")}` }],
  );
}
