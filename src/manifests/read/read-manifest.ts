/**
 * Reads one document as a manifest by the schema of its kind. The layout is read separately, so that problems have
 * exact paths.
 */

import type { Document } from "../../documents/document.ts";
import type { Diagnostic, Located } from "../../schemas/diagnostic.ts";
import type { DraftContent } from "../../schemas/draft.ts";
import { detached, isJsonObject, type JsonObject } from "../../schemas/json.ts";
import * as schemas from "../manifest-schema.ts";
import type { ReadBy } from "../../schemas/schema.ts";
import { nearest } from "../../base/nearest.ts";
import { parsePath } from "../../schemas/path.ts";
import { readShape, type ShapeProblem } from "../../schemas/shape.ts";
import { layoutAddress, formAddress } from "../../lists/addresses.ts";
import { type Locate, manifestProblem } from "../problems.ts";
import type { FormManifest, LayoutManifest, Manifest } from "../manifest.ts";
import {
  type Environment,
  locateIn,
  mayHavePlaceholders,
  readSubstituted,
  substitute,
  unsubstituted,
} from "./environment.ts";
import { readLayout } from "./layout-files.ts";

/** A valid manifest. `layoutPath` is the path of a layout file that the caller still has to read. */
export type ValidManifest = { manifest: Manifest; locate: Locate; layoutPath?: string };

/**
 * A manifest with invalid members. Its layout and its layout file are still checked. One run should report as many
 * problems as possible.
 */
export type InvalidManifest = { manifest: undefined; partial?: PartialManifest; locate: Locate; layoutPath?: string };

/** A layout, and the members of its manifest that the check of a layout needs. */
export type PartialManifest = { content?: DraftContent; layoutFile?: string; locate: Locate } & (
  | Pick<FormManifest, "kind" | "types" | "object">
  | Pick<LayoutManifest, "kind" | "supportedModes" | "surface" | "target">
);

const KINDS = ["Form", "Layout"] as const;
type Kind = (typeof KINDS)[number];

const PARTIAL_MEMBERS: Record<Kind, readonly string[]> = {
  Form: ["object", "types"],
  Layout: ["surface", "supportedModes", "target"],
};

export function hasKind({ value }: Document): boolean {
  return isJsonObject(value) && Object.hasOwn(value, "kind");
}

/**
 * Reads a document as a manifest.
 *
 * @param problems receives the problems of the document
 * @param listed the variables that the project allows, as in `substitute`
 */
export function readManifest(
  document: Document,
  env: Environment,
  problems: { add: (problem: Located) => void; isFull: () => boolean },
  listed?: readonly string[],
): ValidManifest | InvalidManifest {
  // Nothing is substituted in a document without `kind`: `${` may have another meaning in its format.
  const substituted = hasKind(document) ? substitute(document, env, listed) : unsubstituted(document);
  const locate = locateIn(document, substituted);
  const report = (found: readonly Diagnostic[]) => {
    for (const each of found) if (!problems.isFull()) problems.add(locate(each));
  };

  const { value } = substituted;
  const kind = isJsonObject(value) ? value["kind"] : undefined;
  if (!isJsonObject(value) || !isKind(kind)) {
    const unset = substituted.problems.filter(({ path }) => path === "kind");
    const path = isJsonObject(value) ? (kindMember(value) ?? "") : "";
    report(unset.length > 0 ? unset : [manifestProblem("MANIFEST_KIND", kindMessage(value), path)]);
    const { layoutPath = "" } = isMisspelledManifest(value) ? layoutPathOf(value) : {};
    const isPlain = layoutPath !== "" && !mayHavePlaceholders(layoutPath);
    return { manifest: undefined, locate, ...(isPlain && { layoutPath }) };
  }

  const found: Diagnostic[] = [...substituted.problems];
  const { layout, ...members } = value;
  const schema = kind === "Form" ? schemas.FormManifest : schemas.LayoutManifest;
  const shape = readSubstituted(schema, members, substituted);
  // An unresolved placeholder already has a problem, so its value is not checked.
  const unresolved = new Set(found.map(({ path }) => path));
  for (const problem of shape.ok ? [] : shape.problems)
    if (!unresolved.has(problem.path)) found.push(invalidMember(problem));

  let content: DraftContent | undefined;
  if (isJsonObject(layout)) {
    const read = readLayout(layout, substituted, "layout");
    content = read.content;
    for (const problem of read.problems ?? []) found.push(problem);
  } else if (layout !== undefined && (typeof layout !== "string" || layout === "")) {
    found.push(manifestProblem("MANIFEST_INVALID", "layout must be the path of a layout file, or a layout", "layout"));
  }
  report(found);

  const read = { file: document.file, locate, ...(content && { content }) };
  if (shape.ok && found.length === 0) {
    return { manifest: { ...membersOf(shape.value), ...read }, locate, ...layoutPathOf(value) };
  }
  const invalid = new Set(found.map(({ path = "" }) => String(parsePath(path)[0] ?? "")));
  if (["", "layout", ...PARTIAL_MEMBERS[kind]].some((member) => invalid.has(member))) {
    return { manifest: undefined, locate, ...(!invalid.has("layout") && layoutPathOf(value)) };
  }
  const needed = Object.fromEntries(["kind", ...PARTIAL_MEMBERS[kind]].map((member) => [member, members[member]]));
  const basis = readSubstituted(schema, { ...needed, name: kind }, substituted);
  const partial = basis.ok ? { partial: { ...membersOf(basis.value), ...read } } : {};
  return { manifest: undefined, locate, ...partial, ...layoutPathOf(value) };
}

/**
 * Creates a manifest without a manifest file, for example for an exported form.
 *
 * @param members the members of a manifest document, without its layout
 * @returns the manifest, or the problems of its members
 */
export function manifestOf(
  members: JsonObject,
  { content, file, locate }: { content?: DraftContent; file: string; locate: Locate },
): { manifest: Manifest } | { problems: Located[] } {
  const schema = members["kind"] === "Form" ? schemas.FormManifest : schemas.LayoutManifest;
  const shape = readShape(schema, members);
  if (!shape.ok) return { problems: shape.problems.map((problem) => locate(invalidMember(problem))) };
  return { manifest: { ...membersOf(shape.value), file, locate, ...(content && { content }) } };
}

function layoutPathOf(value: unknown): { layoutPath?: string } {
  const layout = isJsonObject(value) ? value["layout"] : undefined;
  return typeof layout === "string" && layout !== "" ? { layoutPath: layout } : {};
}

function invalidMember({ path, message }: ShapeProblem): Diagnostic {
  return manifestProblem("MANIFEST_INVALID", `${path || "the manifest"} ${message}`, path);
}

type Members<M> = M extends Manifest ? Omit<M, "file" | "locate"> : never;

/**
 * Converts a parsed manifest. The casts are safe: the type of the schema allows undefined members, but a file has none.
 */
function membersOf(read: ReadBy<typeof schemas.FormManifest | typeof schemas.LayoutManifest>): Members<Manifest> {
  const { $schema: _editor, layout: _read, renamedFrom, confirmFieldChanges = [], ...members } = detached(read);
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

function isKind(kind: unknown): kind is Kind {
  return KINDS.some((known) => known === kind);
}

/** Returns the name of the member `kind`, or of a misspelling of it. */
function kindMember(value: JsonObject): string | undefined {
  if (Object.hasOwn(value, "kind")) return "kind";
  return Object.keys(value).find((member) => member.length === 4 && nearest(member, ["kind"]) !== undefined);
}

/** Whether a document is probably a manifest with a misspelled kind. If so, its member `layout` refers to a file. */
function isMisspelledManifest(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { kind } = value;
  return typeof kind === "string" ? nearest(kind, KINDS) !== undefined : kindMember(value) !== undefined;
}

/** Returns why a document without a valid kind is not a manifest, and the next step. */
function kindMessage(value: unknown): string {
  if (!isJsonObject(value)) return "a manifest must be an object with kind: Form or kind: Layout";
  const { kind } = value;
  if (kind !== undefined) {
    const meant = typeof kind === "string" ? nearest(kind, KINDS) : undefined;
    const suggestion = meant === undefined ? "" : `. Did you mean "${meant}"?`;
    return `kind must be Form or Layout, not ${JSON.stringify(kind).slice(0, 60)}${suggestion}`;
  }
  const member = kindMember(value);
  if (member !== undefined) return `the manifest has no kind. Did you mean "kind" instead of "${member}"?`;
  if (["version", "place", "plan", "sha256"].every((each) => Object.hasOwn(value, each))) {
    return "this is a plan file, not a manifest. Move it to another folder, and apply it as a plan";
  }
  if (Object.hasOwn(value, "regions") || Object.hasOwn(value, "blocks")) {
    return "no manifest references this layout. Reference it with layout in a manifest, or rename it to NAME.layout.yaml";
  }
  return "the manifest has no kind. Begin it with kind: Form or kind: Layout";
}
