/** The access matrix of a form: compared as two sets of rows, told by the names of roles and members. */

import type { AccessAnswer } from "../../schemas/answers.ts";
import type { ModeWord } from "../../schemas/words.ts";
import type { Change } from "../../schemas/content-diff.ts";
import { canonicalJson } from "../../schemas/json.ts";
import { formatPath } from "../../schemas/path.ts";
import type { LockedResource } from "../lock.ts";
import type { WantedForm } from "../manifest.ts";
import { addStep, asSet, compareAspect, missingAspect, type Parts } from "./parts.ts";
import { replacedAspect } from "./replaced.ts";
import type { References } from "../references.ts";
import type { FormState } from "../state.ts";

export type NameOf = References["nameOf"];

type Row = { list: "users" | "roles"; id: string; types: readonly ModeWord[] };

/** @param state undefined for a form that is made first */
export function planAccess(
  parts: Parts,
  wanted: WantedForm,
  state: FormState | undefined,
  { locked, nameOf }: { locked: LockedResource | undefined; nameOf: NameOf },
): void {
  if (!wanted.access) return;
  const rows = rowsOf(wanted.access);
  // Not read where the list says that there is nothing to be read.
  const there = rowsOf(state?.access ?? { users: [], roles: [] });
  if (state) {
    const aspect = { name: "access", wanted: canonicalRows(rows), there: canonicalRows(there) };
    if (!compareAspect(parts, aspect, locked)) return;
  } else {
    missingAspect(parts, "access", canonicalRows(rows));
    if (rows.length === 0) return;
  }
  parts.changes.push(...rowChanges(there, rows, nameOf));
  const replaces = replacedAspect("access", canonicalRows(there));
  addStep(parts, "access", { operation: "replaceFormAccess", body: wanted.access }, replaces);
}

/** What members and roles lose with the modes of a form, where the manifest does not speak of them (R74). */
export function tellLostAccess(parts: Parts, access: AccessAnswer, removed: readonly ModeWord[], nameOf: NameOf): void {
  for (const row of rowsOf(access)) {
    const lost = row.types.filter((mode) => removed.includes(mode));
    if (lost.length === 0) continue;
    const left = row.types.length > lost.length ? "" : ", and with it the whole access row";
    parts.effects.push(`${subjectText(row, nameOf)} loses ${lost.join(", ")}${left}`);
  }
}

/** A text for the matrix in which the order of rows and modes means nothing. */
export function canonicalAccess(access: AccessAnswer): unknown {
  return canonicalRows(rowsOf(access));
}

function rowsOf({ users, roles }: AccessAnswer): Row[] {
  return [
    ...users.map(({ membershipId, types }): Row => ({ list: "users", id: membershipId, types })),
    ...roles.map(({ roleId, types }): Row => ({ list: "roles", id: roleId, types })),
  ];
}

function canonicalRows(rows: readonly Row[]): unknown {
  return rows.map(({ list, id, types }) => canonicalJson([list, id, asSet(types)])).toSorted();
}

function rowChanges(there: readonly Row[], wanted: readonly Row[], nameOf: NameOf): Change[] {
  const key = ({ list, id }: Row) => `${list} ${id}`;
  const before = new Map(there.map((row) => [key(row), row]));
  const after = new Map(wanted.map((row) => [key(row), row]));
  const changes: Change[] = [];
  for (const row of before.values()) {
    if (!after.has(key(row))) changes.push({ kind: "removed", path: pathOf(row, nameOf), before: asSet(row.types) });
  }
  for (const row of after.values()) {
    const old = before.get(key(row));
    const types = asSet(row.types);
    if (!old) changes.push({ kind: "added", path: pathOf(row, nameOf), after: types });
    else if (canonicalJson(asSet(old.types)) !== canonicalJson(types)) {
      changes.push({ kind: "changed", path: pathOf(row, nameOf), before: asSet(old.types), after: types });
    }
  }
  return changes;
}

function pathOf(row: Row, nameOf: NameOf): string {
  return formatPath(["access", row.list, nameText(row, nameOf)]);
}

function nameText({ list, id }: Row, nameOf: NameOf): string {
  return nameOf(list === "roles" ? "role" : "member", id) ?? id;
}

function subjectText(row: Row, nameOf: NameOf): string {
  return `${row.list === "roles" ? "role" : "member"} ${nameText(row, nameOf)}`;
}
