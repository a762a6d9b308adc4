/** Finds the texts of a block that its users see: label, columns of a table, text without tags. */

import type { Block } from "../schemas/draft.ts";
import { namedBy } from "../schemas/draft-sources.ts";
import { isJsonObject } from "../schemas/json.ts";
import type { FormTexts } from "./model.ts";

/**
 * Returns the first of these texts that the block has:
 * - its label
 * - the name of its field
 * - the key or id of what it shows, such as a field, relation, component or widget
 * - words for its type
 */
export function labelOf(block: Block, fieldName: string | undefined): { label: string; isLabelled: boolean } {
  const { config = {} } = block;
  const label = [config["label"], config["title"], fieldName, namedBy(block)?.text].find(isText);
  return label === undefined ? { label: typeWords(block.type), isLabelled: false } : { label, isLabelled: true };
}

const TYPE_WORDS: Readonly<Record<string, string | undefined>> = {
  builtin: "Built-in block",
  custom_html: "Text",
  action_bar: "Actions",
};

/** Returns a block type as words: `relation_table` → `Relation table`. */
function typeWords(type: string): string {
  const known = Object.hasOwn(TYPE_WORDS, type) ? TYPE_WORDS[type] : undefined;
  return known ?? type.replaceAll("_", " ").replace(/^./u, (first) => first.toUpperCase());
}

/**
 * Returns the label or key of each column of a table block. A column can be a key, or an object with a label or a key.
 */
export function columnsOf({ config }: Block): string[] {
  const columns = config?.["columns"];
  if (!Array.isArray(columns)) return [];
  return columns.flatMap((column: unknown) => {
    const key = isJsonObject(column) ? [column["label"], column["key"], column["fieldKey"]].find(isText) : column;
    return isText(key) ? [key] : [];
  });
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " " };

/** Returns the text of a `custom_html` block without tags. Undefined for other blocks. */
export function htmlText({ type, config }: Block): string | undefined {
  const html = type === "custom_html" ? [config?.["html"], config?.["text"]].find(isText) : undefined;
  return html
    ?.replace(/<(script|style)\b[^>]*>[^]*?(?:<\/\1\s*>|$)/gi, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/&(amp|lt|gt|quot|nbsp);/g, (_match, name: string) => ENTITIES[name] ?? "")
    .replace(/\s+/g, " ")
    .trim();
}

/** Returns the texts in the config of a form. */
export function formTexts(config: Readonly<Record<string, unknown>>): FormTexts {
  const text = (member: keyof FormTexts) => [config[member]].find(isText);
  return { title: text("title"), description: text("description"), successMessage: text("successMessage") };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
