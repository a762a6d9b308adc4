/**
 * Merges an exported resource into its manifest and its layout file. Only the layout is merged part by part. Other
 * members of the manifest are merged as a whole, because the lock has one digest for each member.
 */

import type { AccessAnswer } from "../schemas/answers.ts";
import type { DraftContent } from "../schemas/draft.ts";
import { isJsonObject, type JsonObject, sameJson } from "../schemas/json.ts";
import type { SeedField } from "../schemas/organization.ts";
import type { Service } from "../service.ts";
import { digestOf } from "../contents/compare.ts";
import { type AppliedChanges, assumedNotes, findAppliedChanges } from "../state/staged-changes.ts";
import { isLockOutdated } from "../state/stamp.ts";
import { readContent } from "../state/versions.ts";
import { type Lock, type LockedResource, findLocked } from "../state/lock.ts";
import type { Manifest } from "../manifests/manifest.ts";
import { canonicalAccess, canonicalAssignments } from "../plan/changes.ts";
import { type Environment, substitute } from "../manifests/read/environment.ts";
import { readLayout } from "../manifests/read/layout-files.ts";
import type { References } from "../manifests/references.ts";
import type { ContentState, LayoutAssignments } from "../state/state.ts";
import { type ContentSides, findBase, memberDigest, memberDigests, MODE_SETS, recordContent } from "./base.ts";
import type { Exported } from "./exported.ts";
import type { FolderDocument, FolderManifest } from "./folder.ts";
import { mergeContent } from "./merge-content.ts";
import { type Conflict, differingMembers, likeOrder, Merging, UNKNOWN_BASE } from "./merge-values.ts";

const LOST_BASE =
  "was changed in the file and on the target, and their common base is not in the version history. To take it from the target, add --overwrite";

/**
 * The new value of a document, and the conflicts. A part with a conflict stays as in the file, and differs from the
 * target.
 */
export type DocumentChange = { document: FolderDocument; merged: JsonObject; conflicts: readonly Conflict[] };

export type MergedResource = {
  changes: DocumentChange[];
  /** The key of the lock entry: the address of the manifest after the merge. */
  address: string;
  locked: LockedResource;
  notes: string[];
};

export type MergeContext = {
  service: Service;
  env: Environment;
  references: References;
  lock: Pick<Lock, "get">;
  /** The current fields of the manifest's object; undefined if unknown. */
  fieldsOf: (manifest: Manifest) => readonly SeedField[] | undefined;
  /** Takes the values of the target if the base is unknown. */
  overwrite: boolean;
};

export async function mergeResource(
  exported: Exported,
  { manifest, document, layoutDocument }: FolderManifest,
  context: MergeContext,
): Promise<MergedResource> {
  const { service, references, lock, overwrite } = context;
  const { content, publish } = manifest;
  const { surface } = exported;
  const shown = content && (await contentToCompare(service, content, exported, publish));
  const recorded = findLocked(lock, manifest);
  // The lock and the file may both be older than the last publish. The base in the lock is then not used.
  const isOutdated = shown !== undefined && isLockOutdated(content!, surface, shown.current, recorded, publish);
  const locked = recorded && isOutdated ? { ...recorded, base: {} } : recorded;
  const merging = new Merging();
  const { raw, value } = document;
  const members = mergeManifest({ raw, value, manifest, exported, locked, references, overwrite }, merging);
  const { raw: merged } = members;
  // A member with a conflict keeps its base.
  const base = { ...recorded?.base, ...members.base };
  const changes: DocumentChange[] = [];
  const notes: string[] = [];

  const rawLayout = layoutDocument ? layoutDocument.raw : raw["layout"];
  if (content && isJsonObject(rawLayout) && shown) {
    const sides = { file: content, ...shown, surface };
    const applied = findAppliedChanges(content, surface, shown.current, {
      locked,
      fields: context.fieldsOf(manifest),
    });
    const before = isOutdated ? "unknown" : await findBase(service, sides, locked?.base);
    const layoutMerging = new Merging();
    const path = layoutDocument ? [] : ["layout"];
    const layout = mergeLayout(rawLayout, sides, { applied, before, path }, layoutMerging, context);
    const { conflicts } = layoutMerging;
    if (conflicts.length === 0) {
      recordContent(base, sides, applied);
      notes.push(...assumedNotes(applied));
    }
    if (layoutDocument) changes.push({ document: layoutDocument, merged: layout, conflicts });
    else {
      merged["layout"] = layout;
      merging.conflicts.push(...conflicts);
    }
  } else if (content && publish && exported.content?.published === null && !exported.content.isHidden) {
    notes.push("the layout has no published version: the file is unchanged");
  }
  changes.unshift({ document, merged, conflicts: merging.conflicts });
  const isRenamed = typeof merged["name"] === "string" && merged["name"] !== raw["name"];
  const ids = exported.kind === "Form" ? { formId: exported.formId } : {};
  return {
    changes,
    address: isRenamed ? exported.address : manifest.address,
    locked: { ...ids, layoutId: exported.layoutId, base },
    notes,
  };
}

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
 * The merged document and the digests for the lock. The layout of the document is unchanged. `base` contains new
 * digests for the members that are then equal in the document and on the target. Other members keep their digests in
 * the lock.
 */
export type MergedManifest = { raw: JsonObject; base: Record<string, string> };

function mergeManifest(sides: ManifestSides, merging: Merging): MergedManifest {
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
      // A digest does not show the changed parts of a member. So the whole member is one conflict.
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
  // After a rename on the target, `renamedFrom` in the file is obsolete.
  if (result["name"] !== raw["name"]) delete result["renamedFrom"];
  return { raw: result, base };
}

/** A member that both the manifest and the target have. The manifest does not manage a member that it omits. */
type ManagedMember = {
  name: string;
  /**
   * The value on the target. Rows of access and assignments that the file also contains are written as in the file: for
   * example, with the name of a role instead of its id.
   */
  target: unknown;
  fileDigest: string;
};

function managedMembers({ value, manifest, exported, references }: ManifestSides): ManagedMember[] {
  const plain = (name: string): ManagedMember[] => {
    const target = exported.members[name];
    if (value[name] === undefined || target === undefined) return [];
    // The digest is computed from the value in the manifest, which has the type of its schema. In the document, the
    // value may be the text of an environment variable.
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
 * Replaces the names in rows by ids. An unknown or ambiguous name gets an id that no role or member has. Its row then
 * differs from every row of the target.
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

/** Returns access or assignments of the target. The names, the order and the omitted defaults are those of the file. */
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

/**
 * Merges the layout. If file and target differ and the base is not found, reports one conflict instead. With
 * `overwrite`, takes the target and reports no such conflict.
 */
function mergeLayout(
  raw: JsonObject,
  { file, target, surface }: ContentSides,
  { applied, before, path }: { applied: AppliedChanges; before: Awaited<ReturnType<typeof findBase>>; path: string[] },
  merging: Merging,
  { env, overwrite }: MergeContext,
): JsonObject {
  const base = typeof before === "string" ? undefined : before;
  const read = (layout: JsonObject) => layoutIn(layout, env);
  const merged = mergeContent({ raw, file, target, base, surface, isApplied: applied.has, read }, merging, path);
  if (base || overwrite || sameJson(merged, raw)) return merged;
  merging.conflicts.length = 0;
  const subject = path.length === 0 ? "the layout " : "";
  merging.report(path, subject + (before === "lost" ? LOST_BASE : UNKNOWN_BASE));
  return raw;
}

/**
 * Returns the content to compare with the layout in a file. This is the published content. A manifest that does not
 * publish is compared with the draft, if a draft exists. Returns undefined if there is no content, or if manifests do
 * not support the schema version of the content.
 */
async function contentToCompare(
  service: Service,
  content: DraftContent,
  exported: Exported,
  publish: boolean,
): Promise<{ current: ContentState; target: DraftContent } | undefined> {
  if (!exported.content) return undefined;
  const created = content.stagedFieldDefinitions.flatMap(({ action, key }) => (action === "create" ? (key ?? []) : []));
  // The content of the export does not state which versions show the fields that this file creates. So the content is
  // read again.
  const current =
    created.length > 0 ? await readContent(service, exported.layoutId, exported.surface, created) : exported.content;
  const { published, draft } = current;
  const target = publish ? published : (draft ?? published);
  return target?.content.schemaVersion === 1 ? { current, target: target.content } : undefined;
}

/**
 * Returns the content of a layout from a file. Its texts may contain placeholders. Undefined if the layout is invalid.
 */
function layoutIn(layout: JsonObject, env: Environment): DraftContent | undefined {
  const substituted = substitute({ value: layout, text: JSON.stringify(layout) }, env);
  return readLayout(substituted.value, substituted, "").content;
}
