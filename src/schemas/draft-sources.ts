/** Defines the types, the surfaces and the ref members of each block source. */

import type { BlockSource, BlockType } from "./words.ts";
import type { Block } from "./draft.ts";
import type { Surface } from "./layout.ts";

const system = ["system"] as const;
const dashboard = ["dashboard"] as const;

/** The sources that each block type supports (docs/decisions.md, "Block types and sources"). */
const SOURCES_OF_TYPE = {
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

export function isKnownType(type: string): type is BlockType {
  return Object.hasOwn(SOURCES_OF_TYPE, type);
}

export function isKnownSource(source: string): source is BlockSource {
  return Object.hasOwn(MEMBERS_OF_SOURCE, source);
}

/** Whether the type of a block supports its source. Unknown types and sources are always accepted. */
export function sourceFitsType({ type, source }: Block): boolean {
  return !isKnownSource(source) || (sourcesOf(type)?.includes(source) ?? true);
}

/** Returns the sources of a block type. Undefined for an unknown type. */
export function sourcesOf(type: string): readonly string[] | undefined {
  return isKnownType(type) ? SOURCES_OF_TYPE[type] : undefined;
}

/** Whether the surface supports a source. Unknown surfaces and sources are always accepted. */
export function surfaceHasSource(surface: Surface | undefined, source: string): boolean {
  if (surface === undefined || !isKnownSource(source)) return true;
  return (SOURCES_OF_SURFACE[surface] as readonly string[]).includes(source);
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

// The ref members that can name the content of a block. The first member with a value is used.
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

/**
 * Returns the members of `ref` that can name the content of a block. Returns none if a block of this type and source
 * needs no ref. Returns all members if the type or source is unknown.
 */
export function refMembers({ type, source }: Block): readonly RefMember[] {
  if (!isKnownSource(source)) return ANY_MEMBER;
  if (source !== "built_in" || type === "field") return MEMBERS_OF_SOURCE[source];
  if (!isKnownType(type)) return ANY_MEMBER;
  return type === "builtin" ? ["componentKey"] : NOTHING;
}

/** Whether both the type and the source of a block are in the lists of words.ts. */
export function isKnownBlock({ type, source }: Block): boolean {
  return isKnownType(type) && isKnownSource(source);
}

const ANY_MEMBER: readonly RefMember[] = [...new Set(Object.values(MEMBERS_OF_SOURCE).flat())];

/** Returns the member of `ref` that names the content of a block. */
export function namingMember(block: Block): RefMember | undefined {
  const { ref } = block;
  if (!ref) return undefined;
  for (const member of refMembers(block)) if (ref[member]) return member;
  return undefined;
}

/** Returns the member of `ref` that names the content of a block, and its value. */
export function namedBy(block: Block): { member: RefMember; text: string } | undefined {
  const member = namingMember(block);
  return member && { member, text: block.ref![member]! };
}
