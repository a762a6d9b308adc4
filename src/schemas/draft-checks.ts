/** Checks a whole draft against what is known about its fields, modes and scripts. Sends no requests. */

import { MODES } from "./words.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { checkBindings } from "./draft-checks/bindings.ts";
import { type BlockRule, type CheckContext, createReport } from "./draft-checks/report.ts";
import { gridPlaces } from "./draft-checks/grid.ts";
import { repeatedFields, requiredFields } from "./draft-checks/inputs.ts";
import { checkRegionLabels, labels, blockOrder, checkRegionOrder } from "./draft-checks/presentation.ts";
import { checkModes, reachability } from "./draft-checks/modes.ts";
import { blockIds, blockRegions, containers, nesting } from "./draft-checks/placement.ts";
import { checkRegions } from "./draft-checks/regions.ts";
import { fieldRefs, sources } from "./draft-checks/sources.ts";
import { checkStagedFields } from "./draft-checks/staged.ts";
import { checkSchemaVersion, unknownWords } from "./draft-checks/unknown-words.ts";
import { resolveFields } from "./draft-fields.ts";
import type { LayoutCatalog } from "./catalog.ts";
import { buildTree } from "./draft-tree.ts";
import type { DraftContent } from "./draft.ts";

const BLOCK_RULES: readonly BlockRule[] = [
  unknownWords,
  blockIds,
  blockRegions,
  nesting,
  containers,
  sources,
  fieldRefs,
  repeatedFields,
  requiredFields,
  gridPlaces,
  reachability,
  blockOrder,
  labels,
];

/**
 * Returns all diagnostics of a draft in a stable order:
 * - schema version
 * - regions
 * - blocks, depth first
 * - staged fields
 * - bindings
 * - modes
 *
 * Takes linear time. Stops after 500 diagnostics with TOO_MANY_DIAGNOSTICS.
 */
export function checkDraft(draft: DraftContent, known: LayoutCatalog): Diagnostic[] {
  const report = createReport(draft);
  const tree = buildTree(draft, known.modes ?? MODES);
  const context: CheckContext = { draft, known, tree, fields: resolveFields(draft, tree, known), report };

  checkSchemaVersion(draft, report);
  checkRegions(context);
  checkRegionOrder(context);
  checkRegionLabels(context);
  const rules = BLOCK_RULES.map((rule) => rule(context));
  for (const node of tree.nodes) {
    if (report.isFull()) break;
    for (const check of rules) check(node);
  }
  checkStagedFields(context);
  checkBindings(context);
  checkModes(context);
  return report.diagnostics;
}

/** Returns the checks that can't run, as texts for the user. These checks need missing members of `known`. */
export function checksNotRun(known: LayoutCatalog): string[] {
  const missing: string[] = [];
  if (!known.surface) missing.push("whether the surface supports the sources of the blocks: the surface is unknown");
  if (!known.modes) {
    missing.push(
      "whether each mode can be used and CREATE shows all required fields: the modes of the layout are unknown",
    );
  }
  if (!known.fields) {
    missing.push("whether the fields exist, are required or have values: the fields of the object are unknown");
  }
  if (!known.scripts) missing.push("whether the scripts exist: the registered scripts are unknown");
  return missing;
}
