/** One document as a manifest: its kind says by which schema, and its layout is read apart, so that complaints are exact. */

import type { Document } from "../../documents/document.ts";
import type { Diagnostic, Located } from "../../schemas/diagnostic.ts";
import type { DraftContent } from "../../schemas/draft.ts";
import { isJsonObject } from "../../schemas/json.ts";
import * as schemas from "../../schemas/manifest.ts";
import { parsePath } from "../../schemas/path.ts";
import type { ShapeProblem } from "../../schemas/shape.ts";
import { formAddress, layoutAddress } from "../address.ts";
import { manifestProblem } from "../problems.ts";
import { type Environment, mayHavePlaceholders, substitute, type Substituted } from "./environment.ts";
import { locating, type Place } from "./locating.ts";
import type { FormManifest, LayoutManifest, Manifest } from "../manifest.ts";
import { contentOf, readDraft } from "./read-layout.ts";
import { isKind, isMeantAsManifest, type Kind, kindMember, wrongKind } from "./kind.ts";
import { readFilledIn } from "./read-shape.ts";

/** A manifest that may still wait for its layout's file. */
export type ReadManifest = { manifest: Manifest; place: Place; layoutPath?: string };

/**
 * One whose shape is wrong. What its layout says is judged all the same, where the members that tell what it is for are
 * right; and the file that it names is named, whatever else is wrong.
 */
export type RefusedManifest = { manifest: undefined; judged?: Judged; place: Place; layoutPath?: string };

/** A layout with what it is judged by. */
export type Judged = { content?: DraftContent; layoutFile?: string; locate: Manifest["locate"] } & (
  | Pick<FormManifest, "kind" | "types" | "object">
  | Pick<LayoutManifest, "kind" | "supportedModes" | "surface" | "target">
);

/** The members that say what a layout is for. */
const PURPOSE: Record<Kind, readonly string[]> = {
  Form: ["object", "types"],
  Layout: ["surface", "supportedModes", "target"],
};

export function hasKind({ value }: Document): boolean {
  return isJsonObject(value) && Object.hasOwn(value, "kind");
}

/** The manifest that a document is; what is wrong with its shape is told to `wrong`. @param listed as in `substitute` */
export function readManifest(
  document: Document,
  env: Environment,
  wrong: { add: (problem: Located) => void; isFull: () => boolean },
  listed?: readonly string[],
): ReadManifest | RefusedManifest {
  // What does not say that it is a manifest may be anything, in which `${` means something else.
  const filled = hasKind(document) ? substitute(document, env, listed) : unfilled(document);
  const place = locating(document, filled);
  const tell = (found: readonly Diagnostic[]) => {
    for (const each of found) if (!wrong.isFull()) wrong.add(place.locate(each));
  };

  const { value } = filled;
  const kind = isJsonObject(value) ? value["kind"] : undefined;
  if (!isJsonObject(value) || !isKind(kind)) {
    const unset = filled.problems.filter(({ path }) => path === "kind");
    const path = isJsonObject(value) ? (kindMember(value) ?? "") : "";
    tell(unset.length > 0 ? unset : [manifestProblem("MANIFEST_KIND", wrongKind(value), path)]);
    const { layoutPath = "" } = isMeantAsManifest(value) ? layoutPathOf(value) : {};
    const isNamed = layoutPath !== "" && !mayHavePlaceholders(layoutPath);
    return { manifest: undefined, place, ...(isNamed && { layoutPath }) };
  }
  const found: Diagnostic[] = [...filled.problems];
  const { layout, ...members } = value;
  const schema = kind === "Form" ? schemas.FormManifest : schemas.LayoutManifest;
  const shape = readFilledIn(schema, members, filled);
  const unfit = new Set(found.map(({ path }) => path));
  // What a variable that is not set would have been is not known.
  if (!shape.ok) found.push(...shape.problems.filter(({ path }) => !unfit.has(path)).map(invalid));

  let content: DraftContent | undefined;
  if (isJsonObject(layout)) {
    const draft = readDraft(layout, filled, "layout");
    if (draft.ok) content = contentOf(draft.value);
    else found.push(...draft.problems);
  } else if (layout !== undefined && (typeof layout !== "string" || layout === "")) {
    found.push(manifestProblem("MANIFEST_INVALID", "layout must be the path of a layout file, or a layout", "layout"));
  }
  tell(found);
  const read = { file: document.file, locate: place.locate, ...(content && { content }) };
  if (shape.ok && found.length === 0) {
    return { manifest: { ...membersOf(shape.value), ...read }, place, ...layoutPathOf(value) };
  }
  const wrongMembers = new Set(found.map(({ path = "" }) => String(parsePath(path)[0] ?? "")));
  if (["", "layout", ...PURPOSE[kind]].some((member) => wrongMembers.has(member))) {
    return { manifest: undefined, place, ...(!wrongMembers.has("layout") && layoutPathOf(value)) };
  }
  const purpose = Object.fromEntries(["kind", ...PURPOSE[kind]].map((member) => [member, members[member]]));
  const basis = readFilledIn(schema, { ...purpose, name: kind }, filled);
  const judged = basis.ok ? { judged: { ...membersOf(basis.value), ...read } } : {};
  return { manifest: undefined, place, ...judged, ...layoutPathOf(value) };
}

function unfilled({ value }: Document): Substituted {
  return { value, filledIn: [], said: new Map(), problems: [] };
}

/** The file that a manifest names as its layout. */
function layoutPathOf(value: unknown): { layoutPath?: string } {
  const layout = isJsonObject(value) ? value["layout"] : undefined;
  return typeof layout === "string" && layout !== "" ? { layoutPath: layout } : {};
}

function invalid({ path, message }: ShapeProblem): Diagnostic {
  return manifestProblem("MANIFEST_INVALID", `${path || "the manifest"} ${message}`, path);
}

type Members<M> = M extends Manifest ? Omit<M, "file" | "locate"> : never;

/** A file has no undefined members, which the schema's type can't say. */
function membersOf(read: schemas.FormManifest | schemas.LayoutManifest): Members<Manifest> {
  const { $schema: _editor, layout: _read, renamedFrom, confirmFieldChanges = [], ...members } = read;
  if (members.kind === "Form") {
    const [moduleKey = "", objectKey = ""] = members.object.split("/");
    const former = renamedFrom === undefined ? {} : { formerAddress: formAddress(members.object, renamedFrom) };
    const address = formAddress(members.object, members.name);
    const form = { ...members, ...former, address, confirmFieldChanges, object: { moduleKey, objectKey } };
    return form as Members<Manifest>;
  }
  const { surface, target, name } = members;
  const former = renamedFrom === undefined ? {} : { formerAddress: layoutAddress(surface, target, renamedFrom) };
  const address = layoutAddress(surface, target, name);
  return { ...members, ...former, address, confirmFieldChanges } as Members<Manifest>;
}
