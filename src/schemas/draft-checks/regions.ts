/** Checks of regions: keys, columns and content (R35-R37). */

import { isContainer, type RegionNode } from "../draft-tree.ts";
import { type CheckContext, quote } from "./report.ts";
import { mayBeTab } from "./placement.ts";

export function checkRegions(context: CheckContext): void {
  const { draft, tree, report } = context;
  if (draft.regions.length === 0) {
    report.at("NO_REGIONS", ["regions"], "the draft has no regions. Add a region with key and layout");
  }
  for (const node of tree.regions) {
    checkKey(context, node);
    checkColumns(context, node);
    checkContent(context, node);
  }
  checkSidebars(context);
}

function checkKey({ tree, report }: CheckContext, { region, index }: RegionNode): void {
  const first = tree.regionByKey.get(region.key);
  if (!first || first.index === index) return;
  const message = `regions[${first.index}] already has the key ${quote(region.key)}. Use a different key`;
  report.at("REGION_KEY_DUPLICATE", ["regions", index, "key"], message);
}

function checkColumns({ report }: CheckContext, { region, index }: RegionNode): void {
  const steps = ["regions", index, "columns"];
  const hasColumns = region.columns != null;
  if ((region.layout === "grid" || region.layout === "dashboard_grid") && !hasColumns) {
    const message = `the ${region.layout} region ${quote(region.key)} has no columns, so that 12 are used. Set columns`;
    report.at("REGION_COLUMNS_MISSING", steps, message);
  }
  if ((region.layout === "stack" || region.layout === "tabs") && hasColumns) {
    const message = `columns have no effect in the ${region.layout} region ${quote(region.key)}. Remove columns`;
    report.at("REGION_COLUMNS_IGNORED", steps, message);
  }
}

function checkContent({ tree, report }: CheckContext, { region, index, roots }: RegionNode): void {
  // Blocks belong to the first region with their key. A later region with the same key has no blocks, and `checkKey`
  // reports it.
  if (tree.regionByKey.get(region.key)?.index !== index) return;
  if (region.layout === "tabs") {
    if (roots.some(mayBeTab)) return;
    const message = `the tabs region ${quote(region.key)} has no tab or section. Add one, or remove the region`;
    report.at("TABS_EMPTY", ["regions", index], message);
  } else if (roots.length === 0) {
    const message = `the region ${quote(region.key)} is empty. Add a block, or remove the region`;
    report.at("REGION_EMPTY", ["regions", index], message);
  }
}

function checkSidebars({ tree, report }: CheckContext): void {
  const sidebars = tree.regions.filter(({ region }) => region.layout === "sidebar");
  const [first, ...others] = sidebars;
  if (!first) return;
  for (const { region, index } of others) {
    const message = `the draft has the sidebars ${quote(first.region.key)} and ${quote(region.key)}. Keep one`;
    report.at("SIDEBAR_MULTIPLE", ["regions", index, "layout"], message);
  }
  const content = tree.nodes.filter(({ block }) => !isContainer(block.type));
  if (content.length > 0 && content.every(({ region }) => region?.region.layout === "sidebar")) {
    const message = "all content is in a sidebar. Move some of it to another region";
    report.at("SIDEBAR_ONLY", ["regions"], message);
  }
}
