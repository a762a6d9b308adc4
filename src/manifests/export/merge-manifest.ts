/**
 * Merges the members of a resource on the target into its manifest, except the layout. Each member is merged as a
 * whole, because the lock has only a digest of it.
 */

import type { AccessAnswer } from "../../schemas/answers.ts";
import { isJsonObject, type JsonObject } from "../../schemas/json.ts";
import { digestOf } from "../content/compare.ts";
import { canonicalAccess, canonicalAssignments } from "../plan/changes.ts";
import type { LockedResource } from "../lock.ts";
import type { Manifest } from "../manifest.ts";
import type { References } from "../references.ts";
import type { LayoutAssignments } from "../state.ts";
import { memberDigest, memberDigests, MODE_SETS } from "./base.ts";
import type { Exported } from "./exported.ts";
import { differingMembers, likeOrder, type Merging, UNKNOWN_BASE } from "./merge-values.ts";

export type ManifestSides = {
  /** The document as in the file (`raw`), and after environment variables are substituted (`value`). */
  raw: JsonObject;
  value: JsonObject;
  manifest: Manifest;
  exported: Exported;
  locked: LockedResource | undefined;
  references: References;
  /** Takes the value of the target if the base is unknown. */
  overwrite: boolean;
};

/**
 * The merged document, with an unchanged layout, and the digests of the members that both sides then have in common.
 */
export type MergedManifest = { raw: JsonObject; base: Record<string, string> };

export function mergeManifest(sides: ManifestSides, merging: Merging): MergedManifest {
  const { raw, value, locked, overwrite, exported } = sides;
  const result: JsonObject = { ...raw };
  const base: Record<string, string> = { ...locked?.base };
  const targetDigests = memberDigests(exported);
  for (const { name, target, fileDigest } of managedMembers(sides)) {
    const targetDigest = targetDigests[name]!;
    // The file requests a rename that is not applied yet.
    if (name === "name" && raw["renamedFrom"] !== undefined && value["renamedFrom"] === target) continue;
    if (fileDigest === targetDigest) {
      base[name] = targetDigest;
      continue;
    }
    const before = locked?.base[name];
    if (before === targetDigest) continue;
    if (before === undefined ? !overwrite : before !== fileDigest) {
      // A digest does not show which side changed which part of the member, so the whole member is one conflict.
      const message = before === undefined ? UNKNOWN_BASE : undefined;
      merging.report([name], message, differingMembers(value[name], target));
      continue;
    }
    const ordered = MODE_SETS.has(name) ? likeOrder(value[name], target) : target;
    const conflicts = merging.conflicts.length;
    const merged = { raw: raw[name], file: value[name], target: ordered, base: undefined };
    result[name] = merging.merge(merged, [name]);
    if (merging.conflicts.length === conflicts) base[name] = targetDigest;
  }
  // After a rename on the target, the former name in the file (`renamedFrom`) is obsolete.
  if (result["name"] !== raw["name"]) delete result["renamedFrom"];
  return { raw: result, base };
}

/** A member that both sides have. A manifest does not manage the members that it omits. */
type ManagedMember = {
  name: string;
  /** The value on the target, in the notation of the file where that has the same meaning. */
  target: unknown;
  fileDigest: string;
};

function managedMembers({ value, manifest, exported, references }: ManifestSides): ManagedMember[] {
  const plain = (name: string): ManagedMember[] => {
    const target = exported.members[name];
    if (value[name] === undefined || target === undefined) return [];
    // The manifest has the value with the type of its schema. The document may have the text of a variable instead.
    return [{ name, target, fileDigest: memberDigest(name, (manifest as unknown as JsonObject)[name]) }];
  };
  const rows = (name: "access" | "assignments", file: unknown): ManagedMember => ({
    name,
    target: rowsAsInFile(value[name], exported.members[name], references),
    fileDigest: digestOf(file),
  });
  if (manifest.kind === "Form") {
    const members = ["name", "types", "isActive", "isPublic", "config", "defaultFor"].flatMap(plain);
    const { access } = manifest;
    if (!access || exported.kind !== "Form" || !exported.access) return members;
    const users = withIds(access.users, references) as AccessAnswer["users"];
    const roles = withIds(access.roles, references) as AccessAnswer["roles"];
    return [...members, rows("access", canonicalAccess({ users, roles }))];
  }
  const members = ["name", "supportedModes", "metadata"].flatMap(plain);
  const { assignments } = manifest;
  if (!assignments || exported.kind !== "Layout" || !exported.assignments) return members;
  const roles = withIds(assignments.roles, references) as LayoutAssignments["roles"];
  const { organizationDefault } = assignments;
  return [...members, rows("assignments", canonicalAssignments({ organizationDefault, roles }))];
}

/** The members of a row that can identify its role or its organization member. */
const NAMINGS = ["member", "membershipId", "role", "roleId"] as const;

/**
 * Replaces the names in rows by ids. An unknown or ambiguous name gets an id that no role or member has, so that its
 * row differs from every row of the target.
 */
function withIds(rows: readonly object[], references: References): JsonObject[] {
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

/** Returns access or assignments of the target with the names, the order and the omitted defaults of the file. */
function rowsAsInFile(file: unknown, target: unknown, references: References): unknown {
  if (!isJsonObject(file) || !isJsonObject(target)) return target;
  const result: JsonObject = { ...target };
  for (const list of ["users", "roles"]) {
    const [rows, others] = [file[list], target[list]];
    if (Array.isArray(rows) && Array.isArray(others)) {
      result[list] = orderRows(rows.filter(isJsonObject), others, references);
    }
  }
  if (file["organizationDefault"] === undefined && target["organizationDefault"] === false) {
    delete result["organizationDefault"];
  }
  return result;
}

function orderRows(rows: readonly JsonObject[], target: readonly JsonObject[], references: References): JsonObject[] {
  const idOf = (row: JsonObject) => {
    const [{ membershipId, roleId } = {}] = withIds([row], references);
    return membershipId ?? roleId;
  };
  const order = rows.map(idOf);
  const ordered = target.map((row) => {
    const index = order.indexOf(idOf(row));
    return index < 0 ? { row, index: order.length } : { row: rowAsInFile(rows[index]!, row), index };
  });
  return ordered.toSorted((a, b) => a.index - b.index).map(({ row }) => row);
}

function rowAsInFile(file: JsonObject, target: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const name of NAMINGS) if (file[name] !== undefined) result[name] = file[name];
  for (const [name, value] of Object.entries(target)) {
    if (NAMINGS.some((naming) => naming === name)) continue;
    // 0 is the default priority.
    if (name === "priority" && value === 0 && file[name] === undefined) continue;
    result[name] = likeOrder(file[name], value);
  }
  return result;
}
