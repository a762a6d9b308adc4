/** Checks of labels, and of the display order of regions and blocks (docs/decisions.md, "Effective modes"). */

import type { Block } from "../draft.ts";
import { type CheckContext, type BlockRule, quote, nameOf } from "./report.ts";
import type { BlockNode, DraftTree, ModeSet } from "../draft-tree.ts";

const MAX_LABEL = 80;

export function checkRegionLabels({ tree, report }: CheckContext): void {
  for (const { region, index } of tree.regions) {
    const steps = ["regions", index, "label"];
    if (isBlank(region.label)) {
      report.at("LABEL_MISSING", steps, `the region ${quote(region.key)} has no label. Add a label`);
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
      report.block("LABEL_MISSING", node, ["config", "label"], `the ${block.type} has no label. Set config.label`);
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
  // Code points are counted, because an emoji has two or more UTF-16 code units.
  return text.length <= MAX_LABEL ? text.length : Array.from(text).length;
}

function isOverlong(text: string): boolean {
  return lengthOf(text) > MAX_LABEL;
}

function overlong(text: string): string {
  return `the label has ${lengthOf(text)} characters. The maximum is ${MAX_LABEL}`;
}

const NEXT_STEP = "Use different values, otherwise their order in the list applies";

export function checkRegionOrder({ tree, report }: CheckContext): void {
  const seen = new Map<number, string>();
  for (const { region, index } of tree.regions) {
    const order = region.displayOrder ?? index;
    const other = seen.get(order);
    if (other === undefined) seen.set(order, region.key);
    else {
      const message = `the region ${quote(other)} has the same displayOrder ${order}. ${NEXT_STEP}`;
      report.at("DISPLAY_ORDER_TIE", ["regions", index, "displayOrder"], message);
    }
  }
}

export const blockOrder: BlockRule = ({ tree, report }) => {
  const ties = findTies(tree);
  return (node) => {
    const other = ties.get(node);
    if (!other) return;
    const message = `${nameOf(other)} has the same displayOrder ${orderOf(node)}. ${NEXT_STEP}`;
    report.block("DISPLAY_ORDER_TIE", node, ["displayOrder"], message);
  };
};

function findTies(tree: DraftTree): Map<BlockNode, BlockNode> {
  const ties = new Map<BlockNode, BlockNode>();
  for (const { roots } of tree.regions) findTiesAmong(roots, ties);
  for (const { children } of tree.nodes) if (children.length > 1) findTiesAmong(children, ties);
  return ties;
}

function findTiesAmong(siblings: readonly BlockNode[], ties: Map<BlockNode, BlockNode>): void {
  if (isAscending(siblings)) return;
  const places = new Map<number, { modes: ModeSet; nodes: BlockNode[] }>();
  for (const node of siblings) {
    const place = places.get(orderOf(node));
    if (!place) {
      places.set(orderOf(node), { modes: node.modes, nodes: [node] });
      continue;
    }
    // Blocks without a common mode never appear together and may have the same displayOrder.
    const other = place.nodes.find((one) => one.modes & node.modes);
    if (other) ties.set(node, other);
    // A block is stored if it adds a mode to `place.modes`. So the number of stored blocks is at most the number of
    // modes.
    if ((place.modes | node.modes) !== place.modes) place.nodes.push(node);
    place.modes |= node.modes;
  }
}

function isAscending(siblings: readonly BlockNode[]): boolean {
  let highest = Number.NEGATIVE_INFINITY;
  for (const node of siblings) {
    const order = orderOf(node);
    if (order <= highest) return false;
    highest = order;
  }
  return true;
}

function orderOf(node: BlockNode): number {
  return node.block.displayOrder ?? node.index;
}
