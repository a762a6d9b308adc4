/** Rules about where a block stands: its id, its region and the block around it (R38-R42). */

import { type BlockType, MAX_NESTING } from "../words.ts";
import { isKnownType } from "../draft-sources.ts";
import { isContainer, type BlockNode } from "../draft-tree.ts";
import { type BlockRule, type CheckContext, list, nameOf, quote, nextStep } from "./report.ts";

export const blockIds: BlockRule = ({ tree, report }) => {
  const seen = new Set<string>();
  let firsts: Map<string, BlockNode> | undefined;
  return (node) => {
    const { id } = node.block;
    if (id === undefined) return;
    // One look-up a block: which one had the id first is only asked where one has it again.
    const count = seen.size;
    if (seen.add(id).size > count) return;
    firsts ??= firstById(tree.nodes);
    const message = `the id ${quote(id)} is already that of another block, a ${firsts.get(id)?.block.type} - choose another`;
    report.block("BLOCK_ID_DUPLICATE", node, ["id"], message);
  };
};

function firstById(nodes: readonly BlockNode[]): Map<string, BlockNode> {
  const firsts = new Map<string, BlockNode>();
  for (const node of nodes) {
    const { id } = node.block;
    if (id !== undefined && !firsts.has(id)) firsts.set(id, node);
  }
  return firsts;
}

export const blockRegions: BlockRule = (context) => (node) => {
  // Without any region each block would be wrong in the same way: NO_REGIONS says it once.
  if (context.tree.regions.length === 0) return;
  if (node.parent) checkChildRegion(context, node);
  else checkRootRegion(context, node);
};

function checkRootRegion({ tree, report }: CheckContext, node: BlockNode): void {
  if (node.region) return;
  const { regionKey } = node.block;
  const keys = [...tree.regionByKey.keys()];
  const message =
    regionKey === undefined
      ? `regionKey is missing, so it names no region - take one of ${list(keys)}`
      : `regionKey ${quote(regionKey)} names no region - ${nextStep(regionKey, keys, "take one of", "add one")}`;
  report.block("REGION_UNKNOWN", node, ["regionKey"], message);
}

function checkChildRegion({ tree, report }: CheckContext, node: BlockNode): void {
  const { regionKey } = node.block;
  const root = outermost(node);
  if (regionKey === undefined || regionKey === root.block.regionKey) return;
  if (!tree.regionByKey.has(regionKey)) {
    const message = `regionKey ${quote(regionKey)} names no region - leave it out: a child is where ${nameOf(root)} is`;
    report.block("REGION_UNKNOWN", node, ["regionKey"], message);
  } else if (node.region) {
    const message = `regionKey is ${quote(regionKey)}, but the block around it is in ${quote(node.region.region.key)}, which counts - leave it out, or move the block`;
    report.block("CHILD_REGION_MISMATCH", node, ["regionKey"], message);
  }
}

function outermost(node: BlockNode): BlockNode {
  let at = node;
  while (at.parent) at = at.parent;
  return at;
}

type Holds = { types: readonly string[]; content: boolean };

/** What may stand in a container, beside the content that some of them hold. */
const HOLDS = {
  tabs: { types: ["tab", "section"], content: false },
  tab: { types: ["section"], content: true },
  section: { types: ["column"], content: true },
  column: { types: [], content: true },
} as const satisfies Partial<Record<BlockType, Holds>>;

const TABS_REGION: Holds = { types: ["tab", "section"], content: false };
const OTHER_REGION: Holds = { types: ["section", "tabs"], content: true };
// What can be right in one of the regions is not called wrong while the region is not known.
const ANY_REGION: Holds = { types: ["tab", "section", "tabs"], content: true };
const NOTHING: Holds = { types: [], content: false };

export const nesting: BlockRule = ({ report }) => {
  return (node) => {
    const { block, parent, depth } = node;
    if (depth === MAX_NESTING + 1) {
      const message = `blocks are nested more than ${MAX_NESTING} levels deep - a layout needs four: tab, section, column, field`;
      report.block("NESTING_TOO_DEEP", node, [], message);
    }
    const holds = holdsOf(node);
    if (!holds || !isKnownType(block.type)) return;
    if (isContainer(block.type) ? holds.types.includes(block.type) : holds.content) return;
    if (!parent && node.region?.region.layout === "tabs" && !isContainer(block.type)) {
      const message = `a ${block.type} can't stand in the tabs region ${quote(node.region.region.key)} itself - put it in a tab`;
      report.block("TABS_REGION_LEAF", node, [], message);
      return;
    }
    const place = parent ? `in a ${parent.block.type}` : `in a ${node.region?.region.layout ?? "region"} region itself`;
    report.block("NESTING_NOT_ALLOWED", node, [], `a ${block.type} can't stand ${place} - ${describe(holds)}`);
  };
};

/** Undefined: a block whose type only another server knows may hold anything. */
function holdsOf({ parent, region }: BlockNode): Holds | undefined {
  if (parent && !isKnownType(parent.block.type)) return undefined;
  if (parent) return isContainer(parent.block.type) ? HOLDS[parent.block.type as keyof typeof HOLDS] : NOTHING;
  if (!region) return ANY_REGION;
  return region.region.layout === "tabs" ? TABS_REGION : OTHER_REGION;
}

function describe({ types, content }: Holds): string {
  const held = content ? [...types, "content"] : types;
  return held.length === 0 ? "it holds no other block" : `only ${held.join(", ")} can`;
}

/** A type that only another server knows may be one. */
export function mayBeTab({ block: { type } }: BlockNode): boolean {
  return type === "tab" || type === "section" || !isKnownType(type);
}

export const containers: BlockRule =
  ({ report }) =>
  (node) => {
    const { type } = node.block;
    if (type === "tabs") {
      if (node.children.some(mayBeTab)) return;
      const message = "the tabs have no tab or section - add one, or take the block out";
      report.block("TABS_EMPTY", node, ["children"], message);
    } else if (isContainer(type) && node.children.length === 0) {
      const message = `the ${type} holds no block - add one, or take it out`;
      report.block("CONTAINER_EMPTY", node, ["children"], message);
    }
  };
