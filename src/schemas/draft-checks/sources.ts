/** Checks of the content of blocks: source, ref, and the field that the ref names (R39). */

import type { FieldEntry } from "../draft-fields.ts";
import {
  isKnownBlock,
  isKnownSource,
  namedBy,
  namingMember,
  refMembers,
  sourceFitsType,
  SOURCES_OF_SURFACE,
  sourcesOf,
  surfaceHasSource,
} from "../draft-sources.ts";
import type { BlockNode } from "../draft-tree.ts";
import { type BlockRule, type CheckContext, list, quote, nextStep } from "./report.ts";

export const sources: BlockRule = ({ known, report }) => {
  const { surface } = known;
  return (node) => {
    const { block } = node;
    if (!isKnownBlock(block)) return;
    const fits = sourceFitsType(block);
    if (!fits) {
      const message = `a block of type ${block.type} can't have the source ${block.source}. Valid sources: ${list(sourcesOf(block.type) ?? [])}`;
      report.block("SOURCE_TYPE_MISMATCH", node, ["source"], message);
    }
    if (surface && !surfaceHasSource(surface, block.source)) {
      const message = `the surface ${surface} does not support the source ${block.source}. Valid sources: ${list(SOURCES_OF_SURFACE[surface])}`;
      report.block("SOURCE_NOT_ALLOWED", node, ["source"], message);
    }
    const members = refMembers(block);
    if (!fits || members.length === 0 || namingMember(block)) return;
    const message = `a block of type ${block.type} with the source ${block.source} requires ref.${members.join(" or ref.")}. Set it to what the block shows`;
    report.block("REF_MISSING", node, ["ref", members[0]!], message);
  };
};

export const fieldRefs: BlockRule = (context) => {
  const { fields } = context;
  return (node) => {
    const { block } = node;
    if (!isKnownSource(block.source)) return;
    if (block.type !== "field" && block.type !== "relation_table") return;
    const entry = fields.uses[node.number];
    if (entry && block.type === "field") checkField(context, node, entry);
    else if (entry) checkRelation(context, node, entry);
    else checkStagedRef(context, node);
  };
};

function isRelation(entry: FieldEntry): boolean {
  return entry.field?.type === "REFERENCE" || entry.field?.type === "SUBORDINATE_OBJECT_REFERENCE";
}

/** Returns the keys of the known fields and of the new staged fields. */
function keysOf(entries: readonly FieldEntry[]): string[] {
  return entries.flatMap(({ field }) => (field ? [field.key] : []));
}

function checkField({ fields, report }: CheckContext, node: BlockNode, entry: FieldEntry): void {
  if (!entry.isAbsent && entry.field?.type !== "SUBORDINATE_OBJECT_REFERENCE") return;
  const name = namedBy(node.block);
  if (name && entry.isAbsent) {
    const known = name.member === "fieldKey" ? keysOf(fields.entries) : [];
    const message = `unknown field ${quote(name.text)}. ${nextStep(name.text, known, "Valid fields", "Create the field, or stage it")}`;
    report.block("FIELD_UNKNOWN", node, ["ref", name.member], message);
  }
  if (name && entry.field?.type === "SUBORDINATE_OBJECT_REFERENCE") {
    const message = `the field ${quote(entry.field.key)} contains subordinate records. Use a relation_table with the source dynamic_relation`;
    report.block("SUBORDINATE_AS_FIELD", node, ["type"], message);
  }
}

function checkRelation({ fields, report }: CheckContext, node: BlockNode, entry: FieldEntry): void {
  const name = namedBy(node.block);
  if (!name || (entry.isAbsent ? false : !entry.field || isRelation(entry))) return;
  const fact = entry.field
    ? `the field ${quote(name.text)} of type ${entry.field.type} is not a relation`
    : `unknown field ${quote(name.text)}`;
  const relations = keysOf(fields.entries.filter(isRelation));
  const step = nextStep(name.text, relations, "Relations", "A REFERENCE or SUBORDINATE_OBJECT_REFERENCE is required");
  report.block("RELATION_UNKNOWN", node, ["ref", name.member], `${fact}. ${step}`);
}

function checkStagedRef({ fields, report }: CheckContext, node: BlockNode): void {
  const name = namedBy(node.block);
  if (name?.member !== "draftFieldDefinitionId" || !sourceFitsType(node.block) || fields.stagedById.has(name.text))
    return;
  const draftIds = [...fields.stagedById.keys()];
  const message = `unknown staged field ${quote(name.text)}. ${nextStep(name.text, draftIds, "Staged fields", "Stage the field")}`;
  report.block("STAGED_REF_UNKNOWN", node, ["ref", name.member], message);
}
