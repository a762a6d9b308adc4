/** Changes the value of one document in a YAML or JSON text. Keeps every byte that need not change. */

import { hasCode } from "../base/error.ts";
import { isJsonObject, type JsonObject, sameJson } from "../schemas/json.ts";
import { readDocuments } from "./document.ts";
import type { IdentityOf } from "./match-items.ts";
import { findMoves, putMoved } from "./moved-items.ts";
import { rewrite } from "./rewrite-yaml.ts";
import { type SourceNode, yamlSource } from "./yaml-source.ts";

/** Thrown if an edit can't give the text the target value. The text is not changed. */
export class Uneditable extends Error {
  override readonly name = "Uneditable";
}

/**
 * Returns `source` with `target` as the value of one document. `index` counts the documents that `readDocuments`
 * returns. The current value of the document must be a mapping, and `target` must not be empty.
 *
 * Comments, blank lines, the order of keys, quotes, brackets, anchors and line ends are preserved. New values get the
 * style of the text. An item that moves to another list keeps its text and the comments above it. For this, the
 * identity of the item must be unique, and the two lists must be in block style. An alias is kept only if its target
 * value equals the new value of its anchor. Otherwise the target value replaces the alias.
 *
 * The result is read again before it is returned. The text must have the target value in this document, and the other
 * documents must be unchanged.
 *
 * @param identityOf identifies list items. It matches items that move and change at the same time
 * @throws INVALID_FILE if `source` can't be read
 * @throws Uneditable in these cases:
 * - The document is not a mapping.
 * - `target` is empty.
 * - The result would have another value.
 */
export function editYaml(
  source: string,
  index: number,
  target: JsonObject,
  identityOf: IdentityOf = () => undefined,
): string {
  const mark = source.startsWith("\uFEFF") ? "\uFEFF" : "";
  const text = source.slice(mark.length);
  const values = readDocuments(text, "").map((document) => document.value);
  const current = values[index];
  // Undefined members count as missing, as in JSON.
  const value = JSON.parse(JSON.stringify(target)) as JsonObject;
  if (sameJson(current, value)) return source;
  const root = yamlSource(text)?.[index];
  if (root?.kind !== "map" || !isJsonObject(current) || Object.keys(value).length === 0) {
    throw new Uneditable("the document is not a mapping, so it can't be edited. Edit it by hand");
  }
  const isRight = (edited: string) => sameJson(valuesOf(edited), values.with(index, value));
  const moved = rewriteWithMoves(text, root, current, value, identityOf);
  if (moved !== undefined && isRight(moved)) return mark + moved;
  const edited = rewrite(text, root, { current, target: value, identityOf, movedItems: [] }).text;
  if (!isRight(edited)) throw new Uneditable("the document uses YAML that can't be edited safely. Edit it by hand");
  return mark + edited;
}

/**
 * Edits the text. Items that move to another list keep their text. Returns undefined in these cases:
 * - No item moves.
 * - No text of a moved item can be kept.
 */
function rewriteWithMoves(
  text: string,
  root: SourceNode,
  current: JsonObject,
  target: JsonObject,
  identityOf: IdentityOf,
): string | undefined {
  const excluded = new Set<string>();
  for (;;) {
    const moves = findMoves(text, root, current, target, identityOf, (marker) => excluded.has(marker));
    if (moves.items.length === 0) return undefined;
    const written = rewrite(text, root, {
      current,
      target: moves.target,
      identityOf: moves.identityOf,
      movedItems: moves.items,
    });
    let edited = written.text;
    const before = excluded.size;
    for (const item of moves.items.toReversed()) {
      const put = putMoved(edited, text, item, written.printMoved(item));
      if (put === undefined) excluded.add(item.marker);
      else edited = put;
    }
    if (excluded.size === before) return edited;
  }
}

function valuesOf(text: string): unknown[] | undefined {
  try {
    return readDocuments(text, "").map(({ value }) => value);
  } catch (error) {
    if (hasCode(error, "INVALID_FILE")) return undefined;
    throw error;
  }
}
