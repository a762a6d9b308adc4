/** Checks of the position of blocks: id, region and parent block (R38-R42). */

import { type BlockType, MAX_NESTING } from "../words.ts";
import { isKnownType } from "../draft-sources.ts";
import { isContainer, type BlockNode } from "../draft-tree.ts";
import { type BlockRule, type CheckContext, list, nameOf, quote, nextStep } from "./report.ts";

export const blockIds: BlockRule = ({ tree, report }) => {
  const seen = new Set<string>();
  let firstBlocks: Map<string, BlockNode> | undefined;
  return (node) => {
    const { id } = node.block;
    if (id === undefined) return;
    // If the id is a duplicate, the set does not grow. Most drafts have no duplicates, so `firstById` is called on
    // demand.
    const count = seen.size;
    if (seen.add(id).size > count) return;
    firstBlocks ??= firstById(tree.nodes);
    const message = `another block of type ${firstBlocks.get(id)?.block.type} already has the id ${quote(id)}. Use a different id`;
    report.block("BLOCK_ID_DUPLICATE", node, ["id"], message);
  };
};

function firstById(nodes: readonly BlockNode[]): Map<string, BlockNode> {
  const firstBlocks = new Map<string, BlockNode>();
  for (const node of nodes) {
    const { id } = node.block;
    if (id !== undefined && !firstBlocks.has(id)) firstBlocks.set(id, node);
  }
  return firstBlocks;
}

export const blockRegions: BlockRule = (context) => (node) => {
  // Without any region, NO_REGIONS is reported once instead of one problem per block.
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
      ? `regionKey is required. Regions: ${list(keys)}`
      : `unknown region ${quote(regionKey)}. ${nextStep(regionKey, keys, "Regions", "Add a region")}`;
  report.block("REGION_UNKNOWN", node, ["regionKey"], message);
}

function checkChildRegion({ tree, report }: CheckContext, node: BlockNode): void {
  const { regionKey } = node.block;
  const root = outermost(node);
  if (regionKey === undefined || regionKey === root.block.regionKey) return;
  if (!tree.regionByKey.has(regionKey)) {
    const message = `unknown region ${quote(regionKey)}. Leave out regionKey: the block belongs to the region of ${nameOf(root)}`;
    report.block("REGION_UNKNOWN", node, ["regionKey"], message);
  } else if (node.region) {
    const message = `regionKey is ${quote(regionKey)}, but the outermost block is in ${quote(node.region.region.key)}. Leave out regionKey, or move the block`;
    report.block("CHILD_REGION_MISMATCH", node, ["regionKey"], message);
  }
}

function outermost(node: BlockNode): BlockNode {
  let at = node;
  while (at.parent) at = at.parent;
  return at;
}

type Allowed = { types: readonly string[]; content: boolean };

/**
 * The children that each container allows. `types` lists the allowed containers. `content` states whether other blocks
 * are allowed, such as fields.
 */
const ALLOWED_IN = {
  tabs: { types: ["tab", "section"], content: false },
  tab: { types: ["section"], content: true },
  section: { types: ["column"], content: true },
  column: { types: [], content: true },
} as const satisfies Partial<Record<BlockType, Allowed>>;

const TABS_REGION: Allowed = { types: ["tab", "section"], content: false };
const OTHER_REGION: Allowed = { types: ["section", "tabs"], content: true };
// If the region is unknown, a block is accepted if any region allows it.
const ANY_REGION: Allowed = { types: ["tab", "section", "tabs"], content: true };
const NOTHING: Allowed = { types: [], content: false };

export const nesting: BlockRule = ({ report }) => {
  return (node) => {
    const { block, parent, depth } = node;
    if (depth === MAX_NESTING + 1) {
      const message = `blocks are nested more than ${MAX_NESTING} levels deep. Four levels are enough: tab, section, column, field`;
      report.block("NESTING_TOO_DEEP", node, [], message);
    }
    const allowed = allowedIn(node);
    if (!allowed || !isKnownType(block.type)) return;
    if (isContainer(block.type) ? allowed.types.includes(block.type) : allowed.content) return;
    if (!parent && node.region?.region.layout === "tabs" && !isContainer(block.type)) {
      const message = `a ${block.type} is not allowed directly in the tabs region ${quote(node.region.region.key)}. Put it in a tab`;
      report.block("TABS_REGION_LEAF", node, [], message);
      return;
    }
    const where = parent
      ? `in a ${parent.block.type}`
      : `directly in a ${node.region?.region.layout ?? "region"} region`;
    report.block("NESTING_NOT_ALLOWED", node, [], `a ${block.type} is not allowed ${where}. ${describe(allowed)}`);
  };
};

/**
 * Returns what is allowed at the position of a block. Undefined if the type of the parent is unknown: such a parent may
 * contain anything.
 */
function allowedIn({ parent, region }: BlockNode): Allowed | undefined {
  if (parent && !isKnownType(parent.block.type)) return undefined;
  if (parent)
    return isContainer(parent.block.type) ? ALLOWED_IN[parent.block.type as keyof typeof ALLOWED_IN] : NOTHING;
  if (!region) return ANY_REGION;
  return region.region.layout === "tabs" ? TABS_REGION : OTHER_REGION;
}

function describe({ types, content }: Allowed): string {
  const names = content ? [...types, "content"] : types;
  return names.length === 0 ? "It can't contain blocks" : `Allowed: ${names.join(", ")}`;
}

/** Whether a block may be a tab or section: its type is `tab`, `section` or unknown. */
export function mayBeTab({ block: { type } }: BlockNode): boolean {
  return type === "tab" || type === "section" || !isKnownType(type);
}

export const containers: BlockRule =
  ({ report }) =>
  (node) => {
    const { type } = node.block;
    if (type === "tabs") {
      if (node.children.some(mayBeTab)) return;
      const message = "the tabs block has no tab or section. Add one, or remove the block";
      report.block("TABS_EMPTY", node, ["children"], message);
    } else if (isContainer(type) && node.children.length === 0) {
      const message = `the ${type} is empty. Add a block, or remove it`;
      report.block("CONTAINER_EMPTY", node, ["children"], message);
    }
  };
