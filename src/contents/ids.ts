/** Adds the ids that a server has assigned to the blocks, bindings and fields of a content. */

import type { Block, DraftContent, ScriptBinding } from "../schemas/draft.ts";
import { canonicalJson } from "../schemas/json.ts";
import { mapped } from "./normal.ts";
import { once } from "./memory.ts";

/**
 * Returns `content` with the ids that its blocks, shown fields and bindings lack. The ids come from the corresponding
 * items of `like`. Returns the same object if no id is missing.
 *
 * A block with an id corresponds to the block with this id, under any parent. For a block without an id, the
 * corresponding block has the corresponding parent, the same type, the same source, and:
 *
 * - If the block has a reference: the same reference.
 * - If the block has no reference: no reference either, and the same title and label. If no such block is left, the
 *   title and label may differ.
 */
export function adoptIds(content: DraftContent, like: DraftContent): DraftContent {
  return once("ids", content, like, () => adopt(content, like));
}

function adopt(content: DraftContent, like: DraftContent): DraftContent {
  const named = new Set<string>();
  const known = new Map<string, Block>();
  collect(content.blocks, (block) => block.id !== undefined && named.add(block.id));
  collect(like.blocks, (block) => block.id !== undefined && known.set(block.id, block));

  function adoptBlocks(blocks: Block[], others: readonly Block[]): Block[] {
    if (blocks.length === 0) return blocks;
    const free = others.filter(({ id }) => id === undefined || !named.has(id));
    const matches = match(blocks, free, [shownBy, kindOf]);
    return mapped(blocks, (block, index) => {
      // An invalid draft may use an id twice. In that case, the block at the same index corresponds.
      const sameIndex = others[index]?.id === block.id ? others[index] : undefined;
      const other = block.id === undefined ? matches.get(index) : (sameIndex ?? known.get(block.id));
      const adopted = other ? adoptBlock(block, other) : block;
      const children = adopted.children && adoptBlocks(adopted.children, other?.children ?? []);
      return children === adopted.children ? adopted : { ...adopted, children };
    });
  }

  const blocks = adoptBlocks(content.blocks, like.blocks);
  const scriptBindings = adoptBindings(content.scriptBindings, like.scriptBindings);
  if (blocks === content.blocks && scriptBindings === content.scriptBindings) return content;
  return { ...content, blocks, scriptBindings };
}

/**
 * Assigns an id to each block and binding without an id. Returns the same content if no id is missing.
 *
 * @param prefix the start of the new ids. The default contains a space, so the ids differ from all valid ids
 */
export function addMissingIds(content: DraftContent, prefix = "new "): DraftContent {
  const identify = (blocks: Block[], at: string): Block[] =>
    mapped(blocks, (block, index) => {
      const children = block.children && identify(block.children, `${at}${index}.`);
      if (block.id !== undefined && children === block.children) return block;
      return { ...block, id: block.id ?? `${prefix}${at}${index}`, ...(children && { children }) };
    });
  const blocks = identify(content.blocks, "");
  const scriptBindings = mapped(content.scriptBindings, (each, index) =>
    each.id === undefined ? { ...each, id: `${prefix}${index}` } : each,
  );
  if (blocks === content.blocks && scriptBindings === content.scriptBindings) return content;
  return { ...content, blocks, scriptBindings };
}

function collect(blocks: readonly Block[], visit: (block: Block) => void): void {
  for (const block of blocks) {
    visit(block);
    if (block.children) collect(block.children, visit);
  }
}

function adoptBlock(block: Block, other: Block): Block {
  const ref = block.ref && adoptRef(block.ref, other.ref);
  if (ref === block.ref && (block.id !== undefined || other.id === undefined)) return block;
  return {
    ...block,
    ...(block.id === undefined && other.id !== undefined && { id: other.id }),
    ...(ref && { ref }),
  };
}

type Ref = NonNullable<Block["ref"]>;

/** Pairs of members of a reference: a key, and the id that the server adds for it. */
const KEY_IDS = [
  ["fieldKey", "fieldId"],
  ["fieldKey", "fieldDefinitionId"],
  ["relationFieldKey", "relationFieldId"],
] as const;

function adoptRef(ref: Ref, other: Ref | undefined): Ref {
  let adopted = ref;
  for (const [key, id] of KEY_IDS) {
    if (ref[key] == null || ref[id] != null || other?.[id] == null || other[key] !== ref[key]) continue;
    adopted = { ...adopted, [id]: other[id] };
  }
  return adopted;
}

function adoptBindings(bindings: ScriptBinding[], others: readonly ScriptBinding[]): ScriptBinding[] {
  const named = new Set(bindings.flatMap(({ id }) => id ?? []));
  const free = others.filter(({ id }) => id !== undefined && !named.has(id));
  const matches = match(bindings, free, [
    ({ scriptId, hook, target }) => canonicalJson([scriptId, hook, withoutNulls(target)]),
    ({ scriptId, hook }) => canonicalJson([scriptId, hook]),
  ]);
  return mapped(bindings, (binding, index) => {
    const id = binding.id ?? matches.get(index)?.id;
    return id === binding.id ? binding : { ...binding, id };
  });
}

/**
 * Matches each item without an id to an item of `others` with an equal key. Each item of `others` is used at most once.
 * The functions in `keys` are tried in their order.
 *
 * @returns the matched items of `others`, by the index of the item without an id
 */
function match<T extends { id?: string | undefined }>(
  items: readonly T[],
  others: readonly T[],
  keys: readonly ((item: T) => string | undefined)[],
): Map<number, T> {
  const found = new Map<number, T>();
  // Nearly all contents of a server have all ids.
  if (others.length === 0 || items.every(({ id }) => id !== undefined)) return found;
  const taken = new Set<T>();
  for (const key of keys) {
    const waiting = Map.groupBy(
      others.filter((other) => !taken.has(other)),
      key,
    );
    for (const group of waiting.values()) group.reverse();
    for (const [index, item] of items.entries()) {
      if (item.id !== undefined || found.has(index)) continue;
      const text = key(item);
      const other = text === undefined ? undefined : waiting.get(text)?.pop();
      if (!other) continue;
      found.set(index, other);
      taken.add(other);
    }
  }
  return found;
}

/**
 * Returns a key for what a block shows. The key contains the reference of the block. Without a reference, the key
 * contains the title and label.
 */
function shownBy({ type, source, ref, config }: Block): string {
  const shown = shownOf(ref);
  return canonicalJson(shown ? [type, source, shown] : [type, source, config?.["title"], config?.["label"]]);
}

/**
 * Returns a key for the kind of a block without a reference, such as a container. Returns undefined for a block with a
 * reference, because blocks with different references never correspond.
 */
function kindOf({ type, source, ref }: Block): string | undefined {
  return shownOf(ref) ? undefined : canonicalJson([type, source]);
}

/** Returns a reference without the ids that a server adds. Returns undefined for a reference without members. */
function shownOf(ref: Ref | undefined): object | undefined {
  const shown = withoutNulls(ref) as Ref | undefined;
  if (!shown || Object.keys(shown).length === 0) return undefined;
  const own = { ...shown };
  for (const [key, id] of KEY_IDS) if (own[key] !== undefined) delete own[id];
  return own;
}

function withoutNulls(object: object | undefined): object | undefined {
  return object && Object.fromEntries(Object.entries(object).filter(([, value]) => value != null));
}
