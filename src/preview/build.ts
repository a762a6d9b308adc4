/**
 * Builds the preview of a layout: resolves fields and labels, sorts by display order, computes grid positions and
 * modes, and adds problems and changes. Sends no requests.
 */

import { contentChanges } from "../manifests/content/compare.ts";
import { type BlockNode, type DraftTree, modeSet, modesOf, type RegionNode } from "../schemas/draft-tree.ts";
import type { Mode } from "../schemas/words.ts";
import type { Preview, PreviewBlock, PreviewRegion, PreviewSource } from "./model.ts";
import { type AssignedChanges, type AssignedProblems, assignChanges, assignProblems } from "./parts.ts";
import { inOrder, openSide, placeOf, regionLabel, type Side, toBlock } from "./side.ts";

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
    modes: catalog.modes ? modesOf(modeSet(catalog.modes)) : usedModes(now.tree),
    regions: buildRegions({ now, problems: assigned, former: old && changes && { old, changes } }),
    problems: assigned.rest,
    changes: changes?.rest ?? [],
  };
}

/** Returns the modes in which any block is shown, for a layout whose modes are unknown. */
function usedModes({ nodes }: DraftTree): Mode[] {
  return modesOf(nodes.reduce((modes, node) => (node.children.length > 0 ? modes : modes | node.modes), 0));
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
