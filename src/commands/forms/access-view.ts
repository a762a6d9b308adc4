/** The access matrix as a table: a line for each member or role, a column for each mode. */

import type { AccessAnswer } from "../../schemas/answers.ts";
import { byMode, type ModeWord } from "../../schemas/words.ts";
import { type Column, printTable } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { nameOf, type Names } from "./access-names.ts";
import { type AccessRow, rowsOf } from "./access-rows.ts";
import type { ShownForm } from "./form-view.ts";

/** What every access command answers. `isChanged` is absent where nothing was to be changed in the first place. */
export type FormAccess = {
  /** Undefined where the token may not read it. */
  form: ShownForm | undefined;
  matrix: AccessAnswer;
  names: Names | undefined;
  isChanged?: boolean;
};

/** How every access command answers. */
export const accessAnswer = {
  view({ form, matrix, names, isChanged }: FormAccess, terminal: Terminal): void {
    if (isChanged === false) terminal.hint("Nothing to change.");
    const name: Column<AccessRow> = { title: "Name", value: (row) => nameOf(names, row), shrink: true };
    printTable(
      terminal,
      [
        { title: "Who", value: ({ kind }) => kind },
        ...(names ? [name] : []),
        { title: "Id", value: ({ id }) => id, whole: true },
        ...modesOf(form, matrix).map(modeColumn),
      ],
      rowsOf(matrix),
      "No member or role has an access row of its own.",
    );
  },
  document: ({ matrix }: FormAccess): AccessAnswer => matrix,
  names: ({ matrix }: FormAccess): string[] => rowsOf(matrix).map(({ id }) => id),
};

function modesOf(form: ShownForm | undefined, matrix: AccessAnswer): ModeWord[] {
  const modes = [...(form?.types ?? []), ...rowsOf(matrix).flatMap(({ types }) => types)];
  return [...new Set(modes)].toSorted(byMode);
}

function modeColumn(mode: ModeWord): Column<AccessRow> {
  return { title: mode, value: ({ types }) => (types.includes(mode) ? true : null) };
}
