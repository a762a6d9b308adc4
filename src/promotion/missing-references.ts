/**
 * Proposes the part of the project file that a promotion needs: names for the ids of servers. manifests.ts reports ids
 * without a counterpart; this module helps the user to add their names.
 */

import { isJsonObject, type JsonObject } from "../schemas/json.ts";
import { PLACEHOLDERS, type UnmappedId } from "./ids.ts";

/** The members of `references` in the project file, by the kind of the records. */
const MEMBERS = {
  role: "roles",
  member: "members",
  script: "scripts",
  field: "fields",
  module: "modules",
  other: "others",
} as const;

/** The keys of both sides in `references`. Undefined for a local store, which contains the names of its records. */
export type ReferenceKeys = { from: string | undefined; to: string | undefined };

/**
 * Returns the missing part of the project file. Undefined if nothing can be added. An id of the source without a name
 * gets the name `NAME_OF_id`, and an unknown id of the target is `ROLE_ID`, `SCRIPT_ID` and so on. The user replaces
 * both; until then, such ids count as missing.
 */
export function missingReferences(unmapped: readonly UnmappedId[], keys: ReferenceKeys): JsonObject | undefined {
  const references: Record<string, Record<string, Record<string, string>>> = {};
  const add = (key: string | undefined, member: string, name: string, id: string) => {
    if (key !== undefined) ((references[key] ??= {})[member] ??= {})[name] = id;
  };
  for (const { kind, id, name, counterparts } of unmapped) {
    // An ambiguous name has to be changed, and ids of forms and layouts can't be named in the project file.
    if (kind === "form" || kind === "layout" || counterparts.length > 1) continue;
    const known = name ?? `NAME_OF_${id}`;
    if (name === undefined) add(keys.from, MEMBERS[kind], known, id);
    add(keys.to, MEMBERS[kind], known, PLACEHOLDERS[kind]);
  }
  return Object.keys(references).length === 0 ? undefined : { references };
}

/** Returns the project file with the missing part. Existing values are kept. */
export function withMissing(file: JsonObject, missing: JsonObject): JsonObject {
  const merged = { ...file };
  for (const [name, value] of Object.entries(missing)) {
    const current = merged[name];
    if (isJsonObject(current) && isJsonObject(value)) merged[name] = withMissing(current, value);
    else if (current == null) merged[name] = value;
  }
  return merged;
}
