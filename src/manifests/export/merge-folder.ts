/** What the documents of a folder have to say so that they tell what was exported. */

import type { DraftContent } from "../../schemas/draft.ts";
import { isJsonObject, type JsonObject, sameJson } from "../../schemas/json.ts";
import type { SeedField } from "../../schemas/organization.ts";
import type { Service } from "../../service.ts";
import { assumedNotes, findAppliedChanges } from "../content/staged-changes.ts";
import { isLockOutdated } from "../content/stamp.ts";
import { readContent } from "../current/versions.ts";
import type { Exported } from "./export.ts";
import { findBase } from "./find-base.ts";
import type { FolderDocument, FolderManifest } from "./folder.ts";
import { keepContent } from "./keep-content.ts";
import { type Lock, type LockedResource, findLocked } from "../lock.ts";
import { hasBlocksOnce, mergeContent } from "./merge-content.ts";
import type { Manifest } from "../manifest.ts";
import { mergeManifest } from "./merge-manifest.ts";
import { type Environment, substitute } from "../read/environment.ts";
import { contentOf, readDraft } from "../read/read-layout.ts";
import { type Conflict, Merging, UNTOLD } from "./merge-values.ts";
import type { References } from "../references.ts";
import type { ContentState } from "../state.ts";

const LOST =
  "was changed in the file and there, and what it was before can't be found. With --overwrite what is there is taken";

/** What a document shall say; without `target` it stays as it is. */
export type DocumentChange = { document: FolderDocument; target: JsonObject; conflicts: readonly Conflict[] };

export type MergedResource = {
  changes: DocumentChange[];
  /** For the lock, under the name that the file has then. */
  address: string;
  locked: LockedResource;
  notes: string[];
};

export type MergeContext = {
  service: Service;
  /** With what `${NAME}` in the files is filled in. */
  env: Environment;
  references: References;
  lock: Pick<Lock, "get">;
  /** The fields that a manifest's layout can show, as they are now; undefined: nobody tells. */
  fieldsOf: (manifest: Manifest) => readonly SeedField[] | undefined;
  /** What is there is taken where nothing tells who has changed what. */
  overwrite: boolean;
};

/** The manifest of something that was exported: by its address or its former one, or by the id that the lock knows. */
export function findManifest(
  exported: Exported,
  manifests: readonly FolderManifest[],
  lock: Pick<Lock, "get">,
): FolderManifest | undefined {
  const isId = ({ manifest }: FolderManifest) => {
    const locked = lock.get(manifest.address);
    const id = exported.kind === "Form" ? exported.formId : exported.layoutId;
    return locked !== undefined && (exported.kind === "Form" ? locked.formId : locked.layoutId) === id;
  };
  const own = manifests.filter(({ manifest }) => manifest.kind === exported.kind);
  return (
    own.find(({ manifest }) => manifest.address === exported.address) ??
    own.find(({ manifest }) => manifest.formerAddress === exported.address) ??
    own.find(isId)
  );
}

export async function mergeResource(
  exported: Exported,
  { manifest, document, layoutDocument }: FolderManifest,
  { service, env, references, lock, fieldsOf, overwrite }: MergeContext,
): Promise<MergedResource> {
  const { content, publish } = manifest;
  const shown = content && (await shownTo(service, content, exported, publish));
  const known = findLocked(lock, manifest);
  const isBehind = shown !== undefined && isLockOutdated(content!, exported.surface, shown.current, known, publish);
  const locked = known && isBehind ? { ...known, base: {} } : known;
  const merging = new Merging();
  const { raw, said } = document;
  const merged = mergeManifest({ raw, said, manifest, exported, locked, references, overwrite }, merging);
  const { raw: target } = merged;
  // What is left for a person to decide has the base that it had.
  const base = { ...known?.base, ...merged.base };
  const changes: DocumentChange[] = [];
  const notes: string[] = [];

  const raws = layoutDocument ? layoutDocument.raw : raw["layout"];
  if (content && isJsonObject(raws) && shown) {
    const { current, there } = shown;
    const inner = layoutDocument ? new Merging() : merging;
    const path = layoutDocument ? [] : ["layout"];
    const { surface } = exported;
    const found = findAppliedChanges(content, surface, current, { locked, fields: fieldsOf(manifest) });
    const carriedOut = found.has;
    const { content: lockedContent, version } = locked?.base ?? {};
    const versions = { said: content, there, current, surface, locked: lockedContent, version };
    const before = isBehind ? "unknown" : await findBase(service, versions);
    const read = (layout: JsonObject) => meaningOf(layout, env);
    const sides = { raw: raws, said: content, there, surface, carriedOut, read };
    const told = inner.conflicts.length;
    const trial = new Merging();
    const mergedLayout = mergeContent({ ...sides, base: typeof before === "string" ? undefined : before }, trial, path);
    let layout = raws;
    if (typeof before === "string" && !overwrite && !sameJson(mergedLayout, raws)) {
      inner.report(path, `${layoutDocument ? "the layout " : ""}${before === "lost" ? LOST : UNTOLD}`);
    } else if (!hasBlocksOnce(mergedLayout)) {
      inner.report(path, "a block of the layout was moved on one side and changed on the other");
    } else {
      inner.conflicts.push(...trial.conflicts);
      layout = mergedLayout;
    }
    if (inner.conflicts.length === told) {
      keepContent(base, { said: content, there, current, surface, found });
      notes.push(...assumedNotes(found));
    }
    if (layoutDocument) changes.push({ document: layoutDocument, target: layout, conflicts: inner.conflicts });
    else target["layout"] = layout;
  } else if (content && publish && exported.content?.published === null && !exported.content.isHidden) {
    notes.push("nothing is published: the layout in the file is left as it is");
  }
  changes.unshift({ document, target, conflicts: merging.conflicts });
  const name =
    typeof target["name"] === "string" && target["name"] !== raw["name"] ? exported.address : manifest.address;
  const ids = exported.kind === "Form" ? { formId: exported.formId } : {};
  return { changes, address: name, locked: { ...ids, layoutId: exported.layoutId, base }, notes };
}

/** What the file's layout is compared with: what is published, or where the file leaves drafts unpublished, the draft. */
async function shownTo(
  service: Service,
  content: DraftContent,
  exported: Exported,
  publish: boolean,
): Promise<{ current: ContentState; there: DraftContent } | undefined> {
  if (!exported.content) return undefined;
  const created = content.stagedFieldDefinitions.flatMap(({ action, key }) => (action === "create" ? (key ?? []) : []));
  // Which versions show the fields that the file creates has not been looked for yet.
  const current =
    created.length > 0 ? await readContent(service, exported.layoutId, exported.surface, created) : exported.content;
  const { published, draft } = current;
  const there = publish ? published : (draft ?? published);
  return there?.content.schemaVersion === 1 ? { current, there: there.content } : undefined;
}

/** As a reader of the file takes it. */
function meaningOf(layout: JsonObject, env: Environment): DraftContent | undefined {
  const filled = substitute({ value: layout, text: JSON.stringify(layout) }, env);
  const draft = readDraft(filled.value, filled, "");
  return draft.ok ? contentOf(draft.value) : undefined;
}
