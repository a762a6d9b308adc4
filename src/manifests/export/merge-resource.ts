/** Merges an exported resource into its manifest and its layout file. */

import type { DraftContent } from "../../schemas/draft.ts";
import { isJsonObject, type JsonObject, sameJson } from "../../schemas/json.ts";
import type { SeedField } from "../../schemas/organization.ts";
import type { Service } from "../../service.ts";
import { type AppliedChanges, assumedNotes, findAppliedChanges } from "../content/staged-changes.ts";
import { isLockOutdated } from "../content/stamp.ts";
import { readContent } from "../current/versions.ts";
import { type Lock, type LockedResource, findLocked } from "../lock.ts";
import type { Manifest } from "../manifest.ts";
import { type Environment, substitute } from "../read/environment.ts";
import { readLayout } from "../read/layout-files.ts";
import type { References } from "../references.ts";
import type { ContentState } from "../state.ts";
import { type ContentSides, findBase, recordContent } from "./base.ts";
import type { Exported } from "./exported.ts";
import type { FolderDocument, FolderManifest } from "./folder.ts";
import { mergeContent } from "./merge-content.ts";
import { mergeManifest } from "./merge-manifest.ts";
import { type Conflict, Merging, UNKNOWN_BASE } from "./merge-values.ts";

const LOST_BASE =
  "was changed in the file and on the target, and their common base is not in the version history. To take it from the target, add --overwrite";

/**
 * The new value of a document, and the conflicts: the parts that are kept as in the file although the target differs.
 */
export type DocumentChange = { document: FolderDocument; merged: JsonObject; conflicts: readonly Conflict[] };

export type MergedResource = {
  changes: DocumentChange[];
  /** The key of the lock entry: the address that the manifest has after the merge. */
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
  // If the lock and the file are both older than the last publish, the lock does not describe a common base.
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
    const carriedOut = findAppliedChanges(content, surface, shown.current, {
      locked,
      fields: context.fieldsOf(manifest),
    });
    const before = isOutdated ? "unknown" : await findBase(service, sides, locked?.base);
    const layoutMerging = new Merging();
    const path = layoutDocument ? [] : ["layout"];
    const layout = mergeLayout(rawLayout, sides, { carriedOut, before, path }, layoutMerging, context);
    const { conflicts } = layoutMerging;
    if (conflicts.length === 0) {
      recordContent(base, sides, carriedOut);
      notes.push(...assumedNotes(carriedOut));
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

/**
 * Merges the layout. If both sides differ and their base is not found, reports one conflict instead, unless `overwrite`
 * is true.
 */
function mergeLayout(
  raw: JsonObject,
  { file, target, surface }: ContentSides,
  {
    carriedOut,
    before,
    path,
  }: { carriedOut: AppliedChanges; before: Awaited<ReturnType<typeof findBase>>; path: string[] },
  merging: Merging,
  { env, overwrite }: MergeContext,
): JsonObject {
  const base = typeof before === "string" ? undefined : before;
  const read = (layout: JsonObject) => layoutIn(layout, env);
  const merged = mergeContent({ raw, file, target, base, surface, carriedOut: carriedOut.has, read }, merging, path);
  if (base || overwrite || sameJson(merged, raw)) return merged;
  merging.conflicts.length = 0;
  const subject = path.length === 0 ? "the layout " : "";
  merging.report(path, subject + (before === "lost" ? LOST_BASE : UNKNOWN_BASE));
  return raw;
}

/**
 * Returns the content that the layout in a file is compared with: the published one or, if the manifest does not
 * publish, the draft if there is one. Returns undefined if there is no such content, or if manifests do not support its
 * schema version.
 */
async function contentToCompare(
  service: Service,
  content: DraftContent,
  exported: Exported,
  publish: boolean,
): Promise<{ current: ContentState; target: DraftContent } | undefined> {
  if (!exported.content) return undefined;
  const created = content.stagedFieldDefinitions.flatMap(({ action, key }) => (action === "create" ? (key ?? []) : []));
  // The content of the export does not state which versions show the fields that this file creates, so it is read
  // again.
  const current =
    created.length > 0 ? await readContent(service, exported.layoutId, exported.surface, created) : exported.content;
  const { published, draft } = current;
  const target = publish ? published : (draft ?? published);
  return target?.content.schemaVersion === 1 ? { current, target: target.content } : undefined;
}

/**
 * Returns the content of a layout whose texts, as in a file, may contain placeholders. Undefined if the layout is
 * invalid.
 */
function layoutIn(layout: JsonObject, env: Environment): DraftContent | undefined {
  const substituted = substitute({ value: layout, text: JSON.stringify(layout) }, env);
  return readLayout(substituted.value, substituted, "").content;
}
