/** Builds the tree of a draft: each block has its parent, its region and its effective modes. Uses no recursion. */

import type { Block, DraftContent, Region } from "./draft.ts";
import { MODES } from "./words.ts";
import type { Mode } from "./form.ts";

export type BlockNode = {
  readonly block: Block;
  /** The index in {@link DraftTree.nodes}. */
  readonly number: number;
  readonly parent: BlockNode | undefined;
  /** The index among the children of the parent, or among the root blocks. */
  readonly index: number;
  /** 1 for a root block. */
  readonly depth: number;
  /** The region of the outermost ancestor (R40). Undefined if no region has the `regionKey` of that ancestor. */
  readonly region: RegionNode | undefined;
  /** The modes that the block, all its ancestors and the layout support (R43). */
  readonly modes: ModeSet;
  readonly children: readonly BlockNode[];
};

export type RegionNode = {
  readonly region: Region;
  readonly index: number;
  readonly roots: readonly BlockNode[];
};

export type DraftTree = {
  readonly regions: readonly RegionNode[];
  /** The region of each key. If several regions have the same key, the first one. */
  readonly regionByKey: ReadonlyMap<string, RegionNode>;
  /** All blocks, depth first. */
  readonly nodes: readonly BlockNode[];
};

// A saved draft has at most 16 levels. A file may have more, but blocks below the 64th level are ignored.
const MAX_DEPTH = 64;
const NO_NODES: readonly BlockNode[] = [];

type Frame = { blocks: readonly Block[]; next: number; parent: BlockNode | undefined; nodes: BlockNode[] };

/** Builds the tree of a draft for a layout with `modes`. */
export function buildTree(draft: DraftContent, modes: readonly string[]): DraftTree {
  const layoutModes = modeSet(modes);
  const regions = draft.regions.map((region, index) => ({ region, index, roots: [] as BlockNode[] }));
  const regionByKey = new Map<string, (typeof regions)[number]>();
  for (const node of regions) if (!regionByKey.has(node.region.key)) regionByKey.set(node.region.key, node);

  const nodes: BlockNode[] = [];
  const stack: Frame[] = [{ blocks: draft.blocks, next: 0, parent: undefined, nodes: [] }];
  for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
    const index = frame.next;
    const block = frame.blocks[index];
    if (!block) {
      stack.pop();
      continue;
    }
    frame.next += 1;
    const { parent } = frame;
    const region = parent || block.regionKey === undefined ? undefined : regionByKey.get(block.regionKey);
    const depth = parent ? parent.depth + 1 : 1;
    const inside = block.children && block.children.length > 0 && depth < MAX_DEPTH ? block.children : undefined;
    const children: BlockNode[] | undefined = inside && [];
    const node: BlockNode = {
      block,
      number: nodes.length,
      parent,
      index,
      depth,
      region: parent ? parent.region : region,
      modes: (parent ? parent.modes : layoutModes) & ownModes(block),
      children: children ?? NO_NODES,
    };
    nodes.push(node);
    frame.nodes.push(node);
    region?.roots.push(node);
    if (inside && children) stack.push({ blocks: inside, next: 0, parent: node, nodes: children });
  }
  return { regions, regionByKey, nodes };
}

/** Returns the modes of a block itself. A missing or empty list means all modes. */
export function ownModes(block: Block): ModeSet {
  return block.supportedModes && block.supportedModes.length > 0 ? modeSet(block.supportedModes) : ALL_MODES;
}

/** Whether a block type only groups other blocks. All other types are content. */
export function isContainer(type: string): boolean {
  return type === "tabs" || type === "tab" || type === "section" || type === "column";
}

export function isReadOnly(block: Block): boolean {
  return block.config?.["readOnly"] === true;
}

export type ModeSet = number;

export const CREATE: ModeSet = 1;
export const VIEW: ModeSet = 2;
export const EDIT: ModeSet = 4;
const ALL_MODES: ModeSet = CREATE | VIEW | EDIT;

const BIT = { CREATE, VIEW, EDIT } as const satisfies Record<Mode, ModeSet>;

/** Returns the set of the given modes. Unknown modes are left out. */
export function modeSet(modes: readonly string[]): ModeSet {
  let set = 0;
  for (const mode of modes) set |= BIT[mode as Mode] ?? 0;
  return set;
}

/** Returns the modes of a set, in the order CREATE, VIEW, EDIT. */
export function modesOf(set: ModeSet): Mode[] {
  return MODES.filter((mode) => set & BIT[mode]);
}
