/**
 * Replaces the ids of the source by the ids of the target (counterparts.ts). This applies to roles, members, scripts,
 * fields, modules, and other records in the project file. Collects the ids that can't be replaced. manifests.ts reports
 * these ids.
 */

import type { Exported } from "../export/exported.ts";
import type { KnownRecords, RecordKind } from "../state/target.ts";
import type { Named } from "../manifests/references.ts";
import { isJsonObject, type JsonObject } from "../schemas/json.ts";
import { formatPath, type PathStep } from "../schemas/path.ts";
import { type Counterpart, openCounterparts } from "./counterparts.ts";

/** An id of the source that can't be replaced. */
export type UnmappedId = {
  /** `form` and `layout`: the id of a form or layout of the source. Such ids are not mapped. */
  kind: RecordKind | "form" | "layout";
  id: string;
  /** The key or name of the record. Absent if none is known for the id. */
  name?: string;
  /** Why the target has no single counterpart. */
  counterpart: Exclude<Counterpart, { state: "found" }>;
  /** The address of the form or layout that contains the id. */
  address: string;
  /** The path of the id in the manifest of that form or layout. */
  path: string;
  /** True if the id is promoted unchanged instead of refused: the target may have the record under the same id. */
  isKept: boolean;
};

/** The members and the layout of a manifest, with the ids of the target. */
export type MappedResource = { members: JsonObject; layout: JsonObject | undefined; unmapped: UnmappedId[] };

/** Returns a function that replaces the ids in an exported form or layout. */
export function openIdMap(
  from: KnownRecords["named"],
  to: KnownRecords["named"],
  exported: readonly Exported[],
): (each: Pick<Exported, "address" | "members" | "layout">) => MappedResource {
  const find = openFinder(from, withoutPlaceholders(to));
  const kindOfId = new Map<string, UnmappedId["kind"]>();
  for (const { layoutId } of exported) kindOfId.set(layoutId, "layout");
  for (const each of exported) if (each.kind === "Form") kindOfId.set(each.formId, "form");
  // The keys of modules are left out: they are ordinary words. In `config` and other free members, the same word may
  // have another meaning.
  for (const kind of ["role", "member", "script", "field", "other"] as const) {
    for (const { id } of from[kind]) kindOfId.set(id, kind);
  }
  return ({ address, members, layout }) => {
    const unmapped: UnmappedId[] = [];
    const walk = walkerFor({ address, find, kindOfId, unmapped });
    return {
      members: walk.members(members),
      layout: layout && walk.layout(layout),
      unmapped,
    };
  };
}

/** The ids that missing-references.ts proposes for the project file. The user replaces them. */
export const PLACEHOLDERS: Readonly<Record<RecordKind, string>> = {
  role: "ROLE_ID",
  member: "MEMBER_ID",
  script: "SCRIPT_ID",
  field: "FIELD_ID",
  module: "MODULE_KEY",
  other: "OTHER_ID",
};

function withoutPlaceholders(named: KnownRecords["named"]): KnownRecords["named"] {
  const own = Object.entries(named).map(([kind, records]) => [
    kind,
    records.filter(({ id }) => id !== PLACEHOLDERS[kind as RecordKind]),
  ]);
  return Object.fromEntries(own) as KnownRecords["named"];
}

/** Returns the record of the source with an id, and its counterpart. The record is undefined if the id is unknown. */
type Find = (kind: RecordKind, id: string) => { record: Named | undefined; counterpart: Counterpart };

function openFinder(from: KnownRecords["named"], to: KnownRecords["named"]): Find {
  const sideOf = (kind: RecordKind, records: readonly Named[]) => ({
    byId: new Map(records.map((record) => [record.id, record])),
    counterpartOf: openCounterparts(records, to[kind]),
  });
  const modules = sideOf("module", from.module);
  const onTarget = (key: string) => {
    const found = modules.byId.get(key);
    const counterpart = found && modules.counterpartOf(found);
    return counterpart?.state === "found" ? counterpart.record.id : key;
  };
  // The keys of fields and objects of a store begin with the key of the module, which may differ on the target.
  const owned = (record: Named): Named => ({
    ...record,
    ...(record.key !== undefined && {
      key: record.key.replace(/^(module |object )?([^/]+)/, (_, kind: string = "", key) => kind + onTarget(key)),
    }),
  });
  const sides = {
    role: sideOf("role", from.role),
    member: sideOf("member", from.member),
    script: sideOf("script", from.script),
    field: sideOf("field", from.field.map(owned)),
    module: modules,
    other: sideOf("other", from.other.map(owned)),
  };
  return (kind, id) => {
    const { byId, counterpartOf } = sides[kind];
    const record = byId.get(id) ?? (kind === "script" ? keyedBy(id, from.script) : undefined);
    // Objects name their module by its key, and bindings may name a script by its key. So the key may be a name on the target.
    const names = kind === "module" || kind === "script" ? [id] : [];
    return { record, counterpart: counterpartOf(record ?? { id, names }) };
  };
}

/** Returns the script that a binding names by its key. Undefined if there are none or several. */
function keyedBy(text: string, scripts: readonly Named[]): Named | undefined {
  const found = scripts.filter(({ key, names }) => (key === undefined ? names.includes(text) : key === text));
  return found.length === 1 ? found[0] : undefined;
}

type Path = readonly PathStep[];

type WalkOptions = {
  address: string;
  find: Find;
  /** The kind of each known id of the source. */
  kindOfId: ReadonlyMap<string, UnmappedId["kind"]>;
  /** Receives the ids that can't be replaced. */
  unmapped: UnmappedId[];
};

/**
 * The members whose texts are never ids of records. These texts are words, keys, or references to parts of the same
 * layout.
 */
const PLAIN_MEMBERS = new Set(["id", "key", "type", "source", "hook", "action", "regionKey", "draftId"]);
/**
 * The members of a block's `ref` that contain the id of a field. The value is the name of the member with the key of
 * that field. A server derives the id from the key.
 */
const FIELD_IDS: Readonly<Record<string, string>> = {
  fieldId: "fieldKey",
  fieldDefinitionId: "fieldKey",
  relationFieldId: "relationFieldKey",
};

function walkerFor({ address, find, kindOfId, unmapped }: WalkOptions) {
  function replace(kind: RecordKind, id: string, path: Path, isKept = false): string {
    const { record, counterpart } = find(kind, id);
    // A binding may name its script by the key.
    if (counterpart.state === "found") return counterpart.record.key === id ? id : counterpart.record.id;
    // Without a counterpart, the source and the target are assumed to use the same keys of modules.
    if (kind === "module" && counterpart.state === "missing") return id;
    const name = record?.key ?? record?.names[0];
    // Only a record that the target does not know may stay unchanged.
    const at = { address, path: formatPath(path), isKept: isKept && counterpart.state === "missing" };
    unmapped.push({ kind, id, ...(name !== undefined && { name }), counterpart, ...at });
    return id;
  }

  const moduleKeyOf = (key: unknown, path: Path) => (typeof key === "string" ? replace("module", key, path) : key);

  /** Replaces the known ids anywhere in a JSON value. */
  function free(value: unknown, path: Path): unknown {
    if (typeof value === "string") {
      const kind = kindOfId.get(value);
      if (kind === undefined) return value;
      if (kind !== "form" && kind !== "layout") return replace(kind, value, path);
      const counterpart = { state: "missing", similar: [] } as const;
      unmapped.push({ kind, id: value, counterpart, address, path: formatPath(path), isKept: false });
      return value;
    }
    if (Array.isArray(value)) return value.map((each, index) => free(each, [...path, index]));
    if (!isJsonObject(value)) return value;
    return mapMembers(value, (member, name) =>
      name === "moduleKey" ? moduleKeyOf(member, [...path, name]) : free(member, [...path, name]),
    );
  }

  /**
   * Replaces the ids in an item of a layout. `own` has a function for each member whose structure the API defines. All
   * other members can have any JSON value. In these members, all known ids are replaced.
   */
  function item(value: JsonObject, path: Path, own: Readonly<Record<string, (value: unknown, path: Path) => unknown>>) {
    return mapMembers(value, (member, name) => {
      if (PLAIN_MEMBERS.has(name)) return member;
      const at = [...path, name];
      return Object.hasOwn(own, name) ? own[name]!(member, at) : free(member, at);
    });
  }

  const unchanged = (value: unknown) => value;
  const idOf =
    (kind: RecordKind, isKept = false) =>
    (value: unknown, path: Path) =>
      typeof value === "string" ? replace(kind, value, path, isKept) : value;
  const listOf = (map: (value: JsonObject, path: Path) => unknown) => (value: unknown, path: Path) =>
    Array.isArray(value) ? value.map((each, index) => map(each as JsonObject, [...path, index])) : value;

  function ref(value: unknown, path: Path): unknown {
    if (!isJsonObject(value)) return value;
    // If the ref has the key of the field, the id is left out: a server derives the id from the key.
    const isDerived = (name: string) => Object.hasOwn(FIELD_IDS, name) && value[FIELD_IDS[name]!] != null;
    const own = Object.entries(value).filter(([name]) => !isDerived(name));
    return item(Object.fromEntries(own), path, {
      fieldId: idOf("field"),
      fieldDefinitionId: idOf("field"),
      relationFieldId: idOf("field"),
      savedQueryId: idOf("other", true),
      draftFieldDefinitionId: unchanged,
      moduleKey: moduleKeyOf,
    });
  }

  const block = (value: JsonObject, path: Path): unknown => item(value, path, { ref, children: listOf(block) });
  const region = (value: JsonObject, path: Path) => item(value, path, {});
  const binding = (value: JsonObject, path: Path) => item(value, path, { scriptId: idOf("script"), target: unchanged });
  function staged(value: JsonObject, path: Path): JsonObject {
    const { existingFieldDefinitionId: id, ...rest } = value;
    // An id without a known name can't be replaced. If the change has a key, such an id is left out: without an id, a
    // server finds the field by its key.
    const isDerived =
      typeof id === "string" && typeof rest["key"] === "string" && find("field", id).record === undefined;
    return item(isDerived ? rest : value, path, {
      name: unchanged,
      existingFieldDefinitionId: idOf("field"),
      scopeId: idOf("other", true),
    });
  }

  const targetMembers = {
    moduleKey: moduleKeyOf,
    objectKey: unchanged,
    dashboardKey: unchanged,
    scopeId: idOf("other", true),
    entityId: idOf("other", true),
  };
  const rows = (member: string, kind: RecordKind) =>
    listOf((row, path) => mapMembers(row, (value, name) => (name === member ? idOf(kind)(value, path) : value)));
  const matrix = (value: unknown, path: Path) =>
    isJsonObject(value)
      ? mapMembers(value, (list, name) =>
          name === "users"
            ? rows("membershipId", "member")(list, [...path, name])
            : name === "roles"
              ? rows("roleId", "role")(list, [...path, name])
              : list,
        )
      : value;

  return {
    members: (members: JsonObject): JsonObject =>
      mapMembers(members, (value, name) => {
        if (name === "access" || name === "assignments") return matrix(value, [name]);
        if (name === "config" || name === "metadata") return free(value, [name]);
        if (name === "object" && typeof value === "string") return objectOf(value, [name]);
        if (name === "target" && isJsonObject(value)) return item(value, [name], targetMembers);
        return value;
      }),
    layout: (layout: JsonObject): JsonObject =>
      mapMembers(layout, (value, name) => {
        const path = ["layout", name];
        if (name === "blocks") return listOf(block)(value, path);
        if (name === "regions") return listOf(region)(value, path);
        if (name === "scriptBindings") return listOf(binding)(value, path);
        if (name === "stagedFieldDefinitions") return listOf(staged)(value, path);
        return free(value, path);
      }),
  };

  function objectOf(text: string, path: Path): string {
    const [moduleKey = "", ...rest] = text.split("/");
    return [replace("module", moduleKey, path), ...rest].join("/");
  }
}

/** Maps the values of the members that are present. */
function mapMembers(object: JsonObject, map: (value: unknown, name: string) => unknown): JsonObject {
  const present = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [name, map(value, name)]));
}
