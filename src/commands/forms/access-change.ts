/**
 * Changes the access matrix of a form. The API replaces the matrix as a whole (R80), so each change reads the matrix
 * first.
 */

import { FormctlError } from "../../base/error.ts";
import type { FormAnswer } from "../../schemas/answers.ts";
import { unlessForbidden } from "../../service.ts";
import { formText } from "../addresses.ts";
import type { FormAddress } from "../../lists/forms.ts";
import { asText, type CommandContext, list } from "../command.ts";
import { type Names, readNames, resolveSubject, type Grantee } from "../local-names.ts";
import { findFormId, requireForm } from "../lookups.ts";
import { type AccessRow, type FormAccess, lossOf, lostRows, matrixOf, rowsOf, sameRows } from "./access-matrix.ts";

/** The current state of a form. If the token may not read the form, `form` is undefined and `rows` is empty. */
export type CurrentAccess = { form: FormAnswer | undefined; rows: AccessRow[]; names: Names | undefined };

export type AccessChange = {
  wanted(current: CurrentAccess): AccessRow[] | Promise<AccessRow[]>;
  /** The change replaces all rows, so it works without permission to read the form. */
  isWhole?: true;
  /** Returns the question to ask if the change deletes rows or modes. Absent if such a change needs no confirmation. */
  question?(form: string): string;
  /** Sends the request. Specified only by a change from a file, to locate a refusal in this file. */
  send?(request: () => Promise<FormAccess["matrix"]>): Promise<FormAccess["matrix"]>;
};

/**
 * Changes the access matrix.
 *
 * @throws CONSENT_MISSING if the user does not confirm the loss of rows or modes. Only a change with `question`
 * requires confirmation
 */
export async function changeAccess(
  context: CommandContext,
  address: FormAddress,
  change: AccessChange,
): Promise<FormAccess> {
  const service = await context.service();
  const { moduleKey, objectKey } = address;
  const { formId, form } = change.isWhole ? await findFormId(service, address) : await requireForm(service, address);
  const key = { moduleKey, objectKey, formId };
  const read = () => service.getFormAccess(key);
  const before = change.isWhole ? await unlessForbidden(read) : await read();
  const names = form && (await readNames(context, form));
  const rows = before ? rowsOf(before) : [];
  const wanted = await change.wanted({ form, rows, names });
  if (before && sameRows(rows, wanted)) return { form, matrix: before, names, isChanged: false };
  const lost = before
    ? lostRows(rows, wanted).map((row) => lossOf(names, row))
    : ["the current access rows of the form, which this token may not read"];
  if (change.question && lost.length > 0)
    await context.consent({ question: change.question(form?.name ?? formId), lost, flag: "--yes" });
  // Both lists are always sent, because the API deletes all rows of a missing list (R80).
  const body = matrixOf(wanted);
  const put = () => service.replaceFormAccess({ ...key, body });
  const matrix = await (change.send ? change.send(put) : put());
  return { form, matrix, names, isChanged: true };
}

/** @throws INVALID_VALUE for a mode that the form does not have (R28) */
export function refuseUnsupported(
  form: FormAnswer | undefined,
  rows: readonly Pick<AccessRow, "types">[],
  address: FormAddress,
): void {
  const unsupported = form && rows.flatMap(({ types }) => types).find((mode) => !form.types.includes(mode));
  if (!unsupported) return;
  throw new FormctlError(
    "INVALID_VALUE",
    `"${form.name}" does not support ${unsupported}`,
    `It has ${form.types.join(", ")}. Add the mode first: formctl forms update ${formText(address)} --add-type ${unsupported}`,
  );
}

/** The options of `grant` and `revoke` that name members and roles. */
export const subjectOptions = {
  role: list("--role <role>", "Role by id; in a local store also by key or name", asText, "role"),
  member: list(
    "--member <member>",
    "Member by membership id; in a local store also by e-mail address",
    asText,
    "member",
  ),
};

type TypedSubjects = { role: readonly string[]; member: readonly string[] };

/**
 * Resolves the members and roles of the options.
 *
 * @throws NOT_FOUND, AMBIGUOUS_NAME or INVALID_VALUE (see {@link resolveSubject})
 */
export function resolveSubjects(
  { role, member }: TypedSubjects,
  names: Names | undefined,
  rows: readonly Grantee[],
): Grantee[] {
  const found = [
    ...member.map((text) => resolveSubject(names, "user", text, rows)),
    ...role.map((text) => resolveSubject(names, "role", text, rows)),
  ];
  // Two texts may name one subject, for example the key and the name of a role.
  return [...new Map(found.map((subject) => [`${subject.kind} ${subject.id}`, subject])).values()];
}
