/** The schemas of drafts: regions, blocks, staged fields and script bindings (R35-R44). */

import * as z from "zod/mini";
import {
  BINDING_KEYS,
  BLOCK_SOURCES,
  BLOCK_TYPES,
  MAX_BLOCKS,
  MAX_NESTING,
  MAX_REGIONS,
  MAX_SCRIPT_BINDINGS,
  MAX_STAGED_FIELDS,
  REF_MEMBERS,
  REGION_LAYOUTS,
  REQUIRED_POLICIES,
  SCHEMA_VERSION,
  STAGED_ACTIONS,
  type BlockSource,
  type BlockType,
  type ModeWord,
  type Open,
  type OpenWord,
} from "./words.ts";
import { Mode } from "./form.ts";
import { ClientMutationId, FieldKey, FreeObject, Identifier, membersOf, Name } from "./text.ts";

/** Unknown members are kept. A save replaces the whole draft, so members that the schema dropped would be lost. */
export const Region = z.looseObject({
  key: Identifier,
  label: z.optional(z.nullable(z.string())),
  layout: z.enum(REGION_LAYOUTS),
  columns: z.optional(z.nullable(z.int("must be a whole number").check(z.minimum(1, "must be at least 1")))),
  displayOrder: z.optional(z.int("must be a whole number")),
  config: z.optional(FreeObject),
});
export type Region = Open<z.infer<typeof Region>>;

const Ref = z.looseObject(membersOf(REF_MEMBERS, z.optional(z.nullable(z.string()))));

/** The grid position of a block. Invalid numbers are diagnostics of the draft (COLSPAN_INVALID), not shape errors. */
const Grid = z.looseObject({
  colSpan: z.optional(z.number()),
  colStart: z.optional(z.number()),
  rowSpan: z.optional(z.number()),
  rowStart: z.optional(z.number()),
});

/**
 * The schemas of the enumerations that another server may extend. The API document lists types, sources and policies
 * incompletely (R38, R39, R42). Some servers have additional modes.
 */
type Words = {
  type: z.ZodMiniType<string, string>;
  source: z.ZodMiniType<string, string>;
  requiredPolicy: z.ZodMiniType<string, string>;
  mode: z.ZodMiniType<string, string>;
};

type RefMembers = { [Member in (typeof REF_MEMBERS)[number]]?: string | null | undefined };
type GridMembers = {
  colSpan?: number | undefined;
  colStart?: number | undefined;
  rowSpan?: number | undefined;
  rowStart?: number | undefined;
};

/**
 * A block of a layout, with the blocks inside it. Unknown members are kept. This type is written by hand: the type of a
 * recursive schema is `any` in the declarations of the package.
 */
export interface Block {
  [member: string]: unknown;
  id?: string | undefined;
  type: OpenWord<BlockType>;
  source: OpenWord<BlockSource>;
  /** What the block shows, such as `{ fieldKey: "email" }`. */
  ref?: (RefMembers & { [member: string]: unknown }) | undefined;
  /** The region of the block. A child has the region of its parent. */
  regionKey?: string | undefined;
  displayOrder?: number | undefined;
  /** The position and size of the block in a region with a grid. */
  grid?: (GridMembers & { [member: string]: unknown }) | undefined;
  config?: { [member: string]: unknown } | undefined;
  requiredPolicy?: OpenWord<(typeof REQUIRED_POLICIES)[number]> | undefined;
  /** The modes in which the block is shown. If absent, all modes of the layout. */
  supportedModes?: ModeWord[] | undefined;
  /** The blocks inside a section, column, tab or list of tabs. */
  children?: Block[] | undefined;
}

/** The schema of blocks. Its type is given, so that the declarations of the package refer to `Block`. */
type BlockSchema = z.ZodMiniType<Block, Block> & { readonly shape: z.core.$ZodShape };

function blockOf({ type, source, requiredPolicy, mode }: Words): BlockSchema {
  const Self = z.looseObject({
    id: z.optional(Identifier),
    type,
    source,
    ref: z.optional(Ref),
    regionKey: z.optional(z.string()),
    displayOrder: z.optional(z.int("must be a whole number")),
    grid: z.optional(Grid),
    config: z.optional(FreeObject),
    requiredPolicy: z.optional(requiredPolicy),
    supportedModes: z.optional(z.array(mode)),
    get children() {
      return z.optional(z.array(Self));
    },
  });
  return Self;
}

export const Block: BlockSchema = blockOf({
  type: z.enum(BLOCK_TYPES),
  source: z.enum(BLOCK_SOURCES),
  requiredPolicy: z.enum(REQUIRED_POLICIES),
  mode: Mode,
});

/** A field change that is applied when the layout is published (docs/decisions.md, "Staged fields"). */
export const StagedField = z
  .looseObject({
    draftId: Identifier,
    action: z.enum(STAGED_ACTIONS),
    existingFieldDefinitionId: z.optional(z.nullable(z.string())),
    scopeId: z.optional(z.nullable(z.string())),
    name: z.optional(Name),
    key: z.optional(FieldKey),
    type: z.optional(z.string()),
    config: z.optional(z.nullable(FreeObject)),
    presentation: z.optional(z.nullable(FreeObject)),
    confirmDestructiveChange: z.optional(z.boolean()),
  })
  .check(
    z.check((context) => {
      if (context.value.action !== "create") return;
      for (const member of ["name", "key", "type"] as const) {
        if (context.value[member] !== undefined) continue;
        context.issues.push({
          code: "custom",
          input: undefined,
          path: [member],
          message: "is required to create a field",
        });
      }
    }),
  );
export type StagedField = Open<z.infer<typeof StagedField>>;

export const ScriptBinding = z.looseObject({
  id: z.optional(Identifier),
  scriptId: z.string().check(z.minLength(1, "must not be empty")),
  hook: z.string().check(z.minLength(1, "must not be empty")),
  target: z.optional(z.looseObject(membersOf(BINDING_KEYS, z.optional(z.nullable(z.string()))))),
  enabled: z.optional(z.boolean()),
  priority: z.optional(z.int("must be a whole number")),
  config: z.optional(z.nullable(FreeObject)),
});
export type ScriptBinding = z.infer<typeof ScriptBinding>;

/** The content of a version: a draft without the members of the request, such as the mutation id. */
export const DraftContent = z.object({
  schemaVersion: z.int(),
  regions: z.array(Region),
  blocks: z.array(Block),
  stagedFieldDefinitions: z.array(StagedField),
  scriptBindings: z.array(ScriptBinding),
  metadata: z.nullable(FreeObject),
});
export type DraftContent = {
  schemaVersion: number;
  regions: Region[];
  blocks: Block[];
  stagedFieldDefinitions: StagedField[];
  scriptBindings: ScriptBinding[];
  metadata: { [member: string]: unknown } | null;
};

/** Returns the members of a draft, with `block` as the schema of blocks. */
function draftMembers<V extends z.ZodMiniType<number>>(schemaVersion: V, block: BlockSchema) {
  return {
    schemaVersion,
    regions: z.array(Region).check(z.maxLength(MAX_REGIONS, `must have at most ${MAX_REGIONS} regions`)),
    blocks: z.array(block).check(z.check(checkSize)),
    stagedFieldDefinitions: z._default(
      z
        .array(StagedField)
        .check(z.maxLength(MAX_STAGED_FIELDS, `must have at most ${MAX_STAGED_FIELDS} staged fields`)),
      [],
    ),
    scriptBindings: z._default(
      z
        .array(ScriptBinding)
        .check(z.maxLength(MAX_SCRIPT_BINDINGS, `must have at most ${MAX_SCRIPT_BINDINGS} bindings`)),
      [],
    ),
    metadata: z._default(z.nullable(FreeObject), null),
  };
}

function checkSize({ value, issues }: z.core.ParsePayload<Block[]>): void {
  const { count, depth } = measureBlocks(value);
  const addIssue = (message: string) => issues.push({ code: "custom", input: undefined, path: [], message });
  if (count > MAX_BLOCKS) addIssue(`must have at most ${MAX_BLOCKS} blocks including children, not ${count}`);
  if (depth > MAX_NESTING) addIssue(`must be nested at most ${MAX_NESTING} levels deep, not ${depth}`);
}

const knownMembers = draftMembers(
  z.literal(SCHEMA_VERSION, {
    error: ({ input }) =>
      input === undefined ? "is required. Set schemaVersion: 1" : "must be 1, the only supported schema version",
  }),
  Block,
);

/** A draft file. The mutation id is optional, because the commands generate one. */
export const DraftFile = z.strictObject({ clientMutationId: z.optional(ClientMutationId), ...knownMembers });

const word = z.string().check(z.minLength(1, "must not be empty"));

/** A draft file for another server, which may support more types, sources, policies, modes and schema versions. */
export const OpenDraftFile = z.strictObject({
  clientMutationId: z.optional(ClientMutationId),
  ...draftMembers(
    z.int("must be a whole number").check(z.minimum(1, "must be at least 1")),
    blockOf({ type: word, source: word, requiredPolicy: word, mode: word }),
  ),
});

/** The request body that saves a draft. It replaces the previous draft (R51). */
export const Draft = z.strictObject({
  clientMutationId: ClientMutationId,
  /** The id of the draft to replace. Null if no draft may exist. If absent, the current draft is not checked. */
  expectedDraftVersionId: z.optional(z.nullable(Identifier)),
  ...knownMembers,
});
export type Draft = z.output<typeof Draft>;

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
