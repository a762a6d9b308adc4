/** Applies a transform to the document of a manifest and to its layout file. */

import { addMissingIds } from "../contents/ids.ts";
import type { FolderDocument, FolderManifest } from "../export/folder.ts";
import type { FormManifest, Manifest } from "../manifests/manifest.ts";
import { walkBlocks } from "../contents/normal.ts";
import { FORM_MEMBERS } from "../manifests/manifest-schema.ts";
import { surfaceOf } from "../state/state.ts";
import type { Located } from "../schemas/diagnostic.ts";
import { checkDraft } from "../schemas/draft-checks.ts";
import type { Block, DraftContent } from "../schemas/draft.ts";
import { DraftFile } from "../schemas/draft-schema.ts";
import { type JsonObject, sameJson } from "../schemas/json.ts";
import { readShape } from "../schemas/shape.ts";
import type { ModeWord } from "../schemas/words.ts";
import { callForm, callLayout, type MigrationCode } from "./call-transform.ts";
import { Carrying } from "./carry.ts";
import type { About, FormMembers, Transform } from "./definition.ts";
import { matches } from "./match.ts";

/** A transform, and the functions that call its code. Every loaded migration that is not a script has this type. */
export type CallableTransform = MigrationCode & { migration: Transform };

/** A document with its new value `merged`. `expected` is the value that reading the edited text must return. */
export type DocumentEdit = {
  document: FolderDocument;
  merged: JsonObject;
  carrying: Carrying;
  expected: { members?: JsonObject; content?: DraftContent };
};

/** `conflicts` are the changes that can't be made in the files. */
export type ChangedManifest = { edits: DocumentEdit[]; conflicts: Located[] };

/**
 * Calls the functions of a transform for a manifest.
 *
 * @returns the changes of its documents; undefined if the transform does not match the manifest
 * @throws the errors of the transform's `call` and `refuse`, if a function fails or its result can't be used
 */
export function changeManifest(found: FolderManifest, transform: CallableTransform): ChangedManifest | undefined {
  const { manifest, document, layoutDocument } = found;
  const about = aboutOf(manifest);
  const { content } = manifest;
  if (!matches(transform.migration.match, about, content ? [content] : [])) return undefined;
  const members = changedMembers(found, transform, about);
  const modes = members?.wanted.types ?? about.modes;
  const layout = content && changedLayout({ content, modes }, transform, about);
  const confirmed = layout && confirmedChanges(manifest, layout.plain, transform.migration);

  const changed: ChangedManifest = { edits: [], conflicts: [] };
  if (layout && layoutDocument) add(changed, editLayoutFile(layoutDocument, layout));
  const inline = layoutDocument ? undefined : layout;
  if (members || inline || confirmed) {
    const carrying = new Carrying();
    const { raw } = document;
    const before = { ...members?.before, ...(inline && { layout: inline.before }) };
    const wanted = { ...members?.wanted, ...(inline && { layout: inline.wanted }) };
    if (inline) carrying.addBlocks((raw["layout"] as JsonObject)["blocks"], inline.before.blocks, ["layout", "blocks"]);
    const merged = carrying.carry(raw, before, wanted, []) as JsonObject;
    if (inline) reportProblems(carrying, inline, "layout");
    const expected = { ...(members && { members: members.wanted }), ...(inline && { content: inline.plain }) };
    const edit = { document, carrying, expected, merged: withNotes(merged, raw, carrying, confirmed) };
    add(changed, edit);
  }
  return changed;
}

function add(changed: ChangedManifest, edit: DocumentEdit): void {
  const { document, merged, carrying } = edit;
  changed.conflicts.push(
    ...carrying.problems.map(({ path, message }) => ({
      severity: "error" as const,
      code: "MIGRATION_CONFLICT",
      path,
      message: `${path || "the layout"} ${message}`,
      file: document.file.name,
      ...document.locate(path),
    })),
  );
  if (carrying.problems.length === 0 && !sameJson(merged, document.raw)) changed.edits.push(edit);
}

function editLayoutFile(document: FolderDocument, layout: ChangedLayout): DocumentEdit {
  const carrying = new Carrying();
  carrying.addBlocks(document.raw["blocks"], layout.before.blocks, ["blocks"]);
  const merged = carrying.carry(document.raw, layout.before, layout.wanted, []) as JsonObject;
  reportProblems(carrying, layout, "");
  return { document, merged, carrying, expected: { content: layout.plain } };
}

/**
 * Returns the description of a manifest for the functions of a transform. It has no ids, because files have no ids of
 * forms and layouts.
 */
function aboutOf(manifest: Manifest): About {
  const { kind, address, name } = manifest;
  const common = { kind, address, name, surface: surfaceOf(manifest) };
  if (kind === "Form") return { ...common, modes: manifest.types, object: manifest.object };
  return { ...common, modes: manifest.supportedModes, target: manifest.target };
}

type ChangedMembers = { before: JsonObject; wanted: FormMembers };

function changedMembers(
  { manifest, document }: FolderManifest,
  { migration, ...code }: CallableTransform,
  about: About,
): ChangedMembers | undefined {
  if (manifest.kind !== "Form") return undefined;
  const before = formMembers(manifest, document);
  const changed = callForm(migration, code, before, { ...about, object: manifest.object });
  return changed && { before, wanted: { ...before, ...changed } };
}

/**
 * Returns the members of a form that its file contains. The value of a placeholder `${NAME}` has the type that the
 * schema requires, for example number instead of text.
 */
function formMembers(manifest: FormManifest, { value }: FolderDocument): FormMembers {
  const names = Object.keys(value).filter((name) => FORM_MEMBERS.has(name));
  const typed = manifest as unknown as JsonObject;
  return Object.fromEntries(names.map((name) => [name, typed[name]])) as FormMembers;
}

/**
 * `before` is the content of the file. Blocks and script bindings without an id have an added id. `wanted` is the
 * result of the migration. `plain` is `wanted` without the added ids.
 */
type ChangedLayout = {
  before: DraftContent;
  wanted: DraftContent;
  plain: DraftContent;
  /** Problems that only an id in the file can solve, because the migration uses an added id. `id` is the added id. */
  problems: { id: string; message: string }[];
};

/**
 * Calls the function `layout` of a transform for a content of a file. Undefined if the content does not change.
 *
 * @throws MIGRATION_INVALID if the result is no valid content, or has an error that the content did not have
 */
export function changedLayout(
  { content: own, modes }: { content: DraftContent; modes: readonly ModeWord[] },
  { migration, ...code }: CallableTransform,
  about: About,
): ChangedLayout | undefined {
  const prefix = unusedPrefix(own);
  const before = addMissingIds(own, prefix);
  const wanted = callLayout(migration, code, before, about);
  if (!wanted) return undefined;
  const refuse = (problem: string) => code.refuse("layout", `the result for ${about.address} is invalid: ${problem}`);
  const shape = readShape(DraftFile, withoutAddedIds(wanted, prefix));
  if (!shape.ok) throw refuse(`${shape.problems[0]!.path || "the layout"} ${shape.problems[0]!.message}`);
  const { clientMutationId: _ofRequests, ...plain } = shape.value;
  const problems = unnamedProblems(wanted, prefix);
  const errorsOf = (draft: DraftContent, ofModes: readonly ModeWord[]) =>
    checkDraft(draft, { surface: about.surface, modes: ofModes }).filter(({ severity }) => severity === "error");
  const known = new Set(errorsOf(before, about.modes).map(({ code: kind, message }) => `${kind} ${message}`));
  const added = errorsOf(wanted, modes).find(({ code: kind, message }) => !known.has(`${kind} ${message}`));
  if (added && problems.length === 0) throw refuse(added.message);
  return { before, wanted, plain, problems };
}

/** Returns a prefix for added ids that occurs nowhere in the content. */
function unusedPrefix(content: DraftContent): string {
  const text = JSON.stringify(content);
  let prefix = "no-id-";
  while (text.includes(prefix)) prefix = `x${prefix}`;
  return prefix;
}

function withoutAddedIds(content: DraftContent, prefix: string): DraftContent {
  const plainBlocks = (blocks: readonly Block[]): Block[] =>
    blocks.map(({ id, children, ...members }) => ({
      ...(id !== undefined && !id.startsWith(prefix) && { id }),
      ...members,
      ...(children && { children: plainBlocks(children) }),
    }));
  return {
    ...content,
    blocks: plainBlocks(content.blocks),
    scriptBindings: content.scriptBindings.map(({ id, ...members }) => ({
      ...(id !== undefined && !id.startsWith(prefix) && { id }),
      ...members,
    })),
  };
}

/**
 * Returns the problems of the ids that formctl added to blocks before the migration ran. An added id must not occur
 * twice in the result, and no script binding may name it, because the file does not contain it.
 */
function unnamedProblems({ blocks, scriptBindings }: DraftContent, prefix: string): ChangedLayout["problems"] {
  const problems: ChangedLayout["problems"] = [];
  const report = (id: string, fact: string) =>
    problems.push({ id, message: `has no id, and ${fact}. Add an id to it in the file` });
  const seen = new Set<string>();
  walkBlocks(blocks, ({ id = "" }) => {
    if (!id.startsWith(prefix)) return;
    if (seen.has(id)) report(id, "the result of the migration contains it twice");
    seen.add(id);
  });
  for (const { target } of scriptBindings) {
    const id = target?.["blockId"];
    if (id?.startsWith(prefix)) report(id, "a script binding of the result names it");
  }
  return problems;
}

/** @param within the path of the layout in its document */
function reportProblems(carrying: Carrying, { problems }: ChangedLayout, within: string): void {
  for (const { id, message } of problems) carrying.problems.push({ path: carrying.pathOf(id) ?? within, message });
}

/**
 * Returns the confirmations of the migration that have to be added to the manifest. They are the ids of staged field
 * changes. Undefined if nothing has to be added.
 */
function confirmedChanges(
  { confirmFieldChanges }: Manifest,
  { stagedFieldDefinitions }: DraftContent,
  { confirmFieldChanges: ofMigration = [] }: Transform,
): string[] | undefined {
  const staged = new Set(stagedFieldDefinitions.map(({ draftId }) => draftId));
  const lacking = ofMigration.filter((id) => staged.has(id) && !confirmFieldChanges.includes(id));
  return lacking.length === 0 ? undefined : lacking;
}

/** Adds what an apply of the manifest needs to make the same change: `renamedFrom` and `confirmFieldChanges`. */
function withNotes(
  merged: JsonObject,
  raw: JsonObject,
  carrying: Carrying,
  confirmed: readonly string[] | undefined,
): JsonObject {
  const result: JsonObject = {};
  const isRenamed = !sameJson(merged["name"], raw["name"]);
  if (isRenamed && raw["renamedFrom"] !== undefined) {
    const message =
      "is already set, and the migration renames the form again. Apply the manifest, and remove renamedFrom";
    carrying.problems.push({ path: "renamedFrom", message });
  }
  for (const [name, value] of Object.entries(merged)) {
    result[name] = value;
    if (name === "name" && isRenamed) result["renamedFrom"] = raw["name"];
  }
  if (confirmed) {
    const before = raw["confirmFieldChanges"];
    result["confirmFieldChanges"] = [...(Array.isArray(before) ? before : []), ...confirmed];
  }
  return result;
}
