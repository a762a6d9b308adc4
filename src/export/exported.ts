/**
 * Converts each form or layout of the target to the parts of its manifest: members and layout. Converts these parts to
 * documents and YAML text.
 */

import { toYaml } from "../documents/write-yaml.ts";
import { assignmentsOf } from "../lists/layouts.ts";
import type { AccessAnswer, LayoutAnswer } from "../schemas/answers.ts";
import { draftBody } from "../schemas/draft-body.ts";
import type { Block, DraftContent } from "../schemas/draft.ts";
import { DraftFile } from "../schemas/draft-schema.ts";
import type { JsonObject } from "../schemas/json.ts";
import type { Surface, Target } from "../schemas/layout.ts";
import type { Schema } from "../schemas/schema.ts";
import { readShape } from "../schemas/shape.ts";
import { byMode, type ModeWord } from "../schemas/words.ts";
import { layoutIdOf, notShown } from "../service.ts";
import { layoutAddress, formAddress, objectText, type ObjectKey } from "../lists/addresses.ts";
import { withoutComputed } from "../contents/normal.ts";
import { packBlocks } from "../contents/memory.ts";
import { withoutStamp } from "../contents/compare.ts";
import { FormManifest, LayoutManifest } from "../manifests/manifest-schema.ts";
import { escapeTexts } from "../manifests/read/environment.ts";
import type { NameOf } from "../manifests/references.ts";
import type { ContentState, FormState, LayoutAssignments } from "../state/state.ts";

/** What an export has of any form or layout. */
export type ExportedResource = {
  address: string;
  name: string;
  layoutId: string;
  /**
   * The members of the manifest in their order, without the layout. Members that the server does not show are absent.
   */
  members: JsonObject;
  /**
   * The published content. The draft is exported instead in two cases:
   *
   * - Nothing is published.
   * - The published version does not support all modes of the layout, and the draft is not invalid.
   *
   * Undefined if no content can be exported.
   */
  layout: JsonObject | undefined;
  /** @internal */
  content: ContentState | undefined;
  /** Notes for the user: what the export omits, and why it exports a draft. */
  notes: readonly string[];
};
export type ExportedForm = ExportedResource & {
  kind: "Form";
  object: ObjectKey;
  formId: string;
  surface: "DYNAMIC_OBJECT";
  access: AccessAnswer | undefined;
};
export type ExportedLayout = ExportedResource & {
  kind: "Layout";
  surface: Surface;
  /** @internal */
  assignments: LayoutAssignments | undefined;
};
export type Exported = ExportedForm | ExportedLayout;

/** Converts a form. @param state the form, with its access and content already read */
export function exportForm(object: ObjectKey, state: FormState, nameOf: NameOf): ExportedForm {
  const { form, defaultFor, access, content } = state;
  const notes: string[] = [];
  const shown = exportContent(content, form.types, notes);
  if (defaultFor === undefined) notes.push("the server does not show default forms: defaultFor is omitted");
  return {
    kind: "Form",
    address: formAddress(objectText(object), form.name),
    name: form.name,
    object,
    formId: form.id,
    layoutId: layoutIdOf(form),
    surface: "DYNAMIC_OBJECT",
    members: definedMembers({
      kind: "Form",
      object: objectText(object),
      name: form.name,
      types: sortModes(form.types),
      isActive: form.isActive,
      isPublic: form.isPublic,
      config: form.config,
      defaultFor: defaultFor && sortModes(defaultFor),
      access: access && accessRows(access, nameOf),
      publish: shown.publish,
    }),
    layout: shown.layout,
    content: shown.content,
    access,
    notes,
  };
}

export function exportLayout(layout: LayoutAnswer, content: ContentState, nameOf: NameOf): ExportedLayout {
  const { id, metadata } = layout;
  const { name, surface, supportedModes } = shownMembers(layout);
  const target = Object.fromEntries(Object.entries(layout.target ?? {}).filter(([, value]) => value != null)) as Target;
  const notes: string[] = [];
  const shown = exportContent(content, supportedModes, notes);
  const assigned = assignmentsOf(layout);
  if (!assigned) notes.push("the server does not show assignments: they are omitted");
  return {
    kind: "Layout",
    address: layoutAddress(surface, target, name),
    name,
    layoutId: id,
    surface,
    members: definedMembers({
      kind: "Layout",
      name,
      surface,
      supportedModes: sortModes(supportedModes),
      target,
      metadata,
      assignments: assigned && {
        organizationDefault: assigned.organizationDefault,
        roles: assigned.roles
          .map(({ roleId, priority }) => ({ ...naming("role", "roleId", roleId, nameOf), priority }))
          .toSorted(byText),
      },
      publish: shown.publish,
    }),
    layout: shown.layout,
    content: shown.content,
    assignments: assigned,
    notes,
  };
}

/** @throws NOT_SHOWN if the server omits a member that manifests require */
export function shownMembers({ id, name, surface, supportedModes }: LayoutAnswer) {
  if (name !== undefined && surface !== undefined && supportedModes)
    return { name, surface: surface as Surface, supportedModes };
  throw notShown(`name, surface and modes of the layout ${id}`);
}

/**
 * Compares resources by kind, then by address. Addresses are compared by code units, so that the order is the same on
 * every machine.
 */
export function byAddress(a: Exported, b: Exported): number {
  return a.kind === b.kind ? compare(a.address, b.address) : compare(a.kind, b.kind);
}

/**
 * Chooses the content to export, and adds a note about everything that is omitted. Checks the content before it is
 * packed.
 *
 * @param modes the current modes of the layout
 */
function exportContent(
  content: ContentState | undefined,
  modes: readonly ModeWord[],
  notes: string[],
): { layout?: JsonObject; publish?: false; content: ContentState | undefined } {
  const omit = (note: string) => {
    notes.push(note);
    return { content };
  };
  if (!content) return omit("the layout can't be read: it is omitted");
  const { published, draft, isHidden } = content;
  if (isHidden) return omit("the server does not show the published version: the layout is omitted");
  const seen = published ?? draft;
  if (!seen) return omit("the layout has neither a published version nor a draft: it is omitted");
  const { schemaVersion, blocks } = seen.content;
  if (schemaVersion !== 1) {
    return omit(`the layout has schema version ${schemaVersion}, but manifests support only 1: it is omitted`);
  }
  // An apply would refuse a manifest with an invalid or empty layout.
  if (!published && (seen.state === "invalid" || blocks.length === 0)) {
    return omit("the layout is not published, and its draft can't be published: the layout is omitted");
  }
  const missing = modes.filter((mode) => published?.modes?.includes(mode) === false);
  // The published version lacks modes that the layout now has. The draft will replace this version, so the draft is
  // exported.
  if (published && draft && draft.state !== "invalid" && missing.length > 0) {
    notes.push(`the unpublished draft is exported: the published version does not support ${missing.join(", ")}`);
    return supported(draft.content, false);
  }
  if (published && draft) notes.push(`the unpublished draft ${draft.id} is omitted: the published version is exported`);
  if (published && missing.length === 0) return supported(seen.content);
  if (published)
    notes.push(`the published version does not support ${missing.join(", ")}, and apply does not change that`);
  return supported(seen.content, false);

  /** Omits a layout that layout files do not support. Without `content`, it is not merged into an existing file. */
  function supported(chosen: DraftContent, publish?: false): ReturnType<typeof exportContent> {
    const layout = contentForFile(chosen);
    const reason = firstProblem(DraftFile, layout);
    if (reason === undefined) return { layout: packBlocks(layout), content, ...(publish === false && { publish }) };
    notes.push(`layout files do not support the layout, so it is omitted: ${reason}`);
    return { content: undefined };
  }
}

/** Converts the rows of access. The rows are sorted by name, because the order from the server has no meaning. */
export function accessRows({ users, roles }: AccessAnswer, nameOf: NameOf): JsonObject {
  return {
    users: users
      .map(({ membershipId, types }) => ({
        ...naming("member", "membershipId", membershipId, nameOf),
        types: sortModes(types),
      }))
      .toSorted(byText),
    roles: roles
      .map(({ roleId, types }) => ({ ...naming("role", "roleId", roleId, nameOf), types: sortModes(types) }))
      .toSorted(byText),
  };
}

function naming(kind: "role" | "member", idMember: "roleId" | "membershipId", id: string, nameOf: NameOf): JsonObject {
  const name = nameOf(kind, id);
  return name === undefined ? { [idMember]: id } : { [kind]: name };
}

function sortModes(modes: readonly ModeWord[]): ModeWord[] {
  return modes.toSorted((a, b) => byMode(a, b) || compare(a, b));
}

function byText(a: object, b: object): number {
  return compare(JSON.stringify(a), JSON.stringify(b));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function definedMembers(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** Converts a content for a file. Removes the stamp of formctl, the members that servers compute, and empty lists. */
export function contentForFile(content: DraftContent): JsonObject & Pick<DraftContent, "blocks"> {
  const { stagedFieldDefinitions, scriptBindings, metadata, ...rest } = draftBody(withoutStamp(content));
  return {
    ...rest,
    blocks: withoutComputed(rest.blocks),
    ...(stagedFieldDefinitions.length > 0 && { stagedFieldDefinitions }),
    ...(scriptBindings.length > 0 && { scriptBindings }),
    ...(metadata !== null && { metadata }),
  };
}

/**
 * Returns the whole manifest. Texts with `${` are escaped, so that a read of the manifest returns the exported values.
 */
export function documentOf({ members, layout }: Exported, layoutFile?: string): JsonObject {
  const { publish, ...others } = members;
  return {
    ...(escapeTexts(others) as JsonObject),
    ...(layout && { layout: layoutFile ?? escapeTexts(layout) }),
    ...(publish !== undefined && { publish }),
  };
}

/** Yields the documents of a YAML stream, each with its layout inside. The text of all would need much memory. */
export function* streamOf(exported: readonly Exported[]): Generator<string> {
  for (const [index, each] of exported.entries()) yield (index === 0 ? "" : "---\n") + toYaml(documentOf(each));
}

/** Returns the manifests, each with its layout inside. The blocks of the layouts are packed. */
export function documentsOf(exported: readonly Exported[]): JsonObject[] {
  return exported.map((each) => {
    const document = documentOf(each);
    const layout = document["layout"] as { blocks: Block[] } | undefined;
    // Without escapes, the layout is still packed.
    return layout && layout !== each.layout ? { ...document, layout: packBlocks(layout) } : document;
  });
}

export type ReadResources = {
  exported: readonly Exported[];
  /** The resources that manifests do not support, each with the reason. */
  omitted: readonly { exported: Exported; reason: string }[];
};

/**
 * Omits resources that manifests do not support, so that the exported manifests are valid. An example is a form with a
 * mode that only this server has.
 */
export function omitUnsupported(all: readonly Exported[]): ReadResources {
  const exported: Exported[] = [];
  const omitted: { exported: Exported; reason: string }[] = [];
  for (const each of all) {
    const reason = firstProblem(each.kind === "Form" ? FormManifest : LayoutManifest, each.members);
    if (reason === undefined) exported.push(each);
    else omitted.push({ exported: each, reason: `manifests do not support it, so it is omitted: ${reason}` });
  }
  return { exported, omitted };
}

/** The number of problems after which a large value is not read further. A server may send any number of blocks. */
const MOST_PROBLEMS = 100;

function firstProblem(schema: Schema, value: unknown): string | undefined {
  const shape = readShape(schema, value, MOST_PROBLEMS);
  if (shape.ok) return undefined;
  const [first, ...others] = shape.problems.map(({ path, message }) => `${path} ${message}`);
  const atLeast = others.length + 1 < MOST_PROBLEMS ? "" : "at least ";
  return others.length === 0 ? first : `${first} (and ${atLeast}${others.length} more)`;
}
