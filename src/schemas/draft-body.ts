/** Converts a version to a draft body, the format of `layouts draft push`. */

import type { Block, DraftContent } from "./draft.ts";
import { Block as BlockSchema, Region, ScriptBinding, StagedField } from "./draft-schema.ts";

const REGION_MEMBERS = Object.keys(Region.shape);
const BLOCK_MEMBERS = Object.keys(BlockSchema.shape);
const STAGED_MEMBERS = Object.keys(StagedField.shape);
const BINDING_MEMBERS = Object.keys(ScriptBinding.shape);

/**
 * Returns the content of a version without its id, number, status and dates. Members have the order of the API
 * document: a block begins with its id and ends with its children.
 */
export function draftBody(version: DraftContent): DraftContent {
  const { schemaVersion, metadata } = version;
  return {
    schemaVersion,
    regions: version.regions.map((region) => ordered(region, REGION_MEMBERS)),
    blocks: version.blocks.map(orderedBlock),
    stagedFieldDefinitions: version.stagedFieldDefinitions.map((staged) => ordered(staged, STAGED_MEMBERS)),
    scriptBindings: version.scriptBindings.map((binding) => ordered(binding, BINDING_MEMBERS)),
    metadata,
  };
}

/**
 * Returns the content of a version as the body of a draft. If the version is not a draft, the staged fields are left
 * out. A publish has already applied them.
 */
export function asDraft(version: DraftContent & { status?: string | undefined }): DraftContent {
  const isApplied = version.status !== undefined && version.status !== "DRAFT";
  return draftBody(isApplied ? { ...version, stagedFieldDefinitions: [] } : version);
}

function orderedBlock({ children, ...block }: Block): Block {
  const own = ordered(block, BLOCK_MEMBERS) as Block;
  return children ? { ...own, children: children.map(orderedBlock) } : own;
}

/** Returns a copy of the value with `members` first, in their order. */
function ordered<T extends object>(value: T, members: readonly string[]): T {
  const known: Partial<T> = {};
  for (const member of members as (keyof T & string)[]) if (Object.hasOwn(value, member)) known[member] = value[member];
  return { ...known, ...value };
}
