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
} from "./words.ts";
import { type Block as BlockOfAnyServer, measureBlocks } from "./draft.ts";
import { Mode } from "./form-schema.ts";
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

/** The schema of blocks. Its type is given, so that the declarations of the package refer to `Block`. */
type BlockSchema = z.ZodMiniType<BlockOfAnyServer, BlockOfAnyServer> & { readonly shape: z.core.$ZodShape };

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

export const ScriptBinding = z.looseObject({
  id: z.optional(Identifier),
  scriptId: z.string().check(z.minLength(1, "must not be empty")),
  hook: z.string().check(z.minLength(1, "must not be empty")),
  target: z.optional(z.looseObject(membersOf(BINDING_KEYS, z.optional(z.nullable(z.string()))))),
  enabled: z.optional(z.boolean()),
  priority: z.optional(z.int("must be a whole number")),
  config: z.optional(z.nullable(FreeObject)),
});

/** The content of a version: a draft without the members of the request, such as the mutation id. */
export const DraftContent = z.object({
  schemaVersion: z.int(),
  regions: z.array(Region),
  blocks: z.array(Block),
  stagedFieldDefinitions: z.array(StagedField),
  scriptBindings: z.array(ScriptBinding),
  metadata: z.nullable(FreeObject),
});

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

function checkSize({ value, issues }: z.core.ParsePayload<BlockOfAnyServer[]>): void {
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
