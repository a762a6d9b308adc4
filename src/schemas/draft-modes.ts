/** A draft mode by mode: what one of them shows, and which of them can do their work (R23). */

import { resolveFields, takesValue, type DraftFields } from "./draft-fields.ts";
import type { KnownField } from "./draft-known.ts";
import {
  isContainer,
  buildTree,
  type BlockNode,
  type DraftTree,
  CREATE,
  EDIT,
  modeSet,
  modesOf,
  VIEW,
  type ModeSet,
} from "./draft-tree.ts";
import type { Block, DraftContent } from "./draft.ts";
import type { Mode } from "./form.ts";

/** In which modes there is anything to see, and in which anything to fill in. */
export function modeContent(tree: DraftTree, fields: DraftFields): { content: ModeSet; editable: ModeSet } {
  let content = 0;
  let editable = 0;
  for (const node of tree.nodes) {
    if (isContainer(node.block.type)) continue;
    content |= node.modes;
    if (takesValue(node, fields.uses[node.number])) editable |= node.modes;
  }
  return { content, editable };
}

/**
 * The modes that can render or save a record: VIEW shows something, CREATE and EDIT have something to fill in
 * (docs/decisions.md, "Availability"). Without `fields`, the type of a field is not known and each counts.
 */
export function workingModes(
  draft: DraftContent,
  layoutModes: readonly string[],
  fields?: readonly KnownField[],
): Mode[] {
  const tree = buildTree(draft, layoutModes);
  const book = resolveFields(draft, tree, fields ? { fields } : {});
  const { content, editable } = modeContent(tree, book);
  return modesOf((content & VIEW) | (editable & (CREATE | EDIT)));
}

/**
 * The content as one mode sees it: only the blocks that are effective in it, nothing staged, no scripts. For checking
 * whether a published version still works in that mode: a tab strip whose tabs are all for other modes is no mistake in
 * it, so a block for it is left out, and a region for it is an empty one.
 */
export function contentOfMode(draft: DraftContent, mode: Mode, layoutModes: readonly string[]): DraftContent {
  const tree = buildTree(draft, layoutModes);
  const wanted = modeSet([mode]);
  const isShown = (node: BlockNode) => (node.modes & wanted) !== 0;

  const blocks: Block[] = [];
  const inside = new Map<BlockNode, Block[]>();
  for (const node of tree.nodes) {
    if (!isShown(node)) continue;
    if (node.block.type === "tabs" && node.children.length > 0 && !node.children.some(isShown)) continue;
    const children: Block[] = [];
    inside.set(node, children);
    const into = node.parent ? inside.get(node.parent) : blocks;
    into?.push(node.block.children ? { ...node.block, children } : node.block);
  }
  const regions = tree.regions.map(({ region, roots }) =>
    region.layout === "tabs" && roots.length > 0 && !roots.some(isShown)
      ? { ...region, layout: "stack" as const }
      : region,
  );
  return { ...draft, regions, blocks, stagedFieldDefinitions: [], scriptBindings: [] };
}
