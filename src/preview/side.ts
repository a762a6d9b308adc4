/** Reads one content: its blocks in display order, and the members that users see. */

import type { LayoutCatalog } from "../schemas/catalog.ts";
import { isRequired } from "../schemas/draft-checks/inputs.ts";
import { type DraftFields, type FieldEntry, resolveFields } from "../schemas/draft-fields.ts";
import { namedBy } from "../schemas/draft-sources.ts";
import {
  type BlockNode,
  buildTree,
  type DraftTree,
  isReadOnly,
  modesOf,
  type RegionNode,
} from "../schemas/draft-tree.ts";
import type { DraftContent } from "../schemas/draft.ts";
import { MODES } from "../schemas/words.ts";
import { columnsOf, htmlText, labelOf } from "./labels.ts";
import type { PreviewBlock, PreviewField } from "./model.ts";

/** A content with the tree and the fields of its blocks. */
export type Side = {
  content: DraftContent;
  tree: DraftTree;
  fields: DraftFields;
  /** The action of each field's staged change. A field has at most one. */
  staged: ReadonlyMap<FieldEntry, string>;
  byPath: ReadonlyMap<string, BlockNode>;
  paths: ReadonlyMap<BlockNode, string>;
};

export function openSide(content: DraftContent, catalog: LayoutCatalog): Side {
  const tree = buildTree(content, catalog.modes ?? MODES);
  const fields = resolveFields(content, tree, catalog);
  const paths = new Map<BlockNode, string>();
  for (const node of tree.nodes) {
    const { parent, index } = node;
    paths.set(node, parent ? `${paths.get(parent)}.children[${index}]` : `blocks[${index}]`);
  }
  const byPath = new Map([...paths].map(([node, path]) => [path, node]));
  const valid = fields.staged.filter(({ problem }) => problem === undefined);
  const staged = new Map(valid.map(({ entry, item }) => [entry, item.action]));
  return { content, tree, fields, staged, byPath, paths };
}

/** Describes the place of a block or region: `position 2 in "Deal"`. */
export function placeOf({ byPath, tree }: Side, path: string): string {
  const node = byPath.get(path);
  if (!node) return `position ${Number(/\d+/.exec(path)?.[0]) + 1}`;
  const { parent, region } = node;
  const siblings = parent?.children ?? region?.roots ?? tree.nodes.filter((each) => !each.parent && !each.region);
  const inside = parent ? labelOf(parent.block, undefined).label : region && regionLabel(region);
  const position = `position ${inOrder(siblings).indexOf(node) + 1}`;
  return inside === undefined ? position : `${position} in ${JSON.stringify(inside)}`;
}

export function regionLabel({ region: { label, key } }: RegionNode): string {
  return label?.trim() ? label : key;
}

type OwnMembers = Omit<PreviewBlock, "children" | "problems" | "change">;

export function toBlock(node: BlockNode, columns: number, { fields, staged, paths }: Side): OwnMembers {
  const { block } = node;
  const entry = fields.uses[node.number];
  const field = fieldOf(node, entry, entry && staged.get(entry));
  const hasPolicy = block.requiredPolicy !== undefined && block.requiredPolicy !== "optional";
  return {
    path: paths.get(node) ?? "",
    id: block.id,
    type: block.type,
    ...labelOf(block, field?.name),
    field,
    shows: field ? undefined : namedBy(block)?.text,
    columns: columnsOf(block),
    text: htmlText(block),
    isRequired: hasPolicy || (entry !== undefined && isRequired(entry)),
    isReadOnly: isReadOnly(block),
    grid: gridOf(node, columns),
    modes: modesOf(node.modes),
  };
}

function fieldOf(
  { block }: BlockNode,
  entry: FieldEntry | undefined,
  action: string | undefined,
): PreviewField | undefined {
  if (block.type !== "field" && block.type !== "relation_table") return undefined;
  const key = entry?.field?.key ?? entry?.key ?? namedBy(block)?.text;
  if (key === undefined) return undefined;
  const { name, type, options = [], currency } = entry?.field ?? {};
  const staged = action === "create" || action === "update" || action === "delete" ? action : undefined;
  return { key, name: name || undefined, type: type || undefined, options, currency, staged };
}

/** Returns the grid position, limited to the columns. Invalid numbers are ignored: the checks report them. */
function gridOf({ block }: BlockNode, columns: number): PreviewBlock["grid"] {
  const { colSpan, colStart, rowStart, rowSpan } = block.grid ?? {};
  const span = Math.min(positive(colSpan) ?? columns, columns);
  const start = positive(colStart);
  return {
    span,
    start: start === undefined || columns === 1 ? undefined : Math.min(start, columns - span + 1),
    row: columns === 1 ? undefined : positive(rowStart),
    rowSpan: columns === 1 ? 1 : (positive(rowSpan) ?? 1),
  };
}

function positive(value: number | undefined): number | undefined {
  return value !== undefined && Number.isInteger(value) && value >= 1 ? value : undefined;
}

type Ordered = { index: number } & (BlockNode | RegionNode);

/**
 * Sorts by display order, which defaults to the index in the list. Parts with the same display order are sorted by
 * index.
 */
export function inOrder<Node extends Ordered>(nodes: readonly Node[]): Node[] {
  const orderOf = (node: Node) => ("block" in node ? node.block : node.region)?.displayOrder ?? node.index;
  return nodes.toSorted((a, b) => orderOf(a) - orderOf(b) || a.index - b.index);
}
