/** Evaluates a draft per mode: its content, its inputs, and whether the mode can be used (R23). */

import { resolveFields, takesValue, type DraftFields } from "./draft-fields.ts";
import type { CatalogField } from "./catalog.ts";
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

/** Returns the modes with content, and the modes with inputs. */
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
 * Returns the usable modes. VIEW needs content. CREATE and EDIT need inputs (docs/decisions.md, "Availability").
 * Without `fields`, a field is an input if it is not read-only.
 */
export function workingModes(
  draft: DraftContent,
  layoutModes: readonly string[],
  fields?: readonly CatalogField[],
): Mode[] {
  const tree = buildTree(draft, layoutModes);
  const book = resolveFields(draft, tree, fields ? { fields } : {});
  const { content, editable } = modeContent(tree, book);
  return modesOf((content & VIEW) | (editable & (CREATE | EDIT)));
}

/**
 * Returns the content of one mode, without staged fields and scripts. The checks of a published version use this
 * content. They report empty tabs as an error. So a tabs block whose children all belong to other modes is left out. A
 * tabs region whose blocks all belong to other modes becomes an empty stack.
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
