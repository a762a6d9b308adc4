/**
 * Builds the preview of a layout. Sends no requests. The steps are:
 * - resolve fields and labels
 * - sort by display order
 * - compute grid positions and modes
 * - add problems and changes
 */

import { contentChanges, identified } from "../contents/compare.ts";
import { type BlockNode, buildTree, type DraftTree, modeSet, modesOf, type RegionNode } from "../schemas/draft-tree.ts";
import type { DraftContent, Region } from "../schemas/draft.ts";
import { type Mode, MODES } from "../schemas/words.ts";
import type { Preview, PreviewBlock, PreviewRegion, PreviewSource } from "./model.ts";
import { type AssignedChanges, type AssignedProblems, assignChanges, assignProblems } from "./parts.ts";
import { formTexts } from "./labels.ts";
import { inOrder, openSide, placeOf, regionLabel, type Side, toBlock } from "./side.ts";

const FULL_WIDTH = 12;
const SIDEBAR_WIDTH = 4;
/** More columns than a screen can show. */
const MAX_COLUMNS = 1_000;

export function buildPreview(source: PreviewSource): Preview {
  const { title, origin, content, catalog, form, problems, compareWith } = source;
  const now = openSide(content, catalog);
  const old = compareWith && openSide(compareWith.content, catalog);
  const assigned = assignProblems(content, problems);
  const former = old && formerOf(now, old);
  return {
    title,
    origin,
    comparedWith: compareWith?.name,
    surface: catalog.surface,
    form: form && formTexts(form.config ?? {}),
    modes: catalog.modes ? modesOf(modeSet(catalog.modes)) : usedModes(now.tree),
    regions: buildRegions({ now, problems: assigned, former }),
    problems: assigned.rest,
    changes: former?.changes.rest ?? [],
  };
}

/** Returns the modes of a layout whose modes are unknown: all modes of its blocks without children. */
function usedModes({ nodes }: DraftTree): Mode[] {
  return modesOf(nodes.reduce((modes, node) => (node.children.length > 0 ? modes : modes | node.modes), 0));
}

type Building = {
  now: Side;
  problems: AssignedProblems;
  /** Undefined without a comparison. */
  former: Former | undefined;
};

/**
 * `old` is the compared version, and `changes` are the changes since that version. `nodes` has the old block of each
 * block that already existed.
 */
type Former = { old: Side; changes: AssignedChanges; nodes: ReadonlyMap<BlockNode, BlockNode> };

function formerOf(now: Side, old: Side): Former {
  const changes = assignChanges(contentChanges(now.content, old.content), (path) => placeOf(old, path));
  const { wanted, current } = identified(now.content, old.content);
  // `identified` adds ids, but keeps the blocks and their order. So a block has the same index in `nodes` of the trees
  // with and without the added ids.
  const idsOf = (content: DraftContent) => buildTree(content, MODES).nodes.map(({ block }) => block.id);
  const oldByIds = new Map<string | undefined, BlockNode>();
  for (const [number, id] of idsOf(current).entries()) if (!oldByIds.has(id)) oldByIds.set(id, old.tree.nodes[number]!);
  const nodes = new Map<BlockNode, BlockNode>();
  for (const [number, id] of idsOf(wanted).entries()) {
    const oldNode = oldByIds.get(id);
    if (!oldNode || changes.removed.has(old.paths.get(oldNode) ?? "")) continue;
    nodes.set(now.tree.nodes[number]!, oldNode);
    // An old block corresponds to at most one new block. In an invalid content, several blocks may have the same id.
    oldByIds.delete(id);
  }
  return { old, changes, nodes };
}

function buildRegions(building: Building): PreviewRegion[] {
  const { now, former } = building;
  const built = inOrder(now.tree.regions).map((node) => {
    const oldNode = former && oldRegionOf(node, now, former);
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

/**
 * Returns the old region with the same key. Undefined for a new region. In an invalid content, several regions may have
 * the same key. The changes may then report the old region as removed. It is then shown once, as a removed region.
 */
function oldRegionOf(node: RegionNode, { tree }: Side, { old, changes }: Former): RegionNode | undefined {
  const { key } = node.region;
  if (tree.regionByKey.get(key) !== node) return undefined;
  const oldNode = old.tree.regionByKey.get(key);
  return oldNode && !changes.removed.has(`regions[${oldNode.index}]`) ? oldNode : undefined;
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
    columns: isGrid ? columnsOf(region, FULL_WIDTH) : 1,
    width: layout === "sidebar" ? Math.min(columnsOf(region, SIDEBAR_WIDTH), FULL_WIDTH) : FULL_WIDTH,
    problems: problems.of.get(path) ?? [],
    change: former?.changes.of.get(path),
  };
}

const NO_PROBLEMS: AssignedProblems = { of: new Map(), rest: [] };
const REMOVED = { kind: "removed", details: [] } as const;

/** Returns a region of the old content with its removed blocks. Undefined if the region still exists. */
function removedRegion(node: RegionNode, former: Former): PreviewRegion | undefined {
  const path = `regions[${node.index}]`;
  if (!former.changes.removed.has(path)) return undefined;
  const region = toRegion(node, { problems: NO_PROBLEMS, former: undefined });
  const blocks = inOrder(node.roots).flatMap((root) => removedBlock(root, region.columns, former) ?? []);
  return { ...region, path: `removed:${path}`, blocks, change: REMOVED };
}

/**
 * Builds the sibling blocks `nodes`. Adds the removed blocks of `formerNodes`, which are the siblings in the old
 * content.
 */
function buildBlocks(
  nodes: readonly BlockNode[],
  formerNodes: readonly BlockNode[] | undefined,
  { columns }: Pick<PreviewRegion, "columns">,
  building: Building,
): PreviewBlock[] {
  const { now, problems, former } = building;
  const built = inOrder(nodes).map((node) => {
    const path = now.paths.get(node) ?? "";
    const oldNode = former?.nodes.get(node);
    const children = buildBlocks(node.children, oldNode?.children, { columns: FULL_WIDTH }, building);
    const block = toBlock(node, columns, now);
    const part = { ...block, children, problems: problems.of.get(path) ?? [], change: former?.changes.of.get(path) };
    return { node: oldNode, part };
  });
  if (!former) return built.map(({ part }) => part);
  return withRemoved(built, inOrder(formerNodes ?? []), (node) => removedBlock(node, columns, former));
}

/** Returns a number of columns that can be drawn: a file or a server may contain any number. */
function columnsOf({ columns }: Pick<Region, "columns">, otherwise: number): number {
  return Math.min(Math.max(Math.trunc(columns ?? otherwise), 1), MAX_COLUMNS);
}

/** Returns a block of the old content with its removed children. Undefined if the block still exists. */
function removedBlock(node: BlockNode, columns: number, former: Former): PreviewBlock | undefined {
  const { old, changes } = former;
  const path = old.paths.get(node) ?? "";
  if (!changes.removed.has(path)) return undefined;
  const children = inOrder(node.children).flatMap((child) => removedBlock(child, FULL_WIDTH, former) ?? []);
  return { ...toBlock(node, columns, old), path: `removed:${path}`, children, problems: [], change: REMOVED };
}

/**
 * Inserts the removed parts at their old place. This place follows the nearest preceding sibling that still exists.
 *
 * @param built the existing parts, each with its node in the old content
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
