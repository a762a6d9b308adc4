/** The changes of a content, one to a line: what was added, removed, changed and moved. */

import type { Change } from "../schemas/content-diff.ts";
import { itemWords } from "./item-words.ts";
import { jsonText, safeLine, visible } from "./escape.ts";
import type { Paint, Style } from "./style.ts";
import { cut } from "./width.ts";

const MARKS: Record<Change["kind"], string> = { added: "+", removed: "-", changed: "~", moved: ">" };
const MAX_VALUE_COLUMNS = 120;

/** Each change on a line of its own, `path: old → new`; empty text where nothing changed. */
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
  const place = visible(change.path === "" ? "(the whole)" : change.path);
  const name = change.id === undefined ? "" : ` (${visible(change.id)})`;
  return safeLine(`${place}${name}: ${TOLD[change.kind](change)}`);
}

const TOLD: Record<Change["kind"], (change: Change) => string> = {
  added: ({ path, after }) => summary(path, after),
  removed: ({ path, before }) => summary(path, before),
  changed: ({ before, after }) => `${shortJson(before)} → ${shortJson(after)}`,
  moved: ({ before }) => `moved here from ${visible(String(before))}`,
};

/** What was added or removed: an item of a draft in a few words, other values as they are. */
function summary(path: string, value: unknown): string {
  const words = itemWords(path, value);
  return words === undefined ? shortJson(value) : cut(visible(words), MAX_VALUE_COLUMNS);
}

function shortJson(value: unknown): string {
  return cut(jsonText(value), MAX_VALUE_COLUMNS);
}
