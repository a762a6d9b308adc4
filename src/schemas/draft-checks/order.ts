/** Neighbours with the same displayOrder. A missing one is the place in the list (docs/decisions.md, "Effective modes"). */

import type { BlockNode, DraftTree } from "../draft-tree.ts";
import type { ModeSet } from "../mode-set.ts";
import { nameOf, quote } from "./report.ts";
import type { BlockRule, CheckContext } from "./context.ts";

const WAY_OUT = "their order in the list decides; give each its own";

export function checkRegionOrder({ tree, report }: CheckContext): void {
  const seen = new Map<number, string>();
  for (const { region, index } of tree.regions) {
    const order = region.displayOrder ?? index;
    const other = seen.get(order);
    if (other === undefined) seen.set(order, region.key);
    else {
      const message = `displayOrder ${order} is also that of the region ${quote(other)} - ${WAY_OUT}`;
      report.at("DISPLAY_ORDER_TIE", ["regions", index, "displayOrder"], message);
    }
  }
}

export const blockOrder: BlockRule = ({ tree, report }) => {
  const ties = findTies(tree);
  return (node) => {
    const other = ties.get(node);
    if (!other) return;
    const message = `displayOrder ${orderOf(node)} is also that of ${nameOf(other)} - ${WAY_OUT}`;
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
    // Blocks of different modes are never side by side: one for CREATE and one for VIEW may share a place.
    const other = place.nodes.find((one) => one.modes & node.modes);
    if (other) ties.set(node, other);
    // A block whose modes are all taken would never be found: without it, `nodes` has at most one block a mode.
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
