/** The definitions of surfaces: their default regions and built-in blocks (R89). */

import { MODES, SURFACES } from "../schemas/words.ts";
import type { Region } from "../schemas/draft.ts";
import type { Surface } from "../schemas/layout.ts";
import { surfaceHasSource } from "../schemas/draft-sources.ts";
import type { Rules } from "./rule.ts";

/** The version of the surface definitions. Raise it when a surface or its regions change. */
const DEFINITION_VERSION = 1;

const main: Region = { key: "main", label: "Main", layout: "grid", columns: 12, displayOrder: 0, config: {} };
const sidebar: Region = {
  key: "sidebar",
  label: "Sidebar",
  layout: "sidebar",
  columns: 4,
  displayOrder: 1,
  config: {},
};
const board: Region = { ...main, label: "Dashboard", layout: "dashboard_grid" };

/** The default regions of each surface (docs/decisions.md, "Surfaces"). */
const REGIONS: Record<Surface, readonly Region[]> = {
  DYNAMIC_OBJECT: [main, sidebar],
  CONTRACTOR: [main, sidebar],
  SALES_INVOICE: [main, sidebar],
  COST_INVOICE: [main, sidebar],
  ORGANIZATION: [main],
  USER: [main],
  DASHBOARD: [board],
};

/** Returns the regions of a new layout (R37). Each call returns a new copy. */
export function defaultRegions(surface: Surface): Region[] {
  return structuredClone([...REGIONS[surface]]);
}

export const surfaceRules = {
  /**
   * Returns the default regions and built-in blocks of the requested surface. Without a requested surface, returns the
   * regions and blocks of all surfaces.
   */
  async getSurfaceDefinitions(_context, { query }) {
    const surfaces = query.surface ? [query.surface] : SURFACES;
    return {
      definitionVersion: DEFINITION_VERSION,
      surfaces: surfaces.map((surface) => ({
        surface,
        supportedModes: [...MODES],
        allowsSharedModes: true,
        requiresSingleMode: false,
        regions: defaultRegions(surface),
        defaultSections: [],
        builtInBlocks: builtInBlocks(surface),
      })),
    };
  },
} satisfies Partial<Rules>;

/** Returns the built-in blocks of a surface, which are optional. A surface without the source `built_in` has none. */
function builtInBlocks(surface: Surface): Record<string, unknown>[] {
  if (!surfaceHasSource(surface, "built_in")) return [];
  const componentKey = `${surface.toLowerCase()}.details`;
  return [{ type: "builtin", source: "built_in", ref: { componentKey }, label: "Details", required: false }];
}
