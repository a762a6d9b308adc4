/**
 * Edits of contents for the authors of migrations. Each edit is a pure function. It returns a new content, or the same
 * object if nothing changes. Unchanged blocks keep their ids, so that a comparison shows only what changed.
 */

import { FormctlError } from "../base/error.ts";
import { nearest } from "../base/nearest.ts";
import type { Block, DraftContent, Region, ScriptBinding, StagedField } from "../schemas/draft.ts";
import { FIELD_KEY } from "../schemas/words.ts";

/** The position of a block. `region` is the key of its region. `path` is its path, such as `blocks[2].children[0]`. */
export type BlockPlace = { parent: Block | undefined; region: string | undefined; path: string };

/** Selects blocks: a function, or members that must all match. */
export type BlockSelector =
  | ((block: Block) => boolean)
  | {
      id?: string;
      type?: string;
      source?: string;
      /** The key of the field or relation that the block shows. */
      field?: string;
      /** The key of the region of the block or of its outermost ancestor. */
      region?: string;
      /** The label or the title in `config`. */
      label?: string;
    };

/** Calls `visit` for every block, depth first. Parents precede their children. */
export function walkBlocks(content: DraftContent, visit: (block: Block, place: BlockPlace) => void): void {
  const walk = (blocks: readonly Block[], parent: Block | undefined, region: string | undefined, at: string) => {
    for (const [index, block] of blocks.entries()) {
      const place = { parent, region: parent ? region : block.regionKey, path: `${at}[${index}]` };
      visit(block, place);
      if (block.children) walk(block.children, block, place.region, `${place.path}.children`);
    }
  };
  walk(content.blocks, undefined, undefined, "blocks");
}

/** Returns the selected blocks, depth first. */
export function findBlocks(content: DraftContent, select: BlockSelector): Block[] {
  const found: Block[] = [];
  const isSelected = selection(select);
  walkBlocks(content, (block, place) => isSelected(block, place) && found.push(block));
  return found;
}

/**
 * Replaces each selected block. The children of a replaced block are not replaced, even if the selector matches them.
 *
 * A single replacement without an id gets the id of the replaced block. Script bindings then refer to the replacement.
 * At the top level, a replacement without a `regionKey` gets the region of the replaced block.
 *
 * @param replacement one or several blocks, or a function that returns them. An empty list removes the block. If the
 *   function returns undefined or the block itself, the block is unchanged
 * @throws MIGRATION_INVALID if a script binding refers to a removed block
 */
export function replaceBlocks(
  content: DraftContent,
  select: BlockSelector,
  replacement: Block | readonly Block[] | ((block: Block) => Block | readonly Block[] | undefined),
): DraftContent {
  const isSelected = selection(select);
  return edited(content, (block, place) => {
    if (!isSelected(block, place)) return undefined;
    const result = typeof replacement === "function" ? replacement(block) : replacement;
    if (result === undefined || result === block) return undefined;
    const list = isList(result) ? result : [result];
    return list.map((each) => ({
      ...(list.length === 1 && each.id === undefined && block.id !== undefined && { id: block.id }),
      ...each,
      ...(!place.parent &&
        each.regionKey === undefined &&
        block.regionKey !== undefined && { regionKey: block.regionKey }),
    }));
  });
}

/**
 * Removes the selected blocks with their children.
 *
 * @throws MIGRATION_INVALID if a script binding refers to a removed block
 */
export function removeBlocks(content: DraftContent, select: BlockSelector): DraftContent {
  return replaceBlocks(content, select, []);
}

/**
 * Renames a field everywhere in a content: in blocks, in script bindings and in staged changes. Ids of the former field
 * are removed from references.
 *
 * @param from the current key of the field
 * @param to the key of the field that replaces it. This field must exist, or the content must stage it
 * @throws MIGRATION_INVALID if `to` is not a valid key
 * @throws MIGRATION_INVALID if the content already shows `to`, or stages both fields
 * @throws MIGRATION_INVALID if a staged change of `from` has a field id, which would still identify the former field
 */
export function renameField(content: DraftContent, from: string, to: string): DraftContent {
  if (!FIELD_KEY.test(to)) throw refusal(`${JSON.stringify(to)} is not a valid key of a field`);
  if (from === to) return content;
  const isStaged = (key: string) => content.stagedFieldDefinitions.some((staged) => staged.key === key);
  const shows = (key: string) => findBlocks(content, { field: key }).length > 0;
  const blocks = mapBlocks(content.blocks, (block) => {
    const ref = block.ref && renamedRef(block.ref, from, to);
    return ref === block.ref ? block : { ...block, ...(ref && { ref }) };
  });
  const scriptBindings = mapItems(content.scriptBindings, (binding) => renamedBinding(binding, from, to));
  const stagedFieldDefinitions = mapItems(content.stagedFieldDefinitions, (staged) => renamedStaged(staged, from, to));
  const isChanged =
    blocks !== content.blocks ||
    scriptBindings !== content.scriptBindings ||
    stagedFieldDefinitions !== content.stagedFieldDefinitions;
  if (!isChanged) return content;
  if (shows(to) || (isStaged(from) && isStaged(to))) {
    throw refusal(
      `the layout shows both ${from} and ${to}, and would show ${to} twice`,
      `Remove the blocks of one of them first: removeBlocks(content, { field: "${from}" })`,
    );
  }
  return { ...content, blocks, scriptBindings, stagedFieldDefinitions };
}

/**
 * Adds a region. If the content already has a region with the key, the content is unchanged.
 *
 * @param position.before the key of the region that follows the new region. Default: the new region is the last
 * @throws MIGRATION_INVALID if no region has the key `before`
 */
export function addRegion(content: DraftContent, region: Region, { before }: { before?: string } = {}): DraftContent {
  const { regions } = content;
  if (regions.some(({ key }) => key === region.key)) return content;
  const index = before === undefined ? regions.length : regions.indexOf(requireRegion(content, before));
  return { ...content, regions: numberedAs(regions, regions.toSpliced(index, 0, region)) };
}

export type NewSection = {
  /** Identifies the section, so that it is added only once. */
  id: string;
  label: string;
  /** The key of the region. Exactly one of `region` and `into` is required. */
  region?: string;
  /** The id of the block, such as a tab, that contains the section. */
  into?: string;
  blocks: readonly Block[];
  /** The number of columns: `config.columns` of the section. */
  columns?: number;
  /** The id of the block that the section follows. Default: the section is the last block. */
  after?: string;
};

/**
 * Adds a section with blocks. If the content already has a block with the id, the content is unchanged.
 *
 * @throws MIGRATION_INVALID if the region, the block `into` or the block `after` does not exist
 */
export function addSection(content: DraftContent, section: NewSection): DraftContent {
  const { id, label, columns, region, into, after, blocks } = section;
  if (findBlocks(content, { id }).length > 0) return content;
  const added: Block = {
    id,
    type: "section",
    source: "system",
    config: { label, ...(columns !== undefined && { columns }) },
    children: [...blocks],
  };
  return addBlocks(content, [added], targetOf({ region, into }), after);
}

/** The target of moved blocks: the end of a region, or the end of a block's children. */
export type BlockTarget = { region: string } | { into: string };

/**
 * Moves the selected blocks to the end of a region or container, in their order. Each block keeps its children. Blocks
 * that are already in the target are not moved.
 *
 * @throws MIGRATION_INVALID if the region or the container does not exist
 * @throws MIGRATION_INVALID if a block would contain itself
 */
export function moveBlocks(content: DraftContent, select: BlockSelector, target: BlockTarget): DraftContent {
  const to = targetOf(target);
  const container = "into" in to ? requireBlock(content, to.into) : undefined;
  if ("region" in to) requireRegion(content, to.region);
  const isSelected = selection(select);
  const moved: Block[] = [];
  const rest = edited(
    content,
    (block, place) => {
      const isThere = container
        ? place.parent === container
        : !place.parent && block.regionKey === (to as { region: string }).region;
      if (!isSelected(block, place)) return undefined;
      // A block at the target keeps its selected children. Otherwise, a second run of the move would take the children
      // out of the block.
      if (isThere) return [block];
      if (container && contains(block, container)) {
        throw refusal(`the block ${JSON.stringify(container.id)} can't be moved into itself`);
      }
      moved.push(block);
      return [];
    },
    { keepsBindings: true },
  );
  return moved.length === 0 ? content : addBlocks(rest, moved, to);
}

function isList(value: Block | readonly Block[]): value is readonly Block[] {
  return Array.isArray(value);
}

function contains(block: Block, other: Block): boolean {
  return block === other || (block.children?.some((child) => contains(child, other)) ?? false);
}

function refusal(message: string, hint?: string): FormctlError {
  return new FormctlError("MIGRATION_INVALID", message, hint);
}

function selection(select: BlockSelector): (block: Block, place: BlockPlace) => boolean {
  if (typeof select === "function") return select;
  const { id, type, source, field, region, label } = select;
  return (block, place) =>
    (id === undefined || block.id === id) &&
    (type === undefined || block.type === type) &&
    (source === undefined || block.source === source) &&
    (field === undefined || block.ref?.fieldKey === field || block.ref?.relationFieldKey === field) &&
    (region === undefined || place.region === region) &&
    (label === undefined || block.config?.["label"] === label || block.config?.["title"] === label);
}

function targetOf(target: { region?: string | undefined; into?: string | undefined }): BlockTarget {
  const { region, into } = target;
  if (region !== undefined && into === undefined) return { region };
  if (into !== undefined && region === undefined) return { into };
  throw refusal("specify either region or into");
}

function requireRegion({ regions }: DraftContent, key: string): Region {
  const region = regions.find((each) => each.key === key);
  if (region) return region;
  const keys = regions.map((each) => each.key);
  const meant = nearest(key, keys);
  const next = meant === undefined ? `Regions: ${keys.join(", ") || "none"}` : `Did you mean "${meant}"?`;
  throw refusal(`unknown region "${key}"`, next);
}

function requireBlock(content: DraftContent, id: string): Block {
  const [block] = findBlocks(content, { id });
  if (block) return block;
  throw refusal(`unknown block "${id}"`);
}

/**
 * Adds blocks to a region or to the children of a block. The blocks are added at the end, or after the block with the
 * id `after`.
 */
function addBlocks(content: DraftContent, added: readonly Block[], target: BlockTarget, after?: string): DraftContent {
  const insert = (siblings: readonly Block[], blocks: readonly Block[]): Block[] => {
    const index = after === undefined ? siblings.length - 1 : siblings.findIndex(({ id }) => id === after);
    if (after !== undefined && index < 0) throw refusal(`the target has no block "${after}"`);
    return numberedAs(siblings, siblings.toSpliced(index + 1, 0, ...blocks));
  };
  if ("region" in target) {
    const { region: regionKey } = target;
    requireRegion(content, regionKey);
    return {
      ...content,
      blocks: insert(
        content.blocks,
        added.map((block) => inRegion(block, regionKey)),
      ),
    };
  }
  const container = requireBlock(content, target.into);
  const blocks = mapBlocks(content.blocks, (block) =>
    block === container
      ? {
          ...block,
          children: insert(
            block.children ?? [],
            added.map((each) => inRegion(each, undefined)),
          ),
        }
      : block,
  );
  return { ...content, blocks };
}

/**
 * Returns a block for its new position: without a display order, and with the given `regionKey`, if any. Its children
 * get no `regionKey`, because they are in the block's region.
 */
function inRegion({ displayOrder: _order, regionKey: _former, ...block }: Block, regionKey: string | undefined): Block {
  const children = block.children && mapItems(block.children, withoutRegion);
  return { ...block, ...(regionKey !== undefined && { regionKey }), ...(children && { children }) };
}

function withoutRegion(block: Block): Block {
  const children = block.children && mapItems(block.children, withoutRegion);
  if (block.regionKey === undefined && children === block.children) return block;
  const { regionKey: _former, ...rest } = block;
  return { ...rest, ...(children && { children }) };
}

type Edit = (block: Block, place: BlockPlace) => readonly Block[] | undefined;

/**
 * Returns the content with blocks replaced.
 *
 * @param edit returns the blocks that replace a block. If it returns undefined, the block stays, and `edit` is called
 *   for the children of the block
 * @param options.keepsBindings true if the caller adds the removed blocks again. Script bindings may then refer to
 *   removed blocks
 */
function edited(content: DraftContent, edit: Edit, { keepsBindings = false } = {}): DraftContent {
  const editAll = (
    blocks: readonly Block[],
    parent: Block | undefined,
    region: string | undefined,
    at: string,
  ): Block[] => {
    let isChanged = false;
    const after = blocks.flatMap((block, index) => {
      const place = { parent, region: parent ? region : block.regionKey, path: `${at}[${index}]` };
      const replaced = edit(block, place);
      if (replaced) {
        isChanged ||= replaced.length !== 1 || replaced[0] !== block;
        return replaced;
      }
      const children = block.children && editAll(block.children, block, place.region, `${place.path}.children`);
      if (!children || children === block.children) return block;
      isChanged = true;
      return { ...block, children };
    });
    return isChanged ? numberedAs(blocks, after) : (blocks as Block[]);
  };
  const blocks = editAll(content.blocks, undefined, undefined, "blocks");
  if (blocks === content.blocks) return content;
  const result = { ...content, blocks };
  if (!keepsBindings) refuseLostTargets(content, result);
  return result;
}

/** @throws MIGRATION_INVALID if a script binding refers to a removed block */
function refuseLostTargets(before: DraftContent, after: DraftContent): void {
  const idsOf = (content: DraftContent) => new Set(findBlocks(content, () => true).flatMap(({ id }) => id ?? []));
  const [old, ids] = [idsOf(before), idsOf(after)];
  for (const { scriptId, hook, target } of after.scriptBindings) {
    const blockId = target?.blockId;
    if (!blockId || ids.has(blockId) || !old.has(blockId)) continue;
    throw refusal(
      `the script binding ${scriptId} (${hook}) refers to the block "${blockId}", which is removed`,
      "Remove the script binding first, or give one of the new blocks this id.",
    );
  }
}

/**
 * Numbers the items again if the former items were numbered by index. Servers number items in this way. Former items
 * without a display order are ignored. If no former item had a display order, or one was not the index of its item, the
 * display orders are unchanged.
 */
function numberedAs<T extends { displayOrder?: number | null | undefined }>(
  before: readonly T[],
  after: readonly T[],
): T[] {
  const isNumbered = before.some(({ displayOrder }) => displayOrder != null);
  const isByIndex = before.every(({ displayOrder }, index) => displayOrder == null || displayOrder === index);
  if (!isNumbered || !isByIndex) return [...after];
  return after.map((item, index) => (item.displayOrder === index ? item : { ...item, displayOrder: index }));
}

/** Returns the blocks with a function applied to each block. Returns the same list if nothing changes. */
function mapBlocks(blocks: Block[], change: (block: Block) => Block): Block[] {
  return mapItems(blocks, (block) => {
    const changed = change(block);
    const children = changed.children && mapBlocks(changed.children, change);
    return children === changed.children ? changed : { ...changed, children };
  });
}

function mapItems<T>(items: T[], change: (item: T) => T): T[] {
  let isChanged = false;
  const after = items.map((item) => {
    const changed = change(item);
    isChanged ||= changed !== item;
    return changed;
  });
  return isChanged ? after : items;
}

type Ref = NonNullable<Block["ref"]>;

function renamedRef(ref: Ref, from: string, to: string): Ref {
  const renamed = { ...ref };
  if (ref.fieldKey === from) {
    renamed.fieldKey = to;
    delete renamed.fieldId;
    delete renamed.fieldDefinitionId;
  }
  if (ref.relationFieldKey === from) {
    renamed.relationFieldKey = to;
    delete renamed.relationFieldId;
  }
  return ref.fieldKey === from || ref.relationFieldKey === from ? renamed : ref;
}

function renamedBinding(binding: ScriptBinding, from: string, to: string): ScriptBinding {
  const { target } = binding;
  return target?.fieldKey === from ? { ...binding, target: { ...target, fieldKey: to } } : binding;
}

function renamedStaged(staged: StagedField, from: string, to: string): StagedField {
  if (staged.key !== from) return staged;
  if (staged.existingFieldDefinitionId == null) return { ...staged, key: to };
  throw refusal(
    `the staged change ${staged.draftId} names the field ${from} by its id`,
    "Publish the draft or remove the staged change, and run the migration again.",
  );
}
