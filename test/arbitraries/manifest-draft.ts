/** Turns the plan of a content into a draft that is valid for its page. */

import type * as z from "zod/mini";
import type { Block, Region, StagedField } from "../../src/schemas/draft.ts";
import type { DraftFile } from "../../src/schemas/draft-schema.ts";
import type { Surface } from "../../src/schemas/layout.ts";
import type { Mode } from "../../src/schemas/words.ts";
import type { BindingPlan, ContentPlan, Place, Slot, SlotPlan, StagedPlan } from "./manifest-content.ts";

/** A layout in the form of a file. */
export type DraftValue = z.input<typeof DraftFile>;

/** The page that a content is for. */
export type Page = { surface: Surface; modes: readonly Mode[]; slots: readonly Slot[] };

const HIDDEN_SLOT: SlotPlan = {
  place: null,
  order: 0,
  modes: null,
  isSplit: false,
  colSpan: null,
  label: null,
  readOnly: false,
  hasId: true,
  isBare: true,
  extra: null,
};

type Leaf = { block: Block; place: Place; order: number; isNeeded: boolean };

/**
 * Returns the draft of a plan, without errors on the page: CREATE shows each required slot, and the user can fill it
 * in.
 */
export function contentOf(plan: ContentPlan, page: Page): DraftValue {
  const leaves = page.slots.flatMap((slot, index) => leavesOf(slot, plan.slots[index] ?? HIDDEN_SLOT, page));
  const owns = page.surface === "DYNAMIC_OBJECT" ? plan.staged : [];
  for (const staged of owns)
    if (staged.action !== "delete") leaves.push(...leavesOf(slotOf(staged), staged.slot, page));
  leaves.sort((a, b) => a.order - b.order);
  const blocks = page.surface === "DASHBOARD" ? onDashboard(leaves) : inContainers(leaves, plan);
  const regions = regionsOf(blocks, plan, page);
  const ids = blocks.flatMap(idsWithin);
  const bindings = plan.bindings.map((binding, index) => bindingOf(binding, index, ids));
  return {
    schemaVersion: 1,
    regions,
    blocks: plan.isNumbered ? numbered(blocks) : blocks,
    ...((owns.length > 0 || plan.isNumbered) && { stagedFieldDefinitions: owns.map(stagedOf) }),
    ...((bindings.length > 0 || plan.isNumbered) && { scriptBindings: bindings }),
    ...(plan.metadata !== undefined && { metadata: plan.metadata }),
    // The cast is safe: every value is valid, although the types of a draft allow any text.
  } as DraftValue;
}

/** The ids of the staged changes that the publish request confirms. */
export function confirmationsOf(plan: ContentPlan): string[] {
  return plan.staged.filter(({ action }) => action === "retype").map(draftIdOf);
}

function leavesOf(slot: Slot, plan: SlotPlan, { modes }: Page): Leaf[] {
  const isNeeded = slot.isNeeded === true && modes.includes("CREATE");
  const place = plan.place ?? (isNeeded ? "main" : null);
  if (place === null) return [];
  const own = isNeeded && plan.modes !== null && !plan.modes.includes("CREATE") ? null : plan.modes;
  const block = (suffix: string, supportedModes: Mode[] | null): Leaf => ({
    place,
    order: plan.order,
    isNeeded,
    block: {
      ...(plan.hasId && { id: `f_${slot.key}${suffix}` }),
      type: slot.type,
      source: slot.source,
      ...(slot.ref && { ref: { ...slot.ref } }),
      ...(plan.colSpan !== null && { grid: { colSpan: plan.colSpan } }),
      ...configOf(plan, isNeeded),
      ...(!plan.isBare && { requiredPolicy: isNeeded ? ("required" as const) : ("optional" as const) }),
      ...(supportedModes !== null && { supportedModes }),
      ...(!plan.isBare && { children: [] }),
      ...(plan.extra !== null && { meta: plan.extra }),
    },
  });
  return plan.isSplit ? [block("_look", ["VIEW"]), block("_write", ["CREATE", "EDIT"])] : [block("", own)];
}

function configOf({ label, readOnly, isBare }: SlotPlan, isNeeded: boolean): Pick<Block, "config"> {
  const config = { ...(label !== null && { label }), ...(readOnly && !isNeeded && { readOnly: true }) };
  return Object.keys(config).length > 0 || !isBare ? { config } : {};
}

function inContainers(leaves: readonly Leaf[], plan: ContentPlan): Block[] {
  const holds = (place: Place) => leaves.filter((leaf) => leaf.place === place);
  const wrap = (type: Block["type"], within: readonly Leaf[], children: Block[], name: string = type): Block => ({
    ...(plan.hasIds && { id: `in_${name}` }),
    type,
    source: "system",
    config: { label: `A ${type}` },
    ...(plan.around !== null && !within.some(({ isNeeded }) => isNeeded) && { supportedModes: plan.around }),
    children,
  });
  const blocksOf = (within: readonly Leaf[]) => within.map(({ block }) => block);
  const at = (region: string, block: Block): Block => ({ ...block, regionKey: region });

  const roots = leaves.flatMap(({ place, block }) =>
    place === "main" || place === "side" || place === "stack" ? [at(place, block)] : [],
  );
  const [section, column, strip, tabs] = [holds("section"), holds("column"), holds("strip"), holds("tabs")];
  const inSection = [...blocksOf(section), ...(column.length > 0 ? [wrap("column", column, blocksOf(column))] : [])];
  if (inSection.length > 0) roots.push(at("main", wrap("section", [...section, ...column], inSection)));
  if (strip.length > 0) roots.push(at("strip", wrap("tab", strip, blocksOf(strip), "strip")));
  if (tabs.length > 0) roots.unshift(at("main", wrap("tabs", tabs, [wrap("tab", tabs, blocksOf(tabs))])));
  return roots;
}

/** Places each block below the previous block, so that no blocks overlap. */
function onDashboard(leaves: readonly Leaf[]): Block[] {
  return leaves.map(({ block }, index) => ({
    ...block,
    regionKey: "main",
    grid: { colSpan: block.grid?.colSpan ?? 12, colStart: 1, rowStart: index * 2 + 1, rowSpan: 2 },
  }));
}

function regionsOf(blocks: readonly Block[], { columns, isNumbered }: ContentPlan, { surface }: Page): Region[] {
  const used = new Set(blocks.map(({ regionKey }) => regionKey));
  const layout = surface === "DASHBOARD" ? "dashboard_grid" : "grid";
  const regions: Region[] = [{ key: "main", label: "Main", layout, ...(columns !== undefined && { columns }) }];
  if (used.has("side")) regions.push({ key: "side", label: "Side", layout: "sidebar", columns: 4 });
  if (used.has("stack")) regions.push({ key: "stack", label: null, layout: "stack" });
  if (used.has("strip")) regions.push({ key: "strip", layout: "tabs", config: { note: "kept" } });
  return isNumbered ? regions.map((region, displayOrder) => ({ config: {}, ...region, displayOrder })) : regions;
}

function numbered(blocks: readonly Block[]): Block[] {
  return blocks.map((block, displayOrder) => ({
    ...block,
    displayOrder,
    ...(block.children && { children: numbered(block.children) }),
  }));
}

function idsWithin({ id, children = [] }: Block): string[] {
  return [...(id === undefined ? [] : [id]), ...children.flatMap(idsWithin)];
}

function bindingOf({ hasId, script, hook, at, isBare }: BindingPlan, index: number, ids: readonly string[]) {
  const blockId = ids.length > 0 ? ids[at % ids.length]! : undefined;
  return {
    ...(hasId && { id: `bind_${index}` }),
    scriptId: script,
    hook,
    ...(blockId !== undefined && { target: { blockId } }),
    ...(!isBare && { enabled: index === 0, priority: at, config: {} }),
  };
}

function slotOf({ key, action }: StagedPlan): Slot {
  // After the creation is published, the file still contains the staged creation. The block still refers to it.
  return action === "create"
    ? { key, type: "field", source: "draft_custom_field", ref: { draftFieldDefinitionId: `d_${key}` } }
    : { key, type: "field", source: "dynamic_field", ref: { fieldKey: key } };
}

function draftIdOf({ key, action }: StagedPlan): string {
  return action === "create" ? `d_${key}` : `d_${key}_${action}`;
}

function stagedOf(staged: StagedPlan): StagedField {
  const { key, type, action, name } = staged;
  const draftId = draftIdOf(staged);
  switch (action) {
    case "create": {
      const config = type === "SELECT" ? { options: ["one", "two"] } : { required: false };
      return { draftId, action, name, key, type, config };
    }
    case "rename":
      return { draftId, action: "update", key, name: `${name} (new)` };
    case "retype":
      return { draftId, action: "update", key, type: type === "TEXT" ? "NUMBER" : "TEXT" };
    default:
      return { draftId, action, key };
  }
}
