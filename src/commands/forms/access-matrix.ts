/**
 * Converts the access matrix of a form (R27) to rows, and changes, compares and prints the rows. A row has the modes of
 * one subject: a member or a role.
 */

import type { AccessAnswer } from "../../schemas/answers.ts";
import { type ModeWord, byMode } from "../../schemas/words.ts";
import { type Column, printTable } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { nameOf, type Names, type Grantee, type GranteeKind } from "../local-names.ts";
import type { ShownForm } from "./form-view.ts";

export type AccessRow = Grantee & { types: ModeWord[] };

/** Returns the rows: users first, as in the API. Each list keeps its order. */
export function rowsOf({ users, roles }: AccessAnswer): AccessRow[] {
  return [
    ...users.map(({ membershipId, types }): AccessRow => ({ kind: "user", id: membershipId, types })),
    ...roles.map(({ roleId, types }): AccessRow => ({ kind: "role", id: roleId, types })),
  ];
}

export function matrixOf(rows: readonly AccessRow[]): AccessAnswer {
  const of = (kind: GranteeKind) => rows.filter((row) => row.kind === kind);
  return {
    users: of("user").map(({ id, types }) => ({ membershipId: id, types })),
    roles: of("role").map(({ id, types }) => ({ roleId: id, types })),
  };
}

/**
 * Adds modes to the rows of the subjects. Adds a row for each subject without a row. Existing modes keep their order.
 */
export function grantModes(
  rows: readonly AccessRow[],
  subjects: readonly Grantee[],
  types: readonly ModeWord[],
): AccessRow[] {
  const changed = rows.map((row) => (subjects.some((subject) => isSame(subject, row)) ? withTypes(row, types) : row));
  const added = subjects.filter((subject) => !rows.some((row) => isSame(subject, row)));
  return [...changed, ...added.map(({ kind, id }) => ({ kind, id, types: [...types] }))];
}

/** Removes modes from the rows of the subjects. If `types` is undefined, removes the rows. */
export function revokeModes(
  rows: readonly AccessRow[],
  subjects: readonly Grantee[],
  types: readonly ModeWord[] | undefined,
): AccessRow[] {
  return rows.flatMap((row) => {
    if (!subjects.some((subject) => isSame(subject, row))) return [row];
    return withOnly(row, (mode) => types !== undefined && !types.includes(mode));
  });
}

/**
 * Returns the rows that remain in a form with only these modes. The service itself removes the other modes from the
 * rows (R74), so no request is needed.
 */
export function rowsWithin(rows: readonly AccessRow[], types: readonly ModeWord[]): AccessRow[] {
  return rows.flatMap((row) => withOnly(row, (mode) => types.includes(mode)));
}

/** Returns the modes that each subject loses. */
export function lostRows(before: readonly AccessRow[], after: readonly AccessRow[]): AccessRow[] {
  return before.flatMap((row) => {
    const kept = after.find((other) => isSame(other, row))?.types ?? [];
    return withOnly(row, (mode) => !kept.includes(mode));
  });
}

/** Whether both lists grant the same modes. The order of modes does not matter. */
export function sameRows(one: readonly AccessRow[], other: readonly AccessRow[]): boolean {
  return lostRows(one, other).length === 0 && lostRows(other, one).length === 0;
}

/** Returns the text for the lost access of a row, such as `access of role Recruiter: VIEW, EDIT`. */
export function lossOf(names: Names | undefined, row: AccessRow): string {
  return `access of ${row.kind} ${nameOf(names, row) ?? row.id}: ${row.types.join(", ")}`;
}

function withTypes(row: AccessRow, types: readonly ModeWord[]): AccessRow {
  return { ...row, types: [...row.types, ...types.filter((mode) => !row.types.includes(mode))] };
}

/** Returns the row with only the matching modes, as a list. The list is empty if no mode matches. */
function withOnly(row: AccessRow, matches: (mode: ModeWord) => boolean): AccessRow[] {
  const types = row.types.filter(matches);
  return types.length === 0 ? [] : [{ ...row, types }];
}

function isSame(one: Grantee, other: Grantee): boolean {
  return one.kind === other.kind && one.id === other.id;
}

/** The result of every access command. */
export type FormAccess = {
  /** Undefined if the token may not read the form. */
  form: ShownForm | undefined;
  matrix: AccessAnswer;
  names: Names | undefined;
  /** Whether the command changed the matrix. Absent for a command that only reads. */
  isChanged?: boolean;
};

/** The output of every access command: a line for each member or role, a column for each mode. */
export const accessOutput = {
  view({ form, matrix, names, isChanged }: FormAccess, terminal: Terminal): void {
    if (isChanged === false) terminal.hint("Nothing to change.");
    const rows = rowsOf(matrix);
    const name: Column<AccessRow> = { title: "Name", value: (row) => nameOf(names, row), essential: true };
    printTable(
      terminal,
      [
        { title: "Who", value: ({ kind }) => kind },
        ...(names ? [name] : []),
        // The user copies this id into a file of access rows, so it is not shortened.
        { title: "Id", value: ({ id }) => id, ...(names ? { yields: true } : { essential: true }) },
        ...modesOf(form, matrix).map(modeColumn),
      ],
      rows,
      "No member or role has an access row.",
    );
    if (rows.length === 0) printUsersWithoutRows(form, terminal);
  },
  document: ({ matrix }: FormAccess): AccessAnswer => matrix,
  names: ({ matrix }: FormAccess): string[] => rowsOf(matrix).map(({ id }) => id),
};

/** Prints who can use a form without access rows, as far as the API defines it (R13). */
function printUsersWithoutRows(form: ShownForm | undefined, terminal: Terminal): void {
  terminal.hint("Dashboards: the API does not define who can use a form without rows. The server decides.");
  terminal.hint("API: every token with the permission for the request. Access rows don't restrict tokens.");
  if (form?.isPublic) terminal.hint("Public link: everyone who has the link, because the form is public.");
}

function modesOf(form: ShownForm | undefined, matrix: AccessAnswer): ModeWord[] {
  const modes = [...(form?.types ?? []), ...rowsOf(matrix).flatMap(({ types }) => types)];
  return [...new Set(modes)].toSorted(byMode);
}

function modeColumn(mode: ModeWord): Column<AccessRow> {
  return { title: mode, value: ({ types }) => (types.includes(mode) ? true : null), essential: true };
}
