/**
 * Converts contents to a normal form that is equal for contents with the same meaning. The normal form omits values
 * that a server assigns.
 */

import type { Block, DraftContent, Region, ScriptBinding, StagedField } from "../../schemas/draft.ts";
import type { JsonObject } from "../../schemas/json.ts";
import { MODES } from "../../schemas/words.ts";

/** The member of a draft's metadata that holds the stamp of formctl. A manifest can't use it. */
export const STAMP_KEY = "formctl";

/** Members of a block that some servers compute. They are not part of the desired content. */
const COMPUTED = ["runtimeAvailability", "locked", "removable", "singleInstance"];

/**
 * Determines what the normal form omits: if `ids` is true, the ids of blocks, of bindings, and of fields with a key;
 * and the members of a block that `computed` returns.
 */
export type Omission = { ids: boolean; computed: (block: Block, path: string) => readonly string[] };

export const ASSIGNED: Omission = { ids: true, computed: () => COMPUTED };

/**
 * Returns an omission that keeps ids, and omits the computed members that `wanted` does not set. Blocks correspond by
 * id, or by path if neither has an id.
 */
export function unspokenOf(wanted: DraftContent): Omission {
  const byPath = new Map<string, Block>();
  const byId = new Map<string, Block>();
  walkBlocks(wanted.blocks, (block, path) => {
    byPath.set(path, block);
    if (block.id !== undefined) byId.set(block.id, block);
  });
  return {
    ids: false,
    computed(block, path) {
      const samePath = byPath.get(path);
      const other = samePath?.id === block.id ? samePath : byId.get(block.id ?? "");
      return other ? COMPUTED.filter((member) => other[member] === undefined) : COMPUTED;
    },
  };
}

/** Calls `visit` for every block with its path (`0`, `0.1`). Parents precede their children. */
export function walkBlocks(blocks: readonly Block[], visit: (block: Block, path: string) => void, at = ""): void {
  for (const [index, block] of blocks.entries()) {
    const path = at === "" ? String(index) : `${at}.${index}`;
    visit(block, path);
    if (block.children) walkBlocks(block.children, visit, path);
  }
}

/**
 * Returns the normal form of a content. Null values and default values are omitted, and modes are sorted. Free objects
 * (`config`, unknown members) are not changed.
 */
export function normalContent(content: DraftContent, omit: Omission): JsonObject {
  const { regions, blocks, stagedFieldDefinitions, scriptBindings, metadata, schemaVersion } = content;
  const paths = new Map<string, string>();
  if (omit.ids) walkBlocks(blocks, (block, path) => block.id !== undefined && paths.set(block.id, path));
  return {
    schemaVersion,
    regions: regions.map(normalRegion),
    blocks: normalBlocks(blocks, omit, { region: undefined, path: "" }),
    stagedFieldDefinitions: stagedFieldDefinitions.map(normalStaged),
    scriptBindings: scriptBindings.map((binding) => normalBinding(binding, omit, paths)),
    metadata: normalMetadata(metadata),
  };
}

/**
 * Returns the metadata without the stamp, and null if nothing else is left. Null metadata becomes an object when it is
 * stamped, so it must become null again.
 */
export function normalMetadata(metadata: JsonObject | null): JsonObject | null {
  if (metadata === null) return null;
  const { [STAMP_KEY]: _, ...own } = metadata;
  return Object.keys(own).length === 0 ? null : own;
}

export function normalStaged(staged: StagedField): JsonObject {
  const { confirmDestructiveChange, config, presentation, ...rest } = staged;
  return {
    ...withoutNulls(rest),
    ...nonEmpty({ config, presentation }),
    ...(confirmDestructiveChange && { confirmDestructiveChange }),
  };
}

function normalRegion({ displayOrder, config, ...rest }: Region, index: number): JsonObject {
  return { ...withoutNulls(rest), ...orderUnlessIndex(displayOrder, index), ...nonEmpty({ config }) };
}

function normalBlocks(
  blocks: readonly Block[],
  omit: Omission,
  parent: { region: string | undefined; path: string },
): JsonObject[] {
  return blocks.map((block, index) => {
    const path = parent.path === "" ? String(index) : `${parent.path}.${index}`;
    const { id, ref, regionKey, displayOrder, grid, config, requiredPolicy, supportedModes, children, ...rest } = block;
    const own = withoutNulls(rest);
    for (const member of omit.computed(block, path)) delete own[member];
    const region = regionKey ?? parent.region;
    return {
      ...own,
      ...(!omit.ids && id !== undefined && { id }),
      ...nonEmpty({ ref: ref && normalRef(ref, omit), grid: grid && withoutNulls(grid), config }),
      ...(regionKey != null && regionKey !== parent.region && { regionKey }),
      ...orderUnlessIndex(displayOrder, index),
      ...(requiredPolicy && requiredPolicy !== "optional" && { requiredPolicy }),
      ...someModes(supportedModes),
      ...(children && children.length > 0 && { children: normalBlocks(children, omit, { region, path }) }),
    };
  });
}

/**
 * If ids are omitted, omits the id of a field whose key is known too, because the server derives the id from the key.
 */
function normalRef(ref: NonNullable<Block["ref"]>, { ids }: Omission): JsonObject {
  const own = withoutNulls(ref);
  if (ids && own["fieldKey"] !== undefined) {
    delete own["fieldId"];
    delete own["fieldDefinitionId"];
  }
  if (ids && own["relationFieldKey"] !== undefined) delete own["relationFieldId"];
  return own;
}

/** @param paths the paths of blocks whose ids are omitted, by id */
function normalBinding(
  { id, target, enabled, priority, config, ...rest }: ScriptBinding,
  { ids }: Omission,
  paths: ReadonlyMap<string, string>,
): JsonObject {
  const normalTarget = target && withoutNulls(target);
  const blockId = normalTarget?.["blockId"];
  const path = typeof blockId === "string" ? paths.get(blockId) : undefined;
  if (normalTarget && path !== undefined) normalTarget["blockId"] = `#${path}`;
  return {
    ...withoutNulls(rest),
    ...(!ids && id !== undefined && { id }),
    ...nonEmpty({ target: normalTarget, config: config ?? undefined }),
    ...(enabled === false && { enabled }),
    ...(priority !== undefined && priority !== 0 && { priority }),
  };
}

function orderUnlessIndex(displayOrder: number | null | undefined, index: number): JsonObject {
  return displayOrder == null || displayOrder === index ? {} : { displayOrder };
}

/** Omits modes that mean all modes: an empty list, or a list of all modes. */
function someModes(modes: readonly string[] | null | undefined): JsonObject {
  if (modes == null || modes.length === 0 || MODES.every((mode) => modes.includes(mode))) return {};
  return { supportedModes: modes.toSorted() };
}

/**
 * Returns the members that are not null or undefined. It runs for every block of every layout, and a loop is three
 * times as fast as Object.entries.
 */
function withoutNulls(object: object): JsonObject {
  const own: JsonObject = {};
  for (const name of Object.keys(object)) {
    const value: unknown = (object as JsonObject)[name];
    if (value != null) own[name] = value;
  }
  return own;
}

/** Returns the objects that have at least one member. */
function nonEmpty(objects: Readonly<Record<string, object | null | undefined>>): JsonObject {
  const own: JsonObject = {};
  for (const name of Object.keys(objects)) {
    const value = objects[name];
    if (value && Object.keys(value).length > 0) own[name] = value;
  }
  return own;
}
