/** An item of a draft in a few words. */

import type { Block } from "../schemas/draft.ts";
import { namedBy } from "../schemas/draft-sources.ts";
import { isJsonObject, type JsonObject } from "../schemas/json.ts";

/** `field full_name in summary`; undefined for what is no item of a draft. @param path where it stands: `blocks[1].children[0]` */
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
