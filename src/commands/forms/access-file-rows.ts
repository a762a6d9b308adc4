/** From what a file says of access to rows with an id each. */

import { hasCode } from "../../error.ts";
import type { FormAnswer } from "../../schemas/answers.ts";
import type { Document } from "../../documents/document.ts";
import type { AccessFile } from "../../schemas/access-file.ts";
import type { ShapeProblem } from "../../schemas/shape.ts";
import { refusedAt } from "../read-body.ts";
import type { AccessBefore } from "./access-change.ts";
import { resolveSubject } from "./access-names.ts";
import type { AccessRow, SubjectKind } from "./access-rows.ts";

type FileRow = { kind: SubjectKind; path: string; key: string; wanted: string; types: AccessRow["types"] };

/**
 * The rows of a file with an id each.
 *
 * @throws INVALID_FILE with every member or role that is not there or stands twice, and every mode that the form lacks
 */
export async function rowsOfFile(
  file: AccessFile,
  document: Document,
  { form, rows: present, names }: AccessBefore,
): Promise<AccessRow[]> {
  const problems: ShapeProblem[] = [];
  const rows: AccessRow[] = [];
  for (const { kind, path, key, wanted, types } of fileRows(file)) {
    const report = (message: string) => problems.push({ path: `${path}.${key}`, message });
    try {
      const subject = resolveSubject(names, kind, wanted, present);
      if (rows.some((row) => row.kind === kind && row.id === subject.id)) report(`names "${wanted}" a second time`);
      rows.push({ ...subject, types });
    } catch (error) {
      if (!hasCode(error, "NOT_FOUND", "AMBIGUOUS_NAME") && !hasCode(error, "INVALID_VALUE")) throw error;
      report(`is wrong: ${error.message}${error.hint ? `. ${error.hint}` : ""}`);
    }
    problems.push(...unsupported(form, path, types));
  }
  if (problems.length > 0) throw await refusedAt(document, "ACCESS_INVALID", problems);
  return rows;
}

/** @throws INVALID_FILE with each id that the file has twice: that is known before the form is read */
export async function refuseRepeatedIds(file: AccessFile, document: Document): Promise<void> {
  const seen = new Set<string>();
  const problems: ShapeProblem[] = [];
  for (const { kind, path, key, wanted } of fileRows(file)) {
    if (!key.endsWith("Id")) continue;
    const subject = `${kind} ${wanted}`;
    if (seen.has(subject)) problems.push({ path: `${path}.${key}`, message: `names "${wanted}" a second time` });
    seen.add(subject);
  }
  if (problems.length > 0) throw await refusedAt(document, "ACCESS_INVALID", problems);
}

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

/** A mode that the form does not have (R28). */
function unsupported(form: FormAnswer | undefined, path: string, types: AccessRow["types"]): ShapeProblem[] {
  return types.flatMap((mode, position) =>
    !form || form.types.includes(mode)
      ? []
      : [{ path: `${path}.types[${position}]`, message: `is not a mode of the form; it has ${form.types.join(", ")}` }],
  );
}
