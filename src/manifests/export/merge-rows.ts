/** Rows of access and of assignments: a file calls roles and members by names of its own choice, a server by ids. */

import { isJsonObject, type JsonObject } from "../../schemas/json.ts";
import { likeOrder } from "./merge-values.ts";
import type { References } from "../references.ts";

/** How a row may say whom it is about. */
const NAMINGS = ["member", "membershipId", "role", "roleId"] as const;

/** Rows with ids in place of names; a name that means nobody, or several, is nobody's id. */
export function withIds(rows: readonly object[], references: References): JsonObject[] {
  return rows.map((row) => {
    const { member, role, ...rest } = row as JsonObject;
    const idOf = (kind: "member" | "role", name: string) => {
      const ids = references.idsOf(kind, name);
      return ids.length === 1 ? ids[0] : `? ${name}`;
    };
    if (typeof member === "string") return { ...rest, membershipId: idOf("member", member) };
    return typeof role === "string" ? { ...rest, roleId: idOf("role", role) } : rest;
  });
}

/**
 * Rows as they are there, in the words of a file: who is named in it goes by that name and stands in its place, modes are in
 * its order, and what need not be said is not said where the file does not.
 */
export function inWordsOf(file: unknown, there: unknown, references: References): unknown {
  if (!isJsonObject(file) || !isJsonObject(there)) return there;
  const result: JsonObject = { ...there };
  for (const list of ["users", "roles"]) {
    const [rows, others] = [file[list], there[list]];
    if (Array.isArray(rows) && Array.isArray(others))
      result[list] = rowsLike(rows.filter(isJsonObject), others, references);
  }
  if (file["organizationDefault"] === undefined && there["organizationDefault"] === false) {
    delete result["organizationDefault"];
  }
  return result;
}

function rowsLike(rows: readonly JsonObject[], there: readonly JsonObject[], references: References): JsonObject[] {
  const whoIs = (row: JsonObject) => {
    const [{ membershipId, roleId } = {}] = withIds([row], references);
    return membershipId ?? roleId;
  };
  const order = rows.map(whoIs);
  const placed = there.map((row) => {
    const place = order.indexOf(whoIs(row));
    return { row: place < 0 ? row : inWords(rows[place]!, row), place: place < 0 ? order.length : place };
  });
  return placed.toSorted((a, b) => a.place - b.place).map(({ row }) => row);
}

function inWords(file: JsonObject, there: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const name of NAMINGS) if (file[name] !== undefined) result[name] = file[name];
  for (const [name, value] of Object.entries(there)) {
    if (NAMINGS.some((naming) => naming === name)) continue;
    // A priority of 0 need not be said.
    if (name === "priority" && value === 0 && file[name] === undefined) continue;
    result[name] = likeOrder(file[name], value);
  }
  return result;
}
