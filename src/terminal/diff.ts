/** Prints the changes of a content: added, removed, changed and moved values, one per line. */

import type { Change } from "../schemas/content-diff.ts";
import type { Block } from "../schemas/draft.ts";
import { namedBy } from "../schemas/draft-sources.ts";
import { isJsonObject, type JsonObject } from "../schemas/json.ts";
import { jsonText, safeLine, visible } from "./escape.ts";
import type { Paint, Style } from "./style.ts";
import { cut } from "./width.ts";

export const CHANGE_MARKS: Record<Change["kind"], string> = { added: "+", removed: "-", changed: "~", moved: ">" };
const MAX_VALUE_COLUMNS = 120;

/** Returns a line for each change, such as `~ path: old → new`. Empty if there are no changes. */
export function renderDiff(changes: readonly Change[], style: Style): string {
  const mark = ({ kind }: Change) => changePaint(kind, style)(CHANGE_MARKS[kind]);
  return changes.map((change) => `${mark(change)} ${changeText(change)}\n`).join("");
}

/**
 * Returns the changes as lines of a diff, for viewers that colour lines with `-`, `+` and `!`. A changed value has two
 * lines: the old value and the new value.
 */
export function diffLines(changes: readonly Change[]): string[] {
  return changes.flatMap((change) => {
    if (change.kind !== "changed") return [`${DIFF_MARKS[change.kind]} ${changeText(change)}`];
    const place = placeOf(change);
    return [`- ${place}: ${shortJson(change.before)}`, `+ ${place}: ${shortJson(change.after)}`].map(safeLine);
  });
}

const DIFF_MARKS = { added: "+", removed: "-", moved: "!" } as const;

export function changePaint(kind: Change["kind"], style: Style): Paint {
  return { added: style.green, removed: style.red, changed: style.yellow, moved: style.cyan }[kind];
}

/** Returns a change as one line, such as `path (id): old → new`. */
export function changeText(change: Change): string {
  return safeLine(`${placeOf(change)}: ${DESCRIPTIONS[change.kind](change)}`);
}

function placeOf({ path, id }: Change): string {
  return `${visible(path === "" ? "(the whole content)" : path)}${id === undefined ? "" : ` (${visible(id)})`}`;
}

const DESCRIPTIONS: Record<Change["kind"], (change: Change) => string> = {
  added: ({ path, after }) => summary(path, after),
  removed: ({ path, before }) => summary(path, before),
  changed: ({ before, after }) => `${shortJson(before)} → ${shortJson(after)}`,
  moved: ({ before }) => `moved from ${visible(String(before))}`,
};

/** Describes an added or removed value. An item of a draft is described in words, any other value as JSON. */
function summary(path: string, value: unknown): string {
  const words = itemWords(path, value);
  return words === undefined ? shortJson(value) : cut(visible(words), MAX_VALUE_COLUMNS);
}

function shortJson(value: unknown): string {
  return cut(jsonText(value), MAX_VALUE_COLUMNS);
}

/**
 * Describes an item of a draft, such as `field full_name in summary`; undefined for other values.
 *
 * @param path such as `blocks[1].children[0]`
 */
export function itemWords(path: string, item: unknown): string | undefined {
  const list = /(?:^|\.)(\w+)\[\d+\]$/.exec(path)?.[1] ?? "";
  if (!isJsonObject(item) || !Object.hasOwn(WORDS, list)) return undefined;
  return WORDS[list]?.(item).join(" ");
}

const WORDS: Record<string, ((item: JsonObject) => string[]) | undefined> = {
  regions: ({ layout, label }) => ["region", ...texts(layout), ...quotedTexts(label)],
  blocks: blockWords,
  children: blockWords,
  stagedFieldDefinitions: ({ action, key, existingFieldDefinitionId, type }) => [
    ...texts(action),
    "field",
    ...texts(key ?? existingFieldDefinitionId),
    ...(typeof type === "string" ? [`(${type})`] : []),
  ],
  scriptBindings: ({ scriptId, hook }) => ["script", ...texts(scriptId), "at", ...texts(hook)],
};

function blockWords(item: JsonObject): string[] {
  const { type, regionKey } = item;
  const config = isJsonObject(item["config"]) ? item["config"] : {};
  const named = texts(namedBy(item as Block)?.text);
  const name = named.length > 0 ? named : quotedTexts(config["label"] ?? config["title"]);
  return [...texts(type), ...name, ...(typeof regionKey === "string" ? ["in", regionKey] : [])];
}

function texts(value: unknown): string[] {
  return typeof value === "string" ? [value] : [];
}

function quotedTexts(value: unknown): string[] {
  return typeof value === "string" ? [`"${value}"`] : [];
}
