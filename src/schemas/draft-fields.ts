/** Resolves the fields of a draft: the known fields after a publish, the staged fields, and their blocks. */

import type { LayoutCatalog, CatalogField } from "./catalog.ts";
import { isKnownBlock, isKnownType, namingMember, sourceFitsType, surfaceHasSource } from "./draft-sources.ts";
import { isReadOnly, type BlockNode, type DraftTree, type ModeSet } from "./draft-tree.ts";
import type { Block, DraftContent, StagedField } from "./draft.ts";
import { fieldAfter, type FieldIndex, indexFields, stagedTarget } from "./staged-fields.ts";

/** A field that blocks can refer to by any of its names. */
export type FieldEntry = {
  /** The key of the field. Undefined if only its id is known. */
  readonly key: string | undefined;
  /** The field in its state after a publish. Undefined if the field is unknown. */
  field: CatalogField | undefined;
  /** True if the list of fields is known, and lacks this field. */
  readonly isAbsent: boolean;
  /** True if a publish deletes the field. */
  isDeleted: boolean;
  /** The number of blocks that show the field. */
  blocks: number;
  /**
   * - `shown`: the modes in which a block shows the field
   * - `editable`: the modes in which a block is an input for the field
   * - `outsideSidebar`: the modes in which a block outside of sidebars shows the field
   */
  shown: ModeSet;
  editable: ModeSet;
  outsideSidebar: ModeSet;
};

export type StagedEntry = {
  readonly item: StagedField;
  readonly entry: FieldEntry;
  /** The existing field that the change affects. Undefined for a new or unknown field. */
  readonly target: CatalogField | undefined;
  readonly problem: "taken" | "duplicate" | "unknown" | undefined;
};

export type DraftFields = {
  /** The known fields, then the new staged fields. A known field that is staged for deletion is included. */
  readonly entries: readonly FieldEntry[];
  /** The field that each block shows, by the number of the block. */
  readonly uses: readonly (FieldEntry | undefined)[];
  readonly staged: readonly StagedEntry[];
  readonly stagedById: ReadonlyMap<string, StagedEntry>;
};

/** Finds entries by one kind of name: the key, the id or the built-in key of a field. */
type NameIndex = { get(name: string): FieldEntry | undefined; add(name: string, entry: FieldEntry): void };

const NO_FIELDS: readonly CatalogField[] = [];
const NO_PLACES: ReadonlyMap<string, number> = new Map();

/**
 * Creates an index of entries. `places` maps the names of known fields to positions in `entries`. Several drafts may
 * share `places`, so it is never changed. The new index also has the names that only this draft uses.
 */
function nameIndex(entries: readonly FieldEntry[], places: ReadonlyMap<string, number>): NameIndex {
  const added = new Map<string, FieldEntry>();
  return {
    get(name) {
      const number = places.get(name);
      return number === undefined ? added.get(name) : entries[number];
    },
    add(name, entry) {
      added.set(name, entry);
    },
  };
}

/** Resolves the field of each block. The `ref` of a block names a key, an id, a built-in key or a staged field. */
export function resolveFields(draft: DraftContent, tree: DraftTree, known: LayoutCatalog): DraftFields {
  const areKnown = known.fields !== undefined;
  const index = indexFields(known.fields ?? NO_FIELDS);
  const entries = index.fields.map((field) => newEntry(field.key, field, false));
  const byKey = nameIndex(entries, index.byKey);
  const byId = nameIndex(entries, index.byId);
  const builtIn = nameIndex(entries, NO_PLACES);

  const staged = stageFields(draft.stagedFieldDefinitions, index, areKnown, { entries, byKey, byId });
  const stagedById = new Map<string, StagedEntry>();
  for (const one of staged) if (!stagedById.has(one.item.draftId)) stagedById.set(one.item.draftId, one);

  /**
   * Returns the entry of a name. An unknown name gets a new entry. So all blocks with this name show the same field.
   */
  function find(entriesByName: NameIndex, text: string, key: string | undefined, isAbsent: boolean): FieldEntry {
    const found = entriesByName.get(text);
    if (found) return found;
    const entry = newEntry(key, undefined, isAbsent);
    entriesByName.add(text, entry);
    return entry;
  }

  function entryOf(block: Block): FieldEntry | undefined {
    if (block.type !== "field" && block.type !== "relation_table" && isKnownType(block.type)) return undefined;
    if (!sourceFitsType(block) || !surfaceHasSource(known.surface, block.source)) return undefined;
    const member = namingMember(block);
    const text = member && block.ref?.[member];
    if (!text) return undefined;
    switch (member) {
      case "draftFieldDefinitionId":
        return stagedById.get(text)?.entry;
      case "builtInFieldKey":
        return find(builtIn, text, text, false);
      case "fieldId":
      case "fieldDefinitionId":
        return find(byId, text, undefined, areKnown && isKnownBlock(block));
      case "fieldKey":
      case "relationFieldKey":
        return find(byKey, text, text, areKnown && isKnownBlock(block));
      default:
        return undefined;
    }
  }

  const uses = tree.nodes.map((node) => {
    const entry = entryOf(node.block);
    if (entry) place(entry, node);
    return entry;
  });
  return { entries, uses, staged, stagedById };
}

function newEntry(key: string | undefined, field: CatalogField | undefined, isAbsent: boolean): FieldEntry {
  return { key, field, isAbsent, isDeleted: false, blocks: 0, shown: 0, editable: 0, outsideSidebar: 0 };
}

function place(entry: FieldEntry, node: BlockNode): void {
  entry.blocks += 1;
  entry.shown |= node.modes;
  if (takesValue(node, entry)) entry.editable |= node.modes;
  if (node.region?.region.layout !== "sidebar") entry.outsideSidebar |= node.modes;
}

/**
 * Whether the block is an input. Inputs are relation tables, and fields that are not read-only. An HTML_SECTION is not
 * an input.
 */
export function takesValue({ block }: BlockNode, entry: FieldEntry | undefined): boolean {
  if (block.type === "relation_table") return true;
  // A block of an unknown type may be an input.
  if (!isKnownType(block.type)) return !isReadOnly(block);
  return block.type === "field" && !isReadOnly(block) && entry?.field?.type !== "HTML_SECTION";
}

type FieldIndexes = { entries: FieldEntry[]; byKey: NameIndex; byId: NameIndex };

function stageFields(
  items: readonly StagedField[],
  index: FieldIndex,
  areKnown: boolean,
  { entries, byKey, byId }: FieldIndexes,
): StagedEntry[] {
  const changed = new Set<FieldEntry>();

  return items.map((item): StagedEntry => {
    if (item.action === "create") {
      const key = item.key ?? "";
      const entry = newEntry(key, fieldAfter(item, undefined), false);
      changed.add(entry);
      if (byKey.get(key)) {
        return { item, entry, target: undefined, problem: index.byKey.has(key) ? "taken" : "duplicate" };
      }
      entries.push(entry);
      byKey.add(key, entry);
      return { item, entry, target: undefined, problem: undefined };
    }
    const target = stagedTarget(item, index);
    const isNameless = !item.existingFieldDefinitionId && item.key === undefined;
    if (!target && (areKnown || isNameless)) {
      return { item, entry: newEntry(item.key, undefined, false), target, problem: "unknown" };
    }
    const entry = (target && byId.get(target.id)) ?? unknownEntry(item, byKey, byId);
    if (changed.has(entry)) return { item, entry, target, problem: "duplicate" };
    changed.add(entry);
    if (item.action === "update" && target) entry.field = fieldAfter(item, target);
    if (item.action === "delete") entry.isDeleted = true;
    return { item, entry, target, problem: undefined };
  });
}

/**
 * Returns the entry of a field that only the draft names. The entry is stored under the id and the key of the field. So
 * a block can refer to the field by either name.
 */
function unknownEntry(item: StagedField, byKey: NameIndex, byId: NameIndex): FieldEntry {
  const { existingFieldDefinitionId: id, key } = item;
  const found = (id ? byId.get(id) : undefined) ?? (key === undefined ? undefined : byKey.get(key));
  const entry = found ?? newEntry(key, undefined, false);
  if (id) byId.add(id, entry);
  if (key !== undefined && !byKey.get(key)) byKey.add(key, entry);
  return entry;
}
