/** One document as a manifest: its kind says by which schema, and its layout is read apart, so that complaints are exact. */

import type { Document } from "../../documents/document.ts";
import type { Diagnostic, Located } from "../../schemas/diagnostic.ts";
import { isJsonObject, type JsonObject } from "../../schemas/json.ts";
import * as schemas from "../../schemas/manifest.ts";
import { nearest } from "../../schemas/nearest.ts";
import type { ShapeProblem } from "../../schemas/shape.ts";
import { formAddress, layoutAddress } from "../address.ts";
import { complaint } from "../complaints.ts";
import { type Environment, substitute } from "./environment.ts";
import { locating, type Place } from "./locating.ts";
import type { Manifest } from "../manifest.ts";
import { contentOf, readDraft } from "./read-layout.ts";
import { readFilledIn } from "./read-shape.ts";

const KINDS = ["Form", "Layout"] as const;

/** A manifest that may still wait for its layout's file. */
export type ReadManifest = { manifest: Manifest; place: Place; layoutPath?: string };

export function hasKind({ value }: Document): boolean {
  return isJsonObject(value) && Object.hasOwn(value, "kind");
}

/** The manifest that a document is, unless something is wrong with its shape, which is told to `wrong`. */
export function readManifest(
  document: Document,
  env: Environment,
  wrong: { add: (problem: Located) => void; isFull: () => boolean },
): ReadManifest | undefined {
  const filled = substitute(document, env);
  const place = locating(document, filled);
  const found: Diagnostic[] = [...filled.problems];
  const refuse = () => {
    for (const each of found) if (!wrong.isFull()) wrong.add(place.locate(each));
    return undefined;
  };

  const { value } = filled;
  const kind = isJsonObject(value) ? value["kind"] : undefined;
  if (!isJsonObject(value) || !isKind(kind)) {
    found.push(complaint("MANIFEST_KIND", wrongKind(value), isJsonObject(value) && "kind" in value ? "kind" : ""));
    return refuse();
  }
  const { layout, ...members } = value;
  const shape = readFilledIn(kind === "Form" ? schemas.FormManifest : schemas.LayoutManifest, members, filled);
  if (!shape.ok) found.push(...shape.problems.map(invalid));

  let content: ReturnType<typeof contentOf> | undefined;
  if (isJsonObject(layout)) {
    const draft = readDraft(layout, filled, "layout");
    if (draft.ok) content = contentOf(draft.value);
    else found.push(...draft.problems);
  } else if (layout !== undefined && (typeof layout !== "string" || layout === "")) {
    found.push(complaint("MANIFEST_INVALID", "layout must be the path of a layout file, or a layout", "layout"));
  }
  if (!shape.ok || found.length > 0) return refuse();
  const manifest: Manifest = {
    ...membersOf(shape.value),
    file: document.file,
    locate: place.locate,
    ...(content && { content }),
  };
  return { manifest, place, ...(typeof layout === "string" && { layoutPath: layout }) };
}

function isKind(kind: unknown): kind is (typeof KINDS)[number] {
  return KINDS.some((known) => known === kind);
}

function invalid({ path, message }: ShapeProblem): Diagnostic {
  return complaint("MANIFEST_INVALID", `${path || "the manifest"} ${message}`, path);
}

function wrongKind(value: unknown): string {
  if (!isJsonObject(value)) return "a manifest is an object with a kind, which is Form or Layout";
  const { kind } = value;
  if (kind !== undefined) {
    const meant = typeof kind === "string" ? nearest(kind, KINDS) : undefined;
    const wayOut = meant === undefined ? "" : ` - did you mean "${meant}"?`;
    return `kind must be Form or Layout, not ${JSON.stringify(kind).slice(0, 60)}${wayOut}`;
  }
  if (looksLikeLayout(value)) {
    return "this looks like a layout that no manifest names. Name it in one as layout, or let its file end in .layout.yaml";
  }
  return "the manifest has no kind. Begin it with kind: Form or kind: Layout";
}

function looksLikeLayout(value: JsonObject): boolean {
  return Object.hasOwn(value, "regions") || Object.hasOwn(value, "blocks");
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
