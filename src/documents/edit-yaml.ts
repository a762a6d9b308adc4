/** A new value for one document of a YAML or JSON text, written so that only the lines of what has changed are others. */

import { hasCode } from "../error.ts";
import { isJsonObject, type JsonObject, sameJson } from "../schemas/json.ts";
import { readDocuments } from "./document.ts";
import type { IdentityOf } from "./match-items.ts";
import { rewrite } from "./rewrite.ts";
import { yamlSource } from "./yaml-source.ts";

/** A text that can't be edited without the danger of saying something else than is wanted. It is left as it is. */
export class Uneditable extends Error {
  override readonly name = "Uneditable";
}

/**
 * `source` with `wanted` as the value of its document `index`, counted as `readDocuments` counts; its root and `wanted`
 * are mappings that are not empty. Comments, blank lines, the order of keys, quotes, brackets, anchors and line ends stay
 * as they are; what is new looks like what stands around it. An alias whose value changes is written out in its place, and
 * so is one whose anchor changes and which does not. List items keep their text where they move to; comments above an
 * item that goes stay.
 *
 * The result is read again before it is given: it says `wanted`, and in other documents what they said.
 *
 * @param identityOf tells list items apart that change their place and content at once
 * @throws INVALID_FILE where `source` can't be read, Uneditable where the result would not be what is wanted
 */
export function editYaml(
  source: string,
  index: number,
  wanted: JsonObject,
  identityOf: IdentityOf = () => undefined,
): string {
  const mark = source.startsWith("\uFEFF") ? "\uFEFF" : "";
  const text = source.slice(mark.length);
  const values = readDocuments(text, "").map(({ value }) => value);
  const before = values[index];
  const target = JSON.parse(JSON.stringify(wanted)) as JsonObject;
  if (sameJson(before, target)) return source;
  const root = yamlSource(text)?.[index];
  if (root?.kind !== "map" || !isJsonObject(before) || Object.keys(target).length === 0) {
    throw new Uneditable("is not a mapping, and nothing else can be changed in its place");
  }
  const after = mark + rewrite(text, root, before, target, identityOf);
  if (!sameJson(valuesOf(after), values.with(index, target))) {
    throw new Uneditable("is written in a way that can't be changed safely. Change it by hand");
  }
  return after;
}

function valuesOf(text: string): unknown[] | undefined {
  try {
    return readDocuments(text, "").map(({ value }) => value);
  } catch (error) {
    if (hasCode(error, "INVALID_FILE")) return undefined;
    throw error;
  }
}
