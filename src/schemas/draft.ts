/** A layout's draft: regions, the blocks in them, fields staged with them, scripts bound to them (R35-R44). */

import * as z from "zod/mini";
import {
  BLOCK_SOURCES,
  BLOCK_TYPES,
  MAX_BLOCKS,
  MAX_NESTING,
  MAX_REGIONS,
  MAX_SCRIPT_BINDINGS,
  MAX_STAGED_FIELDS,
  REGION_LAYOUTS,
  REQUIRED_POLICIES,
  STAGED_ACTIONS,
} from "./words.ts";
import { Mode } from "./form.ts";
import type { Open } from "./open.ts";
import { ClientMutationId, FieldKey, FreeObject, Identifier, Name } from "./text.ts";

/** Unknown members are kept: the whole draft is replaced at each save, and what is dropped here would be lost. */
export const Region = z.looseObject({
  key: Identifier,
  label: z.optional(z.nullable(z.string())),
  layout: z.enum(REGION_LAYOUTS),
  columns: z.optional(z.nullable(z.int("must be a whole number").check(z.minimum(1, "must be at least 1")))),
  displayOrder: z.optional(z.int("must be a whole number")),
  config: z.optional(FreeObject),
});
export type Region = Open<z.infer<typeof Region>>;

const Ref = z.looseObject({
  componentKey: z.optional(z.nullable(z.string())),
  builtInFieldKey: z.optional(z.nullable(z.string())),
  fieldId: z.optional(z.nullable(z.string())),
  fieldKey: z.optional(z.nullable(z.string())),
  fieldDefinitionId: z.optional(z.nullable(z.string())),
  draftFieldDefinitionId: z.optional(z.nullable(z.string())),
  relationFieldId: z.optional(z.nullable(z.string())),
  relationFieldKey: z.optional(z.nullable(z.string())),
  moduleKey: z.optional(z.nullable(z.string())),
  objectKey: z.optional(z.nullable(z.string())),
  widgetKey: z.optional(z.nullable(z.string())),
  savedQueryId: z.optional(z.nullable(z.string())),
});

/** Positions in the grid. Wrong numbers are complaints about the draft (COLSPAN_INVALID), not about its shape. */
const Grid = z.looseObject({
  colSpan: z.optional(z.number()),
  colStart: z.optional(z.number()),
  rowSpan: z.optional(z.number()),
  rowStart: z.optional(z.number()),
});

export const Block = z.looseObject({
  id: z.optional(Identifier),
  type: z.enum(BLOCK_TYPES),
  source: z.enum(BLOCK_SOURCES),
  ref: z.optional(Ref),
  regionKey: z.optional(z.string()),
  displayOrder: z.optional(z.int("must be a whole number")),
  grid: z.optional(Grid),
  config: z.optional(FreeObject),
  requiredPolicy: z.optional(z.enum(REQUIRED_POLICIES)),
  supportedModes: z.optional(z.array(Mode)),
  get children() {
    return z.optional(z.array(Block));
  },
});
export type Block = Open<z.infer<typeof Block>>;

/** A change of a field that is made when the layout is published (docs/decisions.md, "Staged fields"). */
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
  target: z.optional(
    z.looseObject({
      blockId: z.optional(z.nullable(z.string())),
      fieldKey: z.optional(z.nullable(z.string())),
      actionId: z.optional(z.nullable(z.string())),
      regionKey: z.optional(z.nullable(z.string())),
    }),
  ),
  enabled: z.optional(z.boolean()),
  priority: z.optional(z.int("must be a whole number")),
  config: z.optional(z.nullable(FreeObject)),
});
export type ScriptBinding = z.infer<typeof ScriptBinding>;

/** What a version holds: a draft without the request's own members. */
export const DraftContent = z.object({
  schemaVersion: z.int(),
  regions: z.array(Region),
  blocks: z.array(Block),
  stagedFieldDefinitions: z.array(StagedField),
  scriptBindings: z.array(ScriptBinding),
  metadata: z.nullable(FreeObject),
});
export type DraftContent = Open<z.infer<typeof DraftContent>>;

const draftMembers = {
  schemaVersion: z.literal(1, {
    error: ({ input }) =>
      input === undefined ? "is required, and is 1" : "must be 1, the only schema version that this service knows",
  }),
  regions: z.array(Region).check(z.maxLength(MAX_REGIONS, `must be at most ${MAX_REGIONS} regions`)),
  blocks: z.array(Block).check(
    z.check((context) => {
      const { count, depth } = measureBlocks(context.value);
      if (count > MAX_BLOCKS) {
        context.issues.push({
          code: "custom",
          input: undefined,
          path: [],
          message: `must be at most ${MAX_BLOCKS} blocks, children included; there are ${count}`,
        });
      }
      if (depth > MAX_NESTING) {
        context.issues.push({
          code: "custom",
          input: undefined,
          path: [],
          message: `must be nested at most ${MAX_NESTING} levels deep; there are ${depth}`,
        });
      }
    }),
  ),
  stagedFieldDefinitions: z._default(
    z.array(StagedField).check(z.maxLength(MAX_STAGED_FIELDS, `must be at most ${MAX_STAGED_FIELDS} staged fields`)),
    [],
  ),
  scriptBindings: z._default(
    z.array(ScriptBinding).check(z.maxLength(MAX_SCRIPT_BINDINGS, `must be at most ${MAX_SCRIPT_BINDINGS} bindings`)),
    [],
  ),
  metadata: z._default(z.nullable(FreeObject), null),
};

/** A draft as a file holds it: the mutation id is the command's to make. */
export const DraftFile = z.strictObject({ clientMutationId: z.optional(ClientMutationId), ...draftMembers });

/** The body that saves a draft. It replaces all earlier content (R51). */
export const Draft = z.strictObject({
  clientMutationId: ClientMutationId,
  /** The draft that is to be replaced; null: there must be none. */
  expectedDraftVersionId: z.optional(z.nullable(Identifier)),
  ...draftMembers,
});
export type Draft = z.output<typeof Draft>;

/** How many blocks a tree has, and how many levels. Walks with a stack of its own: depth is not bounded yet. */
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
