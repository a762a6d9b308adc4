/** Rules about fields as inputs: one for each value, and what is required can be given. */

import { type FieldEntry, takesValue } from "../draft-fields.ts";
import { isKnownType } from "../draft-sources.ts";
import { isReadOnly, type BlockNode, CREATE, EDIT, modesOf, VIEW, type ModeSet } from "../draft-tree.ts";
import { type BlockRule, type CheckContext, nameOf, quote } from "./report.ts";

type Seen = { modes: ModeSet; nodes: BlockNode[] };

/** Two blocks for one field are right when no mode has both. */
export const repeatedFields: BlockRule = ({ fields, report }) => {
  const inputs = new Map<FieldEntry, Seen>();
  const shown = new Map<FieldEntry, Seen>();
  return (node) => {
    const entry = fields.uses[node.number];
    // An unknown field is told already, and the records of a relation may well be listed beside the input for it.
    if (!entry || entry.blocks < 2 || entry.isAbsent || node.block.type !== "field") return;
    const twin = takesValue(node, entry) ? meet(inputs, entry, node, CREATE | EDIT) : undefined;
    const double = meet(shown, entry, node, VIEW);
    if (twin) {
      const [mode] = modesOf(twin.modes & node.modes & (CREATE | EDIT));
      const message = `${mode} has two inputs for ${nameOfField(entry)}, this and ${nameOf(twin)} - keep one, or give them different supportedModes`;
      report.block("FIELD_DUPLICATE", node, ["ref"], message, { mode });
    } else if (double) {
      const message = `VIEW shows ${nameOfField(entry)} twice, here and in ${nameOf(double)} - keep one`;
      report.block("FIELD_REPEATED_IN_VIEW", node, ["ref"], message, { mode: "VIEW" });
    }
  };
};

/** The earlier block of the field that shares one of `modes` with this one. */
function meet(met: Map<FieldEntry, Seen>, entry: FieldEntry, node: BlockNode, modes: ModeSet): BlockNode | undefined {
  const own = node.modes & modes;
  if (own === 0) return undefined;
  const seen = met.get(entry);
  if (!seen) {
    met.set(entry, { modes: own, nodes: [node] });
    return undefined;
  }
  const other = seen.nodes.find((one) => one.modes & own);
  // Only a block with a new mode can be found later where the others are not: `nodes` stays as short as the modes.
  if ((seen.modes | own) !== seen.modes) seen.nodes.push(node);
  seen.modes |= own;
  return other;
}

function nameOfField(entry: FieldEntry): string {
  return entry.key === undefined ? "the field" : quote(entry.key);
}

export const requiredFields: BlockRule = (context) => {
  const { fields } = context;
  const inSidebar = new Set<FieldEntry>();
  return (node) => {
    const entry = fields.uses[node.number];
    if (entry?.field && node.block.type === "field") checkPolicy(context, node, entry, entry.field.type);
    checkIdlePolicy(context, node);
    // Whether the layout serves CREATE at all is not known: what CREATE requires is then not asked.
    if (!entry || !isKnownType(node.block.type) || !context.known.modes || !(node.modes & CREATE) || !isRequired(entry))
      return;
    checkReadOnly(context, node, entry);
    if (entry.outsideSidebar & CREATE || inSidebar.has(entry)) return;
    inSidebar.add(entry);
    const message = `CREATE requires ${nameOfField(entry)}, which is only in a sidebar - move it where everybody looks`;
    context.report.block("SIDEBAR_REQUIRED_FIELD", node, ["regionKey"], message, { mode: "CREATE" });
  };
};

/** Whether a record can't be made without a value from the person. */
export function isRequired({ field, isDeleted }: FieldEntry): boolean {
  return !!field?.isRequired && !field.hasDefault && !isDeleted && field.type !== "HTML_SECTION";
}

function checkPolicy({ report }: CheckContext, node: BlockNode, entry: FieldEntry, type: string): void {
  const { block, modes } = node;
  const policy = block.requiredPolicy ?? "optional";
  if (type === "HTML_SECTION") {
    if (policy !== "required") return;
    const message = `${nameOfField(entry)} is text on the page and holds no value that could be required - make it optional`;
    report.block("FIELD_NOT_EDITABLE", node, ["requiredPolicy"], message);
  } else if (policy === "optional" && entry.field?.isRequired && modes & (CREATE | EDIT) && takesValue(node, entry)) {
    const message = `${nameOfField(entry)} is required, but optional here, and saving without it fails - set requiredPolicy: required`;
    report.block("REQUIRED_POLICY_WEAKER", node, ["requiredPolicy"], message);
  }
}

function checkIdlePolicy({ report }: CheckContext, node: BlockNode): void {
  if (node.block.requiredPolicy !== "required" || node.modes !== VIEW) return;
  const message = "a value is required, but the block is only in VIEW, where none is given - make it optional";
  report.block("REQUIRED_POLICY_STRICTER", node, ["requiredPolicy"], message, { mode: "VIEW" });
}

function checkReadOnly({ report }: CheckContext, node: BlockNode, entry: FieldEntry): void {
  if (!isReadOnly(node.block) || entry.editable & CREATE) return;
  const message = `CREATE requires ${nameOfField(entry)}, which has no default and is only shown - take config.readOnly out`;
  report.block("REQUIRED_FIELD_READONLY", node, ["config", "readOnly"], message, { mode: "CREATE" });
}
