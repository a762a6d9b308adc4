/** The access matrix as rows that can be counted, changed and compared (R27). */

import type { AccessAnswer } from "../../schemas/answers.ts";
import type { ModeWord } from "../../schemas/words.ts";

export type SubjectKind = "user" | "role";
export type Subject = { kind: SubjectKind; id: string };
export type AccessRow = Subject & { types: ModeWord[] };

/** Users first, as in the API, each list in its own order. */
export function rowsOf({ users, roles }: AccessAnswer): AccessRow[] {
  return [
    ...users.map(({ membershipId, types }): AccessRow => ({ kind: "user", id: membershipId, types })),
    ...roles.map(({ roleId, types }): AccessRow => ({ kind: "role", id: roleId, types })),
  ];
}

export function matrixOf(rows: readonly AccessRow[]): AccessAnswer {
  const of = (kind: SubjectKind) => rows.filter((row) => row.kind === kind);
  return {
    users: of("user").map(({ id, types }) => ({ membershipId: id, types })),
    roles: of("role").map(({ id, types }) => ({ roleId: id, types })),
  };
}

/** The rows with more modes for each subject; modes that it has already stay where they are. */
export function granted(
  rows: readonly AccessRow[],
  subjects: readonly Subject[],
  types: readonly ModeWord[],
): AccessRow[] {
  const changed = rows.map((row) => (subjects.some((subject) => isSame(subject, row)) ? withTypes(row, types) : row));
  const added = subjects.filter((subject) => !rows.some((row) => isSame(subject, row)));
  return [...changed, ...added.map(({ kind, id }) => ({ kind, id, types: [...types] }))];
}

/** The rows with fewer modes for each subject, or without its row. */
export function revoked(
  rows: readonly AccessRow[],
  subjects: readonly Subject[],
  types: readonly ModeWord[] | undefined,
): AccessRow[] {
  return rows.flatMap((row) => {
    if (!subjects.some((subject) => isSame(subject, row))) return [row];
    const left = types ? row.types.filter((mode) => !types.includes(mode)) : [];
    return left.length === 0 ? [] : [{ ...row, types: left }];
  });
}

/** What the rows would be once a form has these modes only: the service trims them itself (R74). */
export function trimmed(rows: readonly AccessRow[], types: readonly ModeWord[]): AccessRow[] {
  return rows.flatMap((row) => {
    const left = row.types.filter((mode) => types.includes(mode));
    return left.length === 0 ? [] : [{ ...row, types: left }];
  });
}

/** Who loses which modes. */
export function lostRows(before: readonly AccessRow[], after: readonly AccessRow[]): AccessRow[] {
  return before.flatMap((row) => {
    const kept = after.find((other) => isSame(other, row))?.types ?? [];
    const types = row.types.filter((mode) => !kept.includes(mode));
    return types.length === 0 ? [] : [{ ...row, types }];
  });
}

/** Whether both say the same of everybody; the order of modes means nothing. */
export function sameRows(one: readonly AccessRow[], other: readonly AccessRow[]): boolean {
  return lostRows(one, other).length === 0 && lostRows(other, one).length === 0;
}

function withTypes(row: AccessRow, types: readonly ModeWord[]): AccessRow {
  return { ...row, types: [...row.types, ...types.filter((mode) => !row.types.includes(mode))] };
}

function isSame(one: Subject, other: Subject): boolean {
  return one.kind === other.kind && one.id === other.id;
}
