/** A draft as a tree that can be walked without recursion: each block knows its parent, its region and its modes. */

import type { Block, DraftContent, Region } from "./draft.ts";
import { MODES } from "./words.ts";
import type { Mode } from "./form.ts";

export type BlockNode = {
  readonly block: Block;
  /** The place in {@link DraftTree.nodes}. */
  readonly number: number;
  readonly parent: BlockNode | undefined;
  /** The place among the children of the parent, or among the draft's blocks. */
  readonly index: number;
  /** 1 for a block that stands in a region itself. */
  readonly depth: number;
  /** A child is where its outermost ancestor is (R40); undefined if that names no region. */
  readonly region: RegionNode | undefined;
  /** Its own modes, as far as all its ancestors and the layout have them too (R43). */
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
  /** Where a key stands twice, the first region has it. */
  readonly regionByKey: ReadonlyMap<string, RegionNode>;
  /** Every block, depth first. */
  readonly nodes: readonly BlockNode[];
};

// A saved draft has 16 levels at most. A file may have any number: what is below this is not looked at.
const DEEPEST = 64;
const NO_NODES: readonly BlockNode[] = [];

type Frame = { blocks: readonly Block[]; next: number; parent: BlockNode | undefined; nodes: BlockNode[] };

/** Reads a draft into a tree, for a layout that serves `modes`. */
export function buildTree(draft: DraftContent, modes: readonly string[]): DraftTree {
  const served = modeSet(modes);
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
    const inside = block.children && block.children.length > 0 && depth < DEEPEST ? block.children : undefined;
    const children: BlockNode[] | undefined = inside && [];
    const node: BlockNode = {
      block,
      number: nodes.length,
      parent,
      index,
      depth,
      region: parent ? parent.region : region,
      modes: (parent ? parent.modes : served) & ownModes(block),
      children: children ?? NO_NODES,
    };
    nodes.push(node);
    frame.nodes.push(node);
    region?.roots.push(node);
    if (inside && children) stack.push({ blocks: inside, next: 0, parent: node, nodes: children });
  }
  return { regions, regionByKey, nodes };
}

/** No list and an empty list both mean every mode. */
export function ownModes(block: Block): ModeSet {
  return block.supportedModes && block.supportedModes.length > 0 ? modeSet(block.supportedModes) : ALL_MODES;
}

/** Whether a block only holds others. All others are content, which a person sees or fills in. */
export function isContainer(type: string): boolean {
  return type === "tabs" || type === "tab" || type === "section" || type === "column";
}

/** Whether a block shows a value that can't be changed. */
export function isReadOnly(block: Block): boolean {
  return block.config?.["readOnly"] === true;
}

export type ModeSet = number;

export const CREATE: ModeSet = 1;
export const VIEW: ModeSet = 2;
export const EDIT: ModeSet = 4;
export const ALL_MODES: ModeSet = CREATE | VIEW | EDIT;

const BIT = { CREATE, VIEW, EDIT } as const satisfies Record<Mode, ModeSet>;

/** A mode that only another server knows has no bit. */
export function modeSet(modes: readonly string[]): ModeSet {
  let set = 0;
  for (const mode of modes) set |= BIT[mode as Mode] ?? 0;
  return set;
}

/** The modes of a set, in the order CREATE, VIEW, EDIT. */
export function modesOf(set: ModeSet): Mode[] {
  return MODES.filter((mode) => set & BIT[mode]);
}
