/** Reads the access matrix, changes it and puts it back as a whole: the API has no other way (R80). */

import { FormctlError } from "../../error.ts";
import type { FormAnswer } from "../../schemas/answers.ts";
import { type Service, unlessForbidden } from "../../service.ts";
import { type FormAddress, findForm, findFormId, formText } from "../addresses.ts";
import type { CommandContext } from "../command.ts";
import { lossOf, type Names, readNames } from "./access-names.ts";
import { type AccessRow, lostRows, matrixOf, rowsOf, sameRows } from "./access-rows.ts";
import type { FormAccess } from "./access-view.ts";

/** What a change is made of: the form, its rows, and who their ids are. A token that may not read the form has no rows. */
export type AccessBefore = { form: FormAnswer | undefined; rows: AccessRow[]; names: Names | undefined };

export type AccessChange = {
  /** The rows as they shall be. */
  wanted(before: AccessBefore): AccessRow[] | Promise<AccessRow[]>;
  /** The change names all rows: it can be made without reading the form. */
  isWhole?: true;
  /** What to ask where rows or modes would be lost; without it the command itself says what goes. */
  question?(form: string): string;
  /** Wraps the request, where a file is to be blamed for a refusal. */
  send?(request: () => Promise<FormAccess["matrix"]>): Promise<FormAccess["matrix"]>;
};

/** @throws CONSENT_MISSING when rows would be lost and nobody agrees */
export async function changeAccess(
  context: CommandContext,
  address: FormAddress,
  change: AccessChange,
): Promise<FormAccess> {
  const service = await context.service();
  const { moduleKey, objectKey } = address;
  const { formId, form } = change.isWhole ? await findFormId(service, address) : await readForm(service, address);
  const place = { moduleKey, objectKey, formId };
  const read = () => service.getFormAccess(place);
  const before = change.isWhole ? await unlessForbidden(read) : await read();
  const names = form && (await readNames(context, form));
  const rows = before ? rowsOf(before) : [];
  const wanted = await change.wanted({ form, rows, names });
  if (before && sameRows(rows, wanted)) return { form, matrix: before, names, isChanged: false };
  const lost = before
    ? lostRows(rows, wanted).map((row) => lossOf(names, row))
    : ["the access rows that the form has now; this token may not read them"];
  if (change.question && lost.length > 0)
    await context.consent({ question: change.question(form?.name ?? formId), lost, flag: "--yes" });
  // Both lists are always sent: a missing one would wipe it (R80).
  const body = matrixOf(wanted);
  const put = () => service.replaceFormAccess({ ...place, body });
  const matrix = await (change.send ? change.send(put) : put());
  return { form, matrix, names, isChanged: true };
}

async function readForm(service: Service, address: FormAddress): Promise<{ formId: string; form: FormAnswer }> {
  const form = await findForm(service, address);
  return { formId: form.id, form };
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
