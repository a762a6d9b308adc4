/** The document of a manifest, brought to what is there: an aspect at a time, by what both sides were the last time. */

import type { AccessAnswer } from "../../schemas/answers.ts";
import type { ModeWord } from "../../schemas/open.ts";
import type { JsonObject } from "../../schemas/json.ts";
import { digestOf } from "../content/compare.ts";
import { canonicalAccess, canonicalAssignments, sortedModes } from "../plan/changes.ts";
import type { Exported } from "./export.ts";
import type { LockedResource } from "../lock.ts";
import type { Manifest } from "../manifest.ts";
import { inWordsOf, withIds } from "./merge-rows.ts";
import { differingMembers, likeOrder, type Merging, UNTOLD } from "./merge-values.ts";
import type { References } from "../references.ts";
import type { LayoutAssignments } from "../state.ts";

export type ManifestSides = {
  /** The document as the file has it, and as it is with the environment filled in. */
  raw: JsonObject;
  said: JsonObject;
  manifest: Manifest;
  exported: Exported;
  locked: LockedResource | undefined;
  references: References;
  /** What is there is taken where nothing tells who has changed what. */
  overwrite: boolean;
};

/** What the file shall say but for its layout, and the digests of what both sides have in common then. */
export type MergedManifest = { raw: JsonObject; base: Record<string, string> };

/** A member whose every item is a mode. */
const SETS = new Set(["types", "supportedModes", "defaultFor"]);

export function mergeManifest(sides: ManifestSides, merging: Merging): MergedManifest {
  const { raw, said, locked, overwrite } = sides;
  const result: JsonObject = { ...raw };
  const base: Record<string, string> = { ...locked?.base };
  for (const { name, there, digests } of aspectsOf(sides)) {
    // A rename that the file wants is still to be made.
    if (name === "name" && raw["renamedFrom"] !== undefined && said["renamedFrom"] === there) continue;
    if (digests.file === digests.there) {
      base[name] = digests.there;
      continue;
    }
    const before = locked?.base[name];
    if (before === digests.there) continue;
    if (before === undefined ? !overwrite : before !== digests.file) {
      // Of an aspect one digest is kept: which of its members has moved where, nothing tells.
      merging.report([name], before === undefined ? UNTOLD : undefined, differingMembers(said[name], there));
      continue;
    }
    const meant = SETS.has(name) ? likeOrder(said[name], there) : there;
    const conflicts = merging.conflicts.length;
    const merged = merging.merge({ raw: raw[name], said: said[name], there: meant, base: undefined }, [name]);
    result[name] = merged;
    if (merging.conflicts.length === conflicts) base[name] = digests.there;
  }
  // Renamed there to something else, it has no former name that anybody would look for.
  if (result["name"] !== raw["name"]) delete result["renamedFrom"];
  return { raw: result, base };
}

type Aspect = {
  name: string;
  /** In the words of the file, as far as they mean the same. */
  there: unknown;
  digests: { file: string; there: string };
};

/** Those of which both sides speak: what the file does not say is not managed there. */
function aspectsOf({ said, manifest, exported, references }: ManifestSides): Aspect[] {
  const plain = (name: string): Aspect[] => {
    const there = exported.members[name];
    if (said[name] === undefined || there === undefined) return [];
    const digest = (value: unknown) => digestOf(SETS.has(name) ? sortedModes(value as ModeWord[]) : value);
    // As the schema has read it: a number may stand in the environment as text.
    const file = (manifest as unknown as JsonObject)[name];
    return [{ name, there, digests: { file: digest(file), there: digest(there) } }];
  };
  const rows = (name: "access" | "assignments", file: unknown, there: unknown): Aspect => ({
    name,
    there: inWordsOf(said[name], exported.members[name], references),
    digests: { file: digestOf(file), there: digestOf(there) },
  });
  if (manifest.kind === "Form") {
    const aspects = ["name", "types", "isActive", "isPublic", "config", "defaultFor"].flatMap(plain);
    const { access } = manifest;
    if (!access || exported.kind !== "Form" || !exported.access) return aspects;
    const users = withIds(access.users, references) as AccessAnswer["users"];
    const roles = withIds(access.roles, references) as AccessAnswer["roles"];
    return [...aspects, rows("access", canonicalAccess({ users, roles }), canonicalAccess(exported.access))];
  }
  const aspects = ["name", "supportedModes", "metadata"].flatMap(plain);
  const { assignments } = manifest;
  if (!assignments || exported.kind !== "Layout" || !exported.assignments) return aspects;
  const roles = withIds(assignments.roles, references) as LayoutAssignments["roles"];
  const file = canonicalAssignments({ organizationDefault: assignments.organizationDefault, roles });
  return [...aspects, rows("assignments", file, canonicalAssignments(exported.assignments))];
}
