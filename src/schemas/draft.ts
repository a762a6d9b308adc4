/** The content of a layout: regions, blocks, staged fields and script bindings (R35-R44). draft-schema.ts checks it. */

import type {
  BlockSource,
  BlockType,
  ModeWord,
  OpenWord,
  RegionLayout,
  RequiredPolicy,
  StagedAction,
} from "./words.ts";

/** A part of a page, such as a grid or a list of tabs. Unknown members are kept. */
export type Region = {
  [member: string]: unknown;
  /** Blocks name the region by this key. */
  key: string;
  label?: string | null | undefined;
  layout: OpenWord<RegionLayout>;
  /** The number of columns of a grid. */
  columns?: number | null | undefined;
  /** The position among the regions. */
  displayOrder?: number | undefined;
  config?: { [member: string]: unknown } | undefined;
};

/** What a block shows. The member depends on the source of the block. */
export type BlockRef = {
  [member: string]: unknown;
  componentKey?: string | null | undefined;
  builtInFieldKey?: string | null | undefined;
  fieldId?: string | null | undefined;
  /** The key of the field that a field block shows, such as `email`. */
  fieldKey?: string | null | undefined;
  fieldDefinitionId?: string | null | undefined;
  /** The `draftId` of a field that the same draft creates. */
  draftFieldDefinitionId?: string | null | undefined;
  relationFieldId?: string | null | undefined;
  relationFieldKey?: string | null | undefined;
  moduleKey?: string | null | undefined;
  objectKey?: string | null | undefined;
  widgetKey?: string | null | undefined;
  savedQueryId?: string | null | undefined;
};

/** The position and size of a block in a region with a grid. */
export type BlockGrid = {
  [member: string]: unknown;
  colSpan?: number | undefined;
  colStart?: number | undefined;
  rowSpan?: number | undefined;
  rowStart?: number | undefined;
};

/** A block of a layout, with the blocks inside it. Unknown members are kept. */
export interface Block {
  [member: string]: unknown;
  id?: string | undefined;
  type: OpenWord<BlockType>;
  source: OpenWord<BlockSource>;
  /** What the block shows, such as `{ fieldKey: "email" }`. */
  ref?: BlockRef | undefined;
  /** The region of the block. A child has the region of its parent. */
  regionKey?: string | undefined;
  displayOrder?: number | undefined;
  /** The position and size of the block in a region with a grid. */
  grid?: BlockGrid | undefined;
  config?: { [member: string]: unknown } | undefined;
  requiredPolicy?: OpenWord<RequiredPolicy> | undefined;
  /** The modes in which the block is shown. If absent, all modes of the layout. */
  supportedModes?: ModeWord[] | undefined;
  /** The blocks inside a section, column, tab or list of tabs. */
  children?: Block[] | undefined;
}

/** A field change that is applied when the layout is published. Unknown members are kept. */
export type StagedField = {
  [member: string]: unknown;
  /** Identifies the change in its draft. */
  draftId: string;
  action: OpenWord<StagedAction>;
  /** The field that an update, unlink or delete changes. */
  existingFieldDefinitionId?: string | null | undefined;
  scopeId?: string | null | undefined;
  /** Required to create a field, like `key` and `type`. */
  name?: string | undefined;
  key?: string | undefined;
  type?: string | undefined;
  config?: { [member: string]: unknown } | null | undefined;
  presentation?: { [member: string]: unknown } | null | undefined;
  confirmDestructiveChange?: boolean | undefined;
};

/** What a script is bound to. */
export type BindingTarget = {
  [member: string]: unknown;
  blockId?: string | null | undefined;
  fieldKey?: string | null | undefined;
  actionId?: string | null | undefined;
  regionKey?: string | null | undefined;
};

/** A script that a page runs on an event. Unknown members are kept. */
export type ScriptBinding = {
  [member: string]: unknown;
  id?: string | undefined;
  scriptId: string;
  /** The event that starts the script. */
  hook: string;
  target?: BindingTarget | undefined;
  enabled?: boolean | undefined;
  priority?: number | undefined;
  config?: { [member: string]: unknown } | null | undefined;
};

/** The content of a version: a draft without the members of the request, such as the mutation id. */
export type DraftContent = {
  schemaVersion: number;
  regions: Region[];
  blocks: Block[];
  stagedFieldDefinitions: StagedField[];
  scriptBindings: ScriptBinding[];
  metadata: { [member: string]: unknown } | null;
};

/** Counts blocks and levels. Uses no recursion, because very deep blocks are not yet refused. */
export function measureBlocks(blocks: readonly Block[]): { count: number; depth: number } {
  let count = 0;
  let depth = 0;
  const stack: { blocks: readonly Block[]; level: number }[] = [{ blocks, level: 1 }];
  for (let frame = stack.pop(); frame; frame = stack.pop()) {
    if (frame.blocks.length === 0) continue;
    count += frame.blocks.length;
    depth = Math.max(depth, frame.level);
    for (const block of frame.blocks)
      if (block.children) stack.push({ blocks: block.children, level: frame.level + 1 });
  }
  return { count, depth };
}
