/**
 * Builds the preview of a layout: resolves fields and labels, sorts by display order, computes grid positions and
 * modes, and adds problems and changes. Sends no requests.
 */

import { contentChanges } from "../manifests/content/compare.ts";
import type { LayoutCatalog } from "../schemas/catalog.ts";
import { isRequired } from "../schemas/draft-checks/inputs.ts";
import { type DraftFields, type FieldEntry, resolveFields } from "../schemas/draft-fields.ts";
import { namedBy } from "../schemas/draft-sources.ts";
import {
  type BlockNode,
  buildTree,
  type DraftTree,
  isReadOnly,
  modeSet,
  modesOf,
  type RegionNode,
} from "../schemas/draft-tree.ts";
import type { DraftContent } from "../schemas/draft.ts";
import { MODES } from "../schemas/words.ts";
import { columnsOf, htmlText, labelOf } from "./labels.ts";
import type { Preview, PreviewBlock, PreviewField, PreviewRegion, PreviewSource } from "./model.ts";
import { type AssignedChanges, type AssignedProblems, assignChanges, assignProblems } from "./parts.ts";

const FULL_WIDTH = 12;
const SIDEBAR_WIDTH = 4;

/** Builds the preview of a content. */
export function buildPreview({ title, origin, content, catalog, problems, compareWith }: PreviewSource): Preview {
  const now = openSide(content, catalog);
  const old = compareWith && openSide(compareWith.content, catalog);
  const assigned = assignProblems(content, problems);
  const changes = old && assignChanges(contentChanges(content, old.content), (path) => placeOf(old, path));
  return {
    title,
    origin,
    comparedWith: compareWith?.name,
    surface: catalog.surface,
    modes: modesOf(modeSet(catalog.modes ?? MODES)),
    regions: buildRegions({ now, problems: assigned, former: old && changes && { old, changes } }),
    problems: assigned.rest,
    changes: changes?.rest ?? [],
  };
}

/** A content with its blocks as a tree, and the fields that they show. */
type Side = {
  content: DraftContent;
  tree: DraftTree;
  fields: DraftFields;
  /** The staged changes of fields. A field has at most one. */
  staged: ReadonlyMap<FieldEntry, string>;
  byPath: ReadonlyMap<string, BlockNode>;
  paths: ReadonlyMap<BlockNode, string>;
  byId: ReadonlyMap<string, BlockNode>;
};

function openSide(content: DraftContent, catalog: LayoutCatalog): Side {
  const tree = buildTree(content, catalog.modes ?? MODES);
  const fields = resolveFields(content, tree, catalog);
  const paths = new Map<BlockNode, string>();
  const byId = new Map<string, BlockNode>();
  for (const node of tree.nodes) {
    const { parent, index } = node;
    paths.set(node, parent ? `${paths.get(parent)}.children[${index}]` : `blocks[${index}]`);
    const { id } = node.block;
    if (id !== undefined && !byId.has(id)) byId.set(id, node);
  }
  const byPath = new Map([...paths].map(([node, path]) => [path, node]));
  const valid = fields.staged.filter(({ problem }) => problem === undefined);
  const staged = new Map(valid.map(({ entry, item }) => [entry, item.action]));
  return { content, tree, fields, staged, byPath, paths, byId };
}

/** Describes the place of a block or region: `position 2 in "Deal"`. */
function placeOf({ byPath, tree }: Side, path: string): string {
  const node = byPath.get(path);
  if (!node) return `position ${Number(/\d+/.exec(path)?.[0]) + 1}`;
  const { parent, region } = node;
  const siblings = parent?.children ?? region?.roots ?? tree.nodes.filter((each) => !each.parent && !each.region);
  const inside = parent ? labelOf(parent.block, undefined).label : region && regionLabel(region);
  const position = `position ${inOrder(siblings).indexOf(node) + 1}`;
  return inside === undefined ? position : `${position} in ${JSON.stringify(inside)}`;
}

type Building = {
  now: Side;
  problems: AssignedProblems;
  /** The compared content, and the changes since then. */
  former: { old: Side; changes: AssignedChanges } | undefined;
};

function buildRegions(building: Building): PreviewRegion[] {
  const { now, former } = building;
  const { regions, regionByKey } = now.tree;
  const oldRegions = former?.old.tree.regionByKey;
  const built = inOrder(regions).map((node) => {
    const oldNode = regionByKey.get(node.region.key) === node ? oldRegions?.get(node.region.key) : undefined;
    const region = toRegion(node, building);
    return { node: oldNode, part: { ...region, blocks: buildBlocks(node.roots, oldNode?.roots, region, building) } };
  });
  const all = former
    ? withRemoved(built, inOrder(former.old.tree.regions), (node) => removedRegion(node, former))
    : built.map(({ part }) => part);
  const roots = rootsWithoutRegion(now);
  const lost = buildBlocks(roots, former && rootsWithoutRegion(former.old), { columns: 1 }, building);
  if (lost.length === 0) return all;
  const region: PreviewRegion = {
    path: "",
    key: "",
    label: "Blocks without a region",
    layout: "stack",
    columns: 1,
    width: FULL_WIDTH,
    blocks: lost,
    problems: [],
    change: undefined,
  };
  return [...all, region];
}

const rootsWithoutRegion = ({ tree }: Side) => tree.nodes.filter(({ parent, region }) => !parent && !region);

function toRegion(node: RegionNode, { problems, former }: Omit<Building, "now">): Omit<PreviewRegion, "blocks"> {
  const { region, index } = node;
  const path = `regions[${index}]`;
  const layout = region.layout as PreviewRegion["layout"];
  const isGrid = layout === "grid" || layout === "dashboard_grid";
  return {
    path,
    key: region.key,
    label: regionLabel(node),
    layout,
    columns: isGrid ? (region.columns ?? FULL_WIDTH) : 1,
    width: layout === "sidebar" ? Math.min(region.columns ?? SIDEBAR_WIDTH, FULL_WIDTH) : FULL_WIDTH,
    problems: problems.of.get(path) ?? [],
    change: former?.changes.of.get(path),
  };
}

function regionLabel({ region: { label, key } }: RegionNode): string {
  return label?.trim() ? label : key;
}

const NO_PROBLEMS: AssignedProblems = { of: new Map(), rest: [] };
const REMOVED = { kind: "removed", details: [] } as const;

/** Returns a region of the old content with its removed blocks; undefined if the region still exists. */
function removedRegion(node: RegionNode, former: NonNullable<Building["former"]>): PreviewRegion | undefined {
  const path = `regions[${node.index}]`;
  if (!former.changes.removed.has(path)) return undefined;
  const region = toRegion(node, { problems: NO_PROBLEMS, former: undefined });
  const blocks = inOrder(node.roots).flatMap((root) => removedBlock(root, region.columns, former) ?? []);
  return { ...region, path: `removed:${path}`, blocks, change: REMOVED };
}

/** Builds sibling blocks, and adds those that were removed from among their former siblings. */
function buildBlocks(
  nodes: readonly BlockNode[],
  formerNodes: readonly BlockNode[] | undefined,
  { columns }: Pick<PreviewRegion, "columns">,
  building: Building,
): PreviewBlock[] {
  const { now, problems, former } = building;
  const built = inOrder(nodes).map((node) => {
    const path = now.paths.get(node) ?? "";
    const oldNode = former && formerNodeOf(node, path, former.old);
    const children = buildBlocks(node.children, oldNode?.children, { columns: FULL_WIDTH }, building);
    const block = toBlock(node, columns, now);
    const part = { ...block, children, problems: problems.of.get(path) ?? [], change: former?.changes.of.get(path) };
    return { node: oldNode, part };
  });
  if (!former) return built.map(({ part }) => part);
  return withRemoved(built, inOrder(formerNodes ?? []), (node) => removedBlock(node, columns, former));
}

/** Returns the block of the old content that became this block: the one with its id, or without ids the same path. */
function formerNodeOf({ block: { id } }: BlockNode, path: string, old: Side): BlockNode | undefined {
  if (id !== undefined) return old.byId.get(id);
  const same = old.byPath.get(path);
  return same?.block.id === undefined ? same : undefined;
}

/** Returns a block of the old content with its removed children; undefined if the block still exists. */
function removedBlock(
  node: BlockNode,
  columns: number,
  former: NonNullable<Building["former"]>,
): PreviewBlock | undefined {
  const { old, changes } = former;
  const path = old.paths.get(node) ?? "";
  if (!changes.removed.has(path)) return undefined;
  const children = inOrder(node.children).flatMap((child) => removedBlock(child, FULL_WIDTH, former) ?? []);
  return { ...toBlock(node, columns, old), path: `removed:${path}`, children, problems: [], change: REMOVED };
}

/**
 * Inserts the removed parts at their old place: after the nearest former sibling that still exists.
 *
 * @param built the existing parts, each with the node that it was
 * @param former the former siblings, in their order
 */
function withRemoved<Node, Part>(
  built: readonly { node: Node | undefined; part: Part }[],
  former: readonly Node[],
  removedPart: (node: Node) => Part | undefined,
): Part[] {
  const merged = [...built];
  let next = 0;
  for (const node of former) {
    const part = removedPart(node);
    const at = merged.findIndex((each) => each.node === node);
    if (part !== undefined) merged.splice(next++, 0, { node, part });
    else if (at >= 0) next = at + 1;
  }
  return merged.map(({ part }) => part);
}

type OwnMembers = Omit<PreviewBlock, "children" | "problems" | "change">;

function toBlock(node: BlockNode, columns: number, { fields, staged, paths }: Side): OwnMembers {
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
  const { name, type, options = [] } = entry?.field ?? {};
  const staged = action === "create" || action === "update" || action === "delete" ? action : undefined;
  return { key, name: name || undefined, type: type || undefined, options, staged };
}

/** Returns the grid position within the columns. Invalid numbers, which the checks report, are ignored. */
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

/** Sorts by display order. Parts with the same display order, or without one, are in the order of the list. */
function inOrder<Node extends Ordered>(nodes: readonly Node[]): Node[] {
  const orderOf = (node: Node) => ("block" in node ? node.block : node.region)?.displayOrder ?? node.index;
  return nodes.toSorted((a, b) => orderOf(a) - orderOf(b) || a.index - b.index);
}
