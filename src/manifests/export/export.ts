/** What exists, as manifests would say it: names for roles and members where they are known, and nothing that is ours. */

import type { AccessAnswer, LayoutAnswer } from "../../schemas/answers.ts";
import type { ModeWord } from "../../schemas/open.ts";
import type { JsonObject } from "../../schemas/json.ts";
import type { Surface, Target } from "../../schemas/layout.ts";
import { byMode } from "../../schemas/words.ts";
import { assignmentsOf } from "../../lists/assignments.ts";
import { layoutIdOf, notShown } from "../../service.ts";
import { contentForFile } from "./content-for-file.ts";
import type { ObjectKey } from "../manifest.ts";
import type { References } from "../references.ts";
import { formAddress, layoutAddress, objectText } from "../address.ts";
import type { ContentState, FormState, LayoutAssignments } from "../state.ts";

type Common = {
  address: string;
  name: string;
  layoutId: string;
  /** The members of its manifest but for the layout, in the order in which they are written; what is not observed is absent. */
  members: JsonObject;
  /** The published content, or where nothing is published the draft, as a file holds it; undefined where it can't be told. */
  layout: JsonObject | undefined;
  content: ContentState | undefined;
  /** What can't be told, or was left out. */
  notes: readonly string[];
};
export type ExportedForm = Common & {
  kind: "Form";
  object: ObjectKey;
  formId: string;
  surface: "DYNAMIC_OBJECT";
  access: AccessAnswer | undefined;
};
export type ExportedLayout = Common & {
  kind: "Layout";
  surface: Surface;
  assignments: LayoutAssignments | undefined;
};
export type Exported = ExportedForm | ExportedLayout;

export type NameOf = References["nameOf"];

/** @param state with its access and content read */
export function exportForm(object: ObjectKey, state: FormState, nameOf: NameOf): ExportedForm {
  const { form, defaultFor, access, content } = state;
  const notes: string[] = [];
  const shown = exportContent(content, form.types, notes);
  if (defaultFor === undefined) notes.push("the list of forms does not tell defaults: defaultFor is left out");
  return {
    kind: "Form",
    address: formAddress(objectText(object), form.name),
    name: form.name,
    object,
    formId: form.id,
    layoutId: layoutIdOf(form),
    surface: "DYNAMIC_OBJECT",
    members: said({
      kind: "Form",
      object: objectText(object),
      name: form.name,
      types: inOrder(form.types),
      isActive: form.isActive,
      isPublic: form.isPublic,
      config: form.config,
      defaultFor: defaultFor && inOrder(defaultFor),
      access: access && accessRows(access, nameOf),
      publish: shown.publish,
    }),
    layout: shown.layout,
    content,
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
  if (!assigned) notes.push("the server does not tell the assignments: they are left out");
  return {
    kind: "Layout",
    address: layoutAddress(surface, target, name),
    name,
    layoutId: id,
    surface,
    members: said({
      kind: "Layout",
      name,
      surface,
      supportedModes: inOrder(supportedModes),
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
    content,
    assignments: assigned,
    notes,
  };
}

/** @throws NOT_SHOWN where the server leaves out what a manifest can't do without */
export function shownMembers({ id, name, surface, supportedModes }: LayoutAnswer) {
  if (name !== undefined && surface !== undefined && supportedModes)
    return { name, surface: surface as Surface, supportedModes };
  throw notShown(`name, surface and modes of the layout ${id}`);
}

/** By object and name, by code units: the same order on every machine. */
export function byAddress(a: Exported, b: Exported): number {
  return a.kind === b.kind ? compare(a.address, b.address) : compare(a.kind, b.kind);
}

/** @param modes those that the layout has now */
function exportContent(
  content: ContentState | undefined,
  modes: readonly ModeWord[],
  notes: string[],
): { layout?: JsonObject; publish?: false } {
  if (!content) {
    notes.push("what the layout shows can't be read: it is left out");
    return {};
  }
  const { published, draft, isHidden } = content;
  if (isHidden) {
    notes.push("the server does not show what is published: the layout is left out");
    return {};
  }
  const seen = published ?? draft;
  if (!seen) {
    notes.push("the layout has neither a published version nor a draft: it is left out");
    return {};
  }
  if (seen.content.schemaVersion !== 1) {
    notes.push(`the layout has the schema version ${seen.content.schemaVersion}, and manifests know 1: it is left out`);
    return {};
  }
  // A manifest with such a layout would be refused: somebody is still at work on it, or nobody has begun.
  if (!published && (seen.state === "invalid" || seen.content.blocks.length === 0)) {
    notes.push("the layout has never been published, and its draft can't be as it is: it is left out");
    return {};
  }
  const missing = modes.filter((mode) => published?.modes?.includes(mode) === false);
  // A draft that was made for all modes is what the layout is to show; without one, what is published is all there is.
  if (published && draft && draft.state !== "invalid" && missing.length > 0) {
    notes.push(`the unpublished draft is exported: what is published was not made for ${missing.join(", ")}`);
    return { layout: contentForFile(draft.content), publish: false };
  }
  if (published && draft) notes.push(`the unpublished draft ${draft.id} is left out: what is published is exported`);
  const layout = contentForFile(seen.content);
  if (published && missing.length === 0) return { layout };
  if (published) notes.push(`what is published was not made for ${missing.join(", ")}, and an apply leaves it so`);
  return { layout, publish: false };
}

/** Rows by what they are called, so that the order in which a server lists them makes no difference. */
function accessRows({ users, roles }: AccessAnswer, nameOf: NameOf): JsonObject {
  return {
    users: users
      .map(({ membershipId, types }) => ({
        ...naming("member", "membershipId", membershipId, nameOf),
        types: inOrder(types),
      }))
      .toSorted(byText),
    roles: roles
      .map(({ roleId, types }) => ({ ...naming("role", "roleId", roleId, nameOf), types: inOrder(types) }))
      .toSorted(byText),
  };
}

function naming(kind: "role" | "member", idMember: "roleId" | "membershipId", id: string, nameOf: NameOf): JsonObject {
  const name = nameOf(kind, id);
  return name === undefined ? { [idMember]: id } : { [kind]: name };
}

/** The order of modes means nothing. */
function inOrder(modes: readonly ModeWord[]): ModeWord[] {
  return modes.toSorted((a, b) => byMode(a, b) || compare(a, b));
}

function byText(a: object, b: object): number {
  return compare(JSON.stringify(a), JSON.stringify(b));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function said(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
