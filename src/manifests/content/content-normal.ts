/** A content in the one shape that all contents of its meaning have: what a server fills in by itself is left out. */

import type { Block, DraftContent, Region, ScriptBinding, StagedField } from "../../schemas/draft.ts";
import type { JsonObject } from "../../schemas/json.ts";
import { MODES } from "../../schemas/words.ts";

/** The member of a draft's metadata that is ours: a manifest can't use it for anything else. */
export const STAMP_KEY = "formctl";

/** Members of a block that some servers compute: they are no part of what somebody wants. */
const COMPUTED = ["runtimeAvailability", "locked", "removable", "singleInstance"];

/** What else of a block is left out: its id, or the computed members that the other side does not speak of. */
export type Omit = { ids: boolean; computed: (block: Block, path: string) => readonly string[] };

/** Leaves out everything that a server assigns. */
export const ASSIGNED: Omit = { ids: true, computed: () => COMPUTED };

/** Leaves out what `wanted` does not speak of, a block of the same id or place taken for the same. */
export function unspokenOf(wanted: DraftContent): Omit {
  const byPath = new Map<string, Block>();
  const byId = new Map<string, Block>();
  walkBlocks(wanted.blocks, (block, path) => {
    byPath.set(path, block);
    if (block.id !== undefined) byId.set(block.id, block);
  });
  return {
    ids: false,
    computed(block, path) {
      const here = byPath.get(path);
      const other = here?.id === block.id ? here : byId.get(block.id ?? "");
      return other ? COMPUTED.filter((member) => other[member] === undefined) : COMPUTED;
    },
  };
}

/** Every block with its path (`0`, `0.1`), parents first. */
export function walkBlocks(blocks: readonly Block[], visit: (block: Block, path: string) => void, at = ""): void {
  for (const [index, block] of blocks.entries()) {
    const path = at === "" ? String(index) : `${at}.${index}`;
    visit(block, path);
    if (block.children) walkBlocks(block.children, visit, path);
  }
}

/**
 * Equal contents have equal normal forms: members in any order, null or absent, defaults written out or not, modes in any
 * order. Free objects (`config`, unknown members) are kept as they are.
 */
export function normalContent(content: DraftContent, omit: Omit): JsonObject {
  const { regions, blocks, stagedFieldDefinitions, scriptBindings, metadata, schemaVersion } = content;
  const places = new Map<string, string>();
  if (omit.ids) walkBlocks(blocks, (block, path) => block.id !== undefined && places.set(block.id, path));
  return {
    schemaVersion,
    regions: regions.map(normalRegion),
    blocks: normalBlocks(blocks, omit, { region: undefined, path: "" }),
    stagedFieldDefinitions: stagedFieldDefinitions.map(normalStaged),
    scriptBindings: scriptBindings.map((binding) => normalBinding(binding, omit, places)),
    metadata: normalMetadata(metadata),
  };
}

/** Without the stamp. Nothing is the same as an empty object: our stamp alone makes one of the other. */
export function normalMetadata(metadata: JsonObject | null): JsonObject | null {
  if (metadata === null) return null;
  const { [STAMP_KEY]: _, ...own } = metadata;
  return Object.keys(own).length === 0 ? null : own;
}

export function normalStaged(staged: StagedField): JsonObject {
  const { confirmDestructiveChange, config, presentation, ...rest } = staged;
  return {
    ...said(rest),
    ...filled({ config, presentation }),
    ...(confirmDestructiveChange && { confirmDestructiveChange }),
  };
}

function normalRegion({ displayOrder, config, ...rest }: Region, index: number): JsonObject {
  return { ...said(rest), ...orderUnlessIndex(displayOrder, index), ...filled({ config }) };
}

function normalBlocks(
  blocks: readonly Block[],
  omit: Omit,
  parent: { region: string | undefined; path: string },
): JsonObject[] {
  return blocks.map((block, index) => {
    const path = parent.path === "" ? String(index) : `${parent.path}.${index}`;
    const { id, ref, regionKey, displayOrder, grid, config, requiredPolicy, supportedModes, children, ...rest } = block;
    const own = said(rest);
    for (const member of omit.computed(block, path)) delete own[member];
    const region = regionKey ?? parent.region;
    return {
      ...own,
      ...(!omit.ids && id !== undefined && { id }),
      ...filled({ ref: ref && normalRef(ref, omit), grid: grid && said(grid), config }),
      ...(regionKey != null && regionKey !== parent.region && { regionKey }),
      ...orderUnlessIndex(displayOrder, index),
      ...(requiredPolicy && requiredPolicy !== "optional" && { requiredPolicy }),
      ...someModes(supportedModes),
      ...(children && children.length > 0 && { children: normalBlocks(children, omit, { region, path }) }),
    };
  });
}

/** Beside a key, the id of a field is the server's word for the same field. */
function normalRef(ref: NonNullable<Block["ref"]>, { ids }: Omit): JsonObject {
  const own = said(ref);
  if (ids && own["fieldKey"] !== undefined) {
    delete own["fieldId"];
    delete own["fieldDefinitionId"];
  }
  if (ids && own["relationFieldKey"] !== undefined) delete own["relationFieldId"];
  return own;
}

/** @param places where the blocks stand whose ids are left out */
function normalBinding(
  { id, target, enabled, priority, config, ...rest }: ScriptBinding,
  { ids }: Omit,
  places: ReadonlyMap<string, string>,
): JsonObject {
  const aim = target && said(target);
  const blockId = aim?.["blockId"];
  const place = typeof blockId === "string" ? places.get(blockId) : undefined;
  if (aim && place !== undefined) aim["blockId"] = `#${place}`;
  return {
    ...said(rest),
    ...(!ids && id !== undefined && { id }),
    ...filled({ target: aim, config: config ?? undefined }),
    ...(enabled === false && { enabled }),
    ...(priority !== undefined && priority !== 0 && { priority }),
  };
}

function orderUnlessIndex(displayOrder: number | null | undefined, index: number): JsonObject {
  return displayOrder == null || displayOrder === index ? {} : { displayOrder };
}

/** No modes are all modes, and so are all of them. */
function someModes(modes: readonly string[] | null | undefined): JsonObject {
  if (modes == null || modes.length === 0 || MODES.every((mode) => modes.includes(mode))) return {};
  return { supportedModes: modes.toSorted() };
}

/** The members that have a value. Made for every block of every layout: a loop is three times as fast as entries. */
function said(object: object): JsonObject {
  const own: JsonObject = {};
  for (const name of Object.keys(object)) {
    const value: unknown = (object as JsonObject)[name];
    if (value != null) own[name] = value;
  }
  return own;
}

/** The objects that hold anything. */
function filled(objects: Readonly<Record<string, object | null | undefined>>): JsonObject {
  const own: JsonObject = {};
  for (const name of Object.keys(objects)) {
    const value = objects[name];
    if (value && Object.keys(value).length > 0) own[name] = value;
  }
  return own;
}
