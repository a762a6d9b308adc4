/** Rules about what a block takes its content from: source, ref, and the field that the ref names (R39). */

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
      const message = `a ${block.type} can't take from ${block.source} - take one of ${list(sourcesOf(block.type) ?? [])}`;
      report.block("SOURCE_TYPE_MISMATCH", node, ["source"], message);
    }
    if (surface && !surfaceHasSource(surface, block.source)) {
      const message = `${surface} has no ${block.source} - take one of ${list(SOURCES_OF_SURFACE[surface])}`;
      report.block("SOURCE_NOT_ALLOWED", node, ["source"], message);
    }
    const members = refMembers(block);
    if (!fits || members.length === 0 || namingMember(block)) return;
    const message = `a ${block.type} from ${block.source} needs ref.${members.join(" or ref.")} - say what it shows`;
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

/** The keys of the fields as publishing would leave them. */
function keysOf(entries: readonly FieldEntry[]): string[] {
  return entries.flatMap(({ field }) => (field ? [field.key] : []));
}

function checkField({ fields, report }: CheckContext, node: BlockNode, entry: FieldEntry): void {
  if (!entry.isAbsent && entry.field?.type !== "SUBORDINATE_OBJECT_REFERENCE") return;
  const name = namedBy(node.block);
  if (name && entry.isAbsent) {
    const known = name.member === "fieldKey" ? keysOf(fields.entries) : [];
    const message = `${name.member} ${quote(name.text)} is no field - ${nextStep(name.text, known, "take one of", "create it, or stage it")}`;
    report.block("FIELD_UNKNOWN", node, ["ref", name.member], message);
  }
  if (name && entry.field?.type === "SUBORDINATE_OBJECT_REFERENCE") {
    const message = `${quote(entry.field.key)} holds subordinate records - show it by a relation_table with source dynamic_relation`;
    report.block("SUBORDINATE_AS_FIELD", node, ["type"], message);
  }
}

function checkRelation({ fields, report }: CheckContext, node: BlockNode, entry: FieldEntry): void {
  const name = namedBy(node.block);
  if (!name || (entry.isAbsent ? false : !entry.field || isRelation(entry))) return;
  const fact = entry.field
    ? `relationFieldKey ${quote(name.text)} is of type ${quote(entry.field.type)} and refers to no records`
    : `relationFieldKey ${quote(name.text)} is no field`;
  const relations = keysOf(fields.entries.filter(isRelation));
  const exit = nextStep(name.text, relations, "take one of", "it needs a REFERENCE or SUBORDINATE_OBJECT_REFERENCE");
  report.block("RELATION_UNKNOWN", node, ["ref", name.member], `${fact} - ${exit}`);
}

function checkStagedRef({ fields, report }: CheckContext, node: BlockNode): void {
  const name = namedBy(node.block);
  if (name?.member !== "draftFieldDefinitionId" || !sourceFitsType(node.block) || fields.stagedById.has(name.text))
    return;
  const draftIds = [...fields.stagedById.keys()];
  const message = `draftFieldDefinitionId ${quote(name.text)} is not staged - ${nextStep(name.text, draftIds, "staged are", "stage it")}`;
  report.block("STAGED_REF_UNKNOWN", node, ["ref", name.member], message);
}
