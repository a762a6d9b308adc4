/** Where blocks may take what they show from: which source goes with which type and surface, and what its ref names. */

import type { BlockSource, BlockType } from "./words.ts";
import type { Block } from "./draft.ts";
import type { Surface } from "./layout.ts";

const system = ["system"] as const;
const dashboard = ["dashboard"] as const;

/** docs/decisions.md, "Block types and sources". */
export const SOURCES_OF_TYPE = {
  field: ["dynamic_field", "custom_field", "draft_custom_field", "built_in"],
  relation_table: ["dynamic_relation"],
  tabs: system,
  tab: system,
  section: system,
  column: system,
  button: system,
  action_bar: system,
  custom_html: system,
  builtin: ["built_in", "module"],
  attachments: ["system", "built_in"],
  comments: ["system", "built_in"],
  tasks: ["system", "built_in"],
  dashboard_widget: dashboard,
  counter: dashboard,
  query_table: dashboard,
} as const satisfies Record<BlockType, readonly BlockSource[]>;

const recordPage = ["built_in", "custom_field", "draft_custom_field", "system", "module"] as const;

export const SOURCES_OF_SURFACE = {
  DYNAMIC_OBJECT: ["dynamic_field", "dynamic_relation", "draft_custom_field", "system"],
  DASHBOARD: ["dashboard", "system", "module"],
  CONTRACTOR: recordPage,
  ORGANIZATION: recordPage,
  SALES_INVOICE: recordPage,
  COST_INVOICE: recordPage,
  USER: recordPage,
} as const satisfies Record<Surface, readonly BlockSource[]>;

/** Whether a block of this type can take from this source. */
export function sourceFitsType(block: Block): boolean {
  return sourcesOf(block.type)?.includes(block.source) ?? true;
}

/** The sources that a type of block can take from; undefined for a type that only another server knows. */
export function sourcesOf(type: string): readonly string[] | undefined {
  return Object.hasOwn(SOURCES_OF_TYPE, type) ? SOURCES_OF_TYPE[type as BlockType] : undefined;
}

/** Whether the surface has this source. A surface that is not known has all. */
export function surfaceHasSource(surface: Surface | undefined, source: string): boolean {
  return surface === undefined || (SOURCES_OF_SURFACE[surface] as readonly string[]).includes(source);
}

export type RefMember =
  | "fieldKey"
  | "fieldDefinitionId"
  | "fieldId"
  | "draftFieldDefinitionId"
  | "builtInFieldKey"
  | "componentKey"
  | "relationFieldKey"
  | "moduleKey"
  | "widgetKey"
  | "savedQueryId";

const NOTHING: readonly RefMember[] = [];

// The first member that is there counts; the others are then not read.
const MEMBERS_OF_SOURCE: Record<BlockSource, readonly RefMember[]> = {
  dynamic_field: ["fieldKey"],
  custom_field: ["fieldKey", "fieldDefinitionId", "fieldId"],
  draft_custom_field: ["draftFieldDefinitionId"],
  dynamic_relation: ["relationFieldKey"],
  built_in: ["builtInFieldKey"],
  module: ["moduleKey"],
  dashboard: ["widgetKey", "componentKey", "savedQueryId"],
  system: NOTHING,
};

/** The members of `ref` of which a block needs one; none for blocks that are what their type says. */
export function refMembers(block: Block): readonly RefMember[] {
  // Another server may know more sources.
  if (!Object.hasOwn(MEMBERS_OF_SOURCE, block.source)) return NOTHING;
  if (block.source !== "built_in" || block.type === "field") return MEMBERS_OF_SOURCE[block.source as BlockSource];
  return block.type === "builtin" ? ["componentKey"] : NOTHING;
}

/** The member that names what a block shows. */
export function namingMember(block: Block): RefMember | undefined {
  const { ref } = block;
  if (!ref) return undefined;
  for (const member of refMembers(block)) if (ref[member]) return member;
  return undefined;
}

/** The same, with its text. */
export function namedBy(block: Block): { member: RefMember; text: string } | undefined {
  const member = namingMember(block);
  return member && { member, text: block.ref![member]! };
}
