/**
 * Checks of fields as inputs. In a mode, a value has at most one input. In CREATE, each required value has an input.
 */

import { type FieldEntry, takesValue } from "../draft-fields.ts";
import { isKnownType } from "../draft-sources.ts";
import { isReadOnly, type BlockNode, CREATE, EDIT, modesOf, VIEW, type ModeSet } from "../draft-tree.ts";
import { type BlockRule, type CheckContext, nameOf, quote } from "./report.ts";

type Seen = { modes: ModeSet; nodes: BlockNode[] };

/**
 * Reports fields with two inputs in CREATE or EDIT, or with two blocks in VIEW. Two blocks without a common mode may
 * show the same field.
 */
export const repeatedFields: BlockRule = ({ fields, report }) => {
  const inputs = new Map<FieldEntry, Seen>();
  const shown = new Map<FieldEntry, Seen>();
  return (node) => {
    const entry = fields.uses[node.number];
    // Unknown fields are reported elsewhere. A relation table next to an input for the relation is valid.
    if (!entry || entry.blocks < 2 || entry.isAbsent || node.block.type !== "field") return;
    const duplicate = takesValue(node, entry) ? findSharing(inputs, entry, node, CREATE | EDIT) : undefined;
    const repeated = findSharing(shown, entry, node, VIEW);
    if (duplicate) {
      const [mode] = modesOf(duplicate.modes & node.modes & (CREATE | EDIT));
      const message = `${mode} has two inputs for ${nameOfField(entry)}: this block and ${nameOf(duplicate)}. Keep one, or set different supportedModes`;
      report.block("FIELD_DUPLICATE", node, ["ref"], message, { mode });
    } else if (repeated) {
      const message = `VIEW shows ${nameOfField(entry)} twice: in this block and in ${nameOf(repeated)}. Keep one`;
      report.block("FIELD_REPEATED_IN_VIEW", node, ["ref"], message, { mode: "VIEW" });
    }
  };
};

/** Returns an earlier block of the same field. The two blocks have one of `modes` in common. */
function findSharing(
  seenByField: Map<FieldEntry, Seen>,
  entry: FieldEntry,
  node: BlockNode,
  modes: ModeSet,
): BlockNode | undefined {
  const own = node.modes & modes;
  if (own === 0) return undefined;
  const seen = seenByField.get(entry);
  if (!seen) {
    seenByField.set(entry, { modes: own, nodes: [node] });
    return undefined;
  }
  const other = seen.nodes.find((one) => one.modes & own);
  // A block is stored if it adds a mode to `seen.modes`. So the number of stored blocks is at most the number of modes.
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
    // If the modes of the layout are unknown, the requirements of CREATE are not checked.
    if (!entry || !isKnownType(node.block.type) || !context.known.modes || !(node.modes & CREATE) || !isRequired(entry))
      return;
    checkReadOnly(context, node, entry);
    if (entry.outsideSidebar & CREATE || inSidebar.has(entry)) return;
    inSidebar.add(entry);
    const message = `CREATE requires ${nameOfField(entry)}, which is only in a sidebar. Move it to another region`;
    context.report.block("SIDEBAR_REQUIRED_FIELD", node, ["regionKey"], message, { mode: "CREATE" });
  };
};

/** Whether a new record needs a value of this field from the user. */
export function isRequired({ field, isDeleted }: FieldEntry): boolean {
  return !!field?.isRequired && !field.hasDefault && !isDeleted && field.type !== "HTML_SECTION";
}

function checkPolicy({ report }: CheckContext, node: BlockNode, entry: FieldEntry, type: string): void {
  const { block, modes } = node;
  const policy = block.requiredPolicy ?? "optional";
  if (type === "HTML_SECTION") {
    if (policy !== "required") return;
    const message = `${nameOfField(entry)} is static text without a value. Set requiredPolicy: optional`;
    report.block("FIELD_NOT_EDITABLE", node, ["requiredPolicy"], message);
  } else if (policy === "optional" && entry.field?.isRequired && modes & (CREATE | EDIT) && takesValue(node, entry)) {
    const message = `${nameOfField(entry)} is required, but its block is optional, and saving without a value fails. Set requiredPolicy: required`;
    report.block("REQUIRED_POLICY_WEAKER", node, ["requiredPolicy"], message);
  }
}

function checkIdlePolicy({ report }: CheckContext, node: BlockNode): void {
  if (node.block.requiredPolicy !== "required" || node.modes !== VIEW) return;
  const message = "the block requires a value, but is shown only in VIEW. Set requiredPolicy: optional";
  report.block("REQUIRED_POLICY_STRICTER", node, ["requiredPolicy"], message, { mode: "VIEW" });
}

function checkReadOnly({ report }: CheckContext, node: BlockNode, entry: FieldEntry): void {
  if (!isReadOnly(node.block) || entry.editable & CREATE) return;
  const message = `CREATE requires ${nameOfField(entry)}, which is read-only and has no default value. Remove config.readOnly`;
  report.block("REQUIRED_FIELD_READONLY", node, ["config", "readOnly"], message, { mode: "CREATE" });
}
