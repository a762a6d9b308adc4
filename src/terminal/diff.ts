/** Renders the changes between two contents, one to a line: added, removed, changed or moved. */

import type { Change } from "../schemas/content-diff.ts";
import { itemWords } from "./item-words.ts";
import { jsonText, safeLine, visible } from "./escape.ts";
import type { Paint, Style } from "./style.ts";
import { cut } from "./width.ts";

const MARKS: Record<Change["kind"], string> = { added: "+", removed: "-", changed: "~", moved: ">" };
const MAX_VALUE_COLUMNS = 120;

/** A line for each change, `path: old → new`; empty text without changes. */
export function renderDiff(changes: readonly Change[], style: Style): string {
  const paints: Record<Change["kind"], Paint> = {
    added: style.green,
    removed: style.red,
    changed: style.yellow,
    moved: style.cyan,
  };
  return changes.map((change) => `${paints[change.kind](MARKS[change.kind])} ${line(change)}\n`).join("");
}

function line(change: Change): string {
  const path = visible(change.path === "" ? "(the whole content)" : change.path);
  const name = change.id === undefined ? "" : ` (${visible(change.id)})`;
  return safeLine(`${path}${name}: ${DESCRIPTIONS[change.kind](change)}`);
}

const DESCRIPTIONS: Record<Change["kind"], (change: Change) => string> = {
  added: ({ path, after }) => summary(path, after),
  removed: ({ path, before }) => summary(path, before),
  changed: ({ before, after }) => `${shortJson(before)} → ${shortJson(after)}`,
  moved: ({ before }) => `moved from ${visible(String(before))}`,
};

/** An added or removed value: a summary of an item of a draft, other values as JSON. */
function summary(path: string, value: unknown): string {
  const words = itemWords(path, value);
  return words === undefined ? shortJson(value) : cut(visible(words), MAX_VALUE_COLUMNS);
}

function shortJson(value: unknown): string {
  return cut(jsonText(value), MAX_VALUE_COLUMNS);
}
