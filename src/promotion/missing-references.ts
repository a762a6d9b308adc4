/**
 * Proposes names for the ids of servers. A promotion needs these names in the project file. The module manifests.ts
 * reports the ids without a counterpart.
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

/**
 * The keys of the source and the target in `references`. Undefined for a local store, which contains the names of its
 * records.
 */
export type ReferenceKeys = { from: string | undefined; to: string | undefined };

/**
 * Returns the missing part of the project file. Undefined if nothing can be added. An id of the source without a name
 * gets the name `NAME_OF_id`. An unknown id of the target is `ROLE_ID`, `SCRIPT_ID` and so on. The user replaces these
 * placeholders. Until then, the ids count as missing.
 */
export function missingReferences(unmapped: readonly UnmappedId[], keys: ReferenceKeys): JsonObject | undefined {
  const references: Record<string, Record<string, Record<string, string>>> = {};
  const add = (key: string | undefined, member: string, name: string, id: string) => {
    if (key !== undefined) ((references[key] ??= {})[member] ??= {})[name] = id;
  };
  for (const { kind, id, name, counterpart } of unmapped) {
    // The user decides which record is meant. The project file can't contain ids of forms and layouts.
    if (kind === "form" || kind === "layout" || counterpart.state !== "missing") continue;
    const known = name ?? `NAME_OF_${id}`;
    if (name === undefined) add(keys.from, MEMBERS[kind], known, id);
    add(keys.to, MEMBERS[kind], known, PLACEHOLDERS[kind]);
  }
  return Object.keys(references).length === 0 ? undefined : { references };
}

/** Returns the project file with the missing references. Existing values are kept. */
export function addReferences(file: JsonObject, missing: JsonObject): JsonObject {
  const merged = { ...file };
  for (const [name, value] of Object.entries(missing)) {
    const current = merged[name];
    if (isJsonObject(current) && isJsonObject(value)) merged[name] = addReferences(current, value);
    else if (current == null) merged[name] = value;
  }
  return merged;
}
