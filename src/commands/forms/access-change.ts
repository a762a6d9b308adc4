/** Reads the access matrix, changes it and puts it back as a whole: the API has no other way (R80). */

import type { FormAnswer } from "../../schemas/answers.ts";
import { type FormAddress, findForm, formText } from "../addresses.ts";
import { type CommandContext, InvalidValue } from "../command.ts";
import { lossOf, type Names, readNames } from "./access-names.ts";
import { type AccessRow, lostRows, matrixOf, rowsOf, sameRows } from "./access-rows.ts";
import type { FormAccess } from "./access-view.ts";

/** What a change is made of: the form, its rows, and who their ids are. */
export type AccessBefore = { form: FormAnswer; rows: AccessRow[]; names: Names | undefined };

export type AccessChange = {
  /** The rows as they shall be. */
  wanted(before: AccessBefore): AccessRow[] | Promise<AccessRow[]>;
  /** What to ask where rows or modes would be lost; without it the command itself says what goes. */
  question?(form: FormAnswer): string;
  /** Wraps the request, where a file is to be blamed for a refusal. */
  send?(request: () => Promise<FormAccess["matrix"]>): Promise<FormAccess["matrix"]>;
};

/** @throws ConsentError when rows would be lost and nobody agrees */
export async function changeAccess(
  context: CommandContext,
  address: FormAddress,
  change: AccessChange,
): Promise<FormAccess> {
  const service = await context.service();
  const form = await findForm(service, address);
  const names = await readNames(context, form);
  const { moduleKey, objectKey } = address;
  const place = { moduleKey, objectKey, formId: form.id };
  const before = await service.getFormAccess(place);
  const rows = rowsOf(before);
  const wanted = await change.wanted({ form, rows, names });
  if (sameRows(rows, wanted)) return { form, matrix: before, names, isChanged: false };
  const lost = lostRows(rows, wanted);
  if (change.question && lost.length > 0) {
    const lines = lost.map((row) => lossOf(names, row));
    await context.consent({ question: change.question(form), lost: lines, flag: "--yes" });
  }
  // Both lists are always sent: a missing one would wipe it (R80).
  const body = matrixOf(wanted);
  const put = () => service.replaceFormAccess({ ...place, body });
  const matrix = await (change.send ? change.send(put) : put());
  return { form, matrix, names, isChanged: true };
}

/** @throws InvalidValue for a mode that the form does not have (R28) */
export function refuseUnsupported(
  form: FormAnswer,
  rows: readonly Pick<AccessRow, "types">[],
  address: FormAddress,
): void {
  const unsupported = rows.flatMap(({ types }) => types).find((mode) => !form.types.includes(mode));
  if (!unsupported) return;
  throw new InvalidValue(
    `"${form.name}" does not support ${unsupported}`,
    `It has ${form.types.join(", ")}. Add the mode first: formctl forms update ${formText(address)} --add-type ${unsupported}`,
  );
}
