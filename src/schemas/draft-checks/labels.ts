/** Labels that are missing, and labels that no page has room for. */

import type { Block } from "../draft.ts";
import type { CheckContext, BlockRule } from "./context.ts";
import { quote } from "./report.ts";

const MAX_LABEL = 80;

export function checkRegionLabels({ tree, report }: CheckContext): void {
  for (const { region, index } of tree.regions) {
    const steps = ["regions", index, "label"];
    if (isBlank(region.label)) {
      report.at("LABEL_MISSING", steps, `the region ${quote(region.key)} has no label - give it one`);
    } else if (isOverlong(region.label)) report.at("LABEL_OVERLONG", steps, overlong(region.label));
  }
}

export const labels: BlockRule =
  ({ report }) =>
  (node) => {
    const { block } = node;
    const member = labelMember(block);
    if (member === undefined) {
      if (block.type !== "tab" && block.type !== "section") return;
      report.block("LABEL_MISSING", node, ["config", "label"], `the ${block.type} has no label - give it config.label`);
      return;
    }
    const text = block.config?.[member] as string;
    if (isOverlong(text)) report.block("LABEL_OVERLONG", node, ["config", member], overlong(text));
  };

function labelMember({ config }: Block): "label" | "title" | undefined {
  if (!config) return undefined;
  if (isText(config["label"])) return "label";
  return isText(config["title"]) ? "title" : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && !isBlank(value);
}

function isBlank(text: string | null | undefined): text is null | undefined {
  return text == null || text.trim() === "";
}

function lengthOf(text: string): number {
  // An emoji is one character to the person who reads it, and two or more to JavaScript.
  return text.length <= MAX_LABEL ? text.length : Array.from(text).length;
}

function isOverlong(text: string): boolean {
  return lengthOf(text) > MAX_LABEL;
}

function overlong(text: string): string {
  return `the label has ${lengthOf(text)} characters - shorten it to ${MAX_LABEL} at most`;
}
