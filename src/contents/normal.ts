/**
 * Converts contents to a normal form that is equal for contents with the same meaning. The normal form omits values
 * that a server assigns.
 */

import type { Block, DraftContent, Region, ScriptBinding, StagedField } from "../schemas/draft.ts";
import type { JsonObject } from "../schemas/json.ts";
import { MODES } from "../schemas/words.ts";

/** The member of a draft's metadata that holds the stamp of formctl. A manifest can't use this member. */
export const STAMP_KEY = "formctl";

/** Members of a block that some servers compute. These members are not part of the desired content. */
const COMPUTED = ["runtimeAvailability", "locked", "removable", "singleInstance"];

/**
 * Determines what the normal form omits:
 *
 * - If `ids` is true, the ids of blocks, of bindings, and of fields with a key.
 * - The computed members of a block, except the members that `kept` returns. Without `kept`, all computed members.
 */
export type Omission = { ids: boolean; kept?: (block: Block, path: string) => readonly string[] };

export const ASSIGNED: Omission = { ids: true };

/**
 * Returns an omission of the computed members that `wanted` does not set. The omission keeps ids. Blocks correspond by
 * id, or by path if neither block has an id.
 */
export function unspokenOf(wanted: DraftContent): Omission {
  // Nearly all contents set no computed members.
  if (!wanted.blocks.some(setsComputed)) return { ids: false };
  const byPath = new Map<string, Block>();
  const byId = new Map<string, Block>();
  walkBlocks(wanted.blocks, (block, path) => {
    byPath.set(path, block);
    if (block.id !== undefined) byId.set(block.id, block);
  });
  return {
    ids: false,
    kept(block, path) {
      const samePath = byPath.get(path);
      const other = samePath?.id === block.id ? samePath : byId.get(block.id ?? "");
      return other ? COMPUTED.filter((member) => other[member] !== undefined) : [];
    },
  };
}

/** Whether a block or one of its nested blocks sets a computed member. */
function setsComputed(block: Block): boolean {
  return COMPUTED.some((member) => block[member] !== undefined) || block.children?.some(setsComputed) === true;
}

/** Returns the blocks without computed members. Blocks without such members are not copied. */
export function withoutComputed(blocks: Block[]): Block[] {
  return mapped(blocks, (block) => {
    const children = block.children && withoutComputed(block.children);
    const bare = children === block.children ? block : { ...block, children };
    if (!COMPUTED.some((member) => Object.hasOwn(block, member))) return bare;
    return Object.fromEntries(Object.entries(bare).filter(([member]) => !COMPUTED.includes(member))) as Block;
  });
}

/** Applies a function to each item. Returns the same list if no item changes. */
export function mapped<T>(items: T[], change: (item: T, index: number) => T): T[] {
  let isChanged = false;
  const after = items.map((item, index) => {
    const changed = change(item, index);
    isChanged ||= changed !== item;
    return changed;
  });
  return isChanged ? after : items;
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
 *
 * @param like a content with its normal form for the same omission. A block object at the same path in both contents
 *   gets the same normal form object. A comparison then recognizes equal blocks by their identity
 */
export function normalContent(
  content: DraftContent,
  omit: Omission,
  like?: { content: DraftContent; normal: NormalContent },
): NormalContent {
  const { regions, blocks, stagedFieldDefinitions, scriptBindings, metadata, schemaVersion } = content;
  const paths = new Map<string, string>();
  if (omit.ids && scriptBindings.length > 0)
    walkBlocks(blocks, (block, path) => block.id !== undefined && paths.set(block.id, path));
  const known = like && { blocks: like.content.blocks, normal: like.normal.blocks };
  return {
    schemaVersion,
    regions: regions.map(normalRegion),
    blocks: normalBlocks(blocks, omit, { region: undefined, path: "" }, known),
    stagedFieldDefinitions: stagedFieldDefinitions.map(normalStaged),
    scriptBindings: scriptBindings.map((binding) => normalBinding(binding, omit, paths)),
    metadata: normalMetadata(metadata),
  };
}

export type NormalContent = JsonObject & { blocks: JsonObject[] };

/**
 * Returns the metadata without the stamp, or null if nothing else is left. A stamp turns null metadata into an object.
 * Without the stamp, the metadata must become null again.
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
  return {
    ...withoutNulls(rest),
    ...(displayOrder != null && displayOrder !== index && { displayOrder }),
    ...nonEmpty({ config }),
  };
}

type Ref = NonNullable<Block["ref"]>;

/** What contains a list of blocks. For the content itself, `region` is undefined and `path` is empty. */
type Parent = { region: string | undefined; path: string };

type Known = { blocks: readonly Block[]; normal: readonly JsonObject[] };

/** @param known blocks under the same parent, in the same region */
function normalBlocks(blocks: readonly Block[], omit: Omission, parent: Parent, known?: Known): JsonObject[] {
  return blocks.map((block, index) => {
    const other = known?.blocks[index];
    if (other === block) return known!.normal[index]!;
    return normalBlock(block, omit, { parent, index, known: other && { block: other, normal: known.normal[index]! } });
  });
}

/**
 * Returns a block without null values and default values. The members keep their order. So sorted members stay sorted.
 */
function normalBlock(
  block: Block,
  omit: Omission,
  { parent, index, known }: { parent: Parent; index: number; known: { block: Block; normal: JsonObject } | undefined },
): JsonObject {
  const path = parent.path === "" ? String(index) : `${parent.path}.${index}`;
  const kept = omit.kept?.(block, path);
  const memberOf = (name: string, value: unknown): unknown => {
    switch (name) {
      case "id":
        return omit.ids ? undefined : value;
      case "ref":
        return unlessEmpty(normalRef(value as Ref, omit));
      case "grid":
        return unlessEmpty(withoutNulls(value as object));
      case "config":
        return unlessEmpty(value as object);
      case "regionKey":
        return value === parent.region ? undefined : value;
      case "displayOrder":
        return value === index ? undefined : value;
      case "requiredPolicy":
        return value === "" || value === "optional" ? undefined : value;
      case "supportedModes":
        return someModes(value as string[]);
      case "children":
        return unlessEmpty(normalChildren(value as Block[]));
      default:
        return COMPUTED.includes(name) && !kept?.includes(name) ? undefined : value;
    }
  };
  const normalChildren = (children: readonly Block[]) => {
    const region = block.regionKey ?? parent.region;
    const isSameRegion = known && (known.block.regionKey ?? parent.region) === region;
    const normal = isSameRegion ? (known.normal["children"] as JsonObject[] | undefined) : undefined;
    const others = normal && { blocks: known!.block.children!, normal };
    return normalBlocks(children, omit, { region, path }, others);
  };
  const normal: JsonObject = {};
  for (const name of Object.keys(block)) {
    const value = block[name];
    const member = value == null ? undefined : memberOf(name, value);
    if (member !== undefined) normal[name] = member;
  }
  return normal;
}

/** If ids are omitted, also omits the id of a field with a key. The server derives the id from the key. */
function normalRef(ref: Ref, { ids }: Omission): JsonObject {
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

/** Returns the modes in order. Undefined for all modes. An empty list also means all modes. */
function someModes(modes: readonly string[]): string[] | undefined {
  if (modes.length === 0 || MODES.every((mode) => modes.includes(mode))) return undefined;
  return modes.toSorted();
}

/** Returns the members that are not null or undefined. */
function withoutNulls(object: object): JsonObject {
  const own: JsonObject = {};
  for (const name of Object.keys(object)) {
    const value: unknown = (object as JsonObject)[name];
    if (value != null) own[name] = value;
  }
  return own;
}

function unlessEmpty<T extends object>(value: T): T | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
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
