/** Checks of modes. Each block is shown in a mode (R43), and each mode of the layout can be used. */

import { MODES } from "../words.ts";
import { modeContent } from "../draft-modes.ts";
import { CREATE, modeSet, modesOf, ownModes } from "../draft-tree.ts";
import { type CheckContext, quote, type BlockRule } from "./report.ts";
import { isRequired } from "./inputs.ts";

export function checkModes(context: CheckContext): void {
  const { known, tree, fields, report } = context;
  if (!known.modes) return;
  const { content, editable } = modeContent(tree, fields);
  for (const mode of MODES) {
    if (!known.modes.includes(mode)) continue;
    // A form for EDIT may cover a part of the record. Only CREATE needs all required values.
    if (mode === "CREATE") checkRequired(context);
    if (!(content & modeSet([mode]))) {
      const message = `${mode} has no content and can't be used. Add a block for the mode, or remove the mode from the layout`;
      report.at("MODE_EMPTY", ["blocks"], message, { mode });
    } else if (mode !== "VIEW" && !(editable & modeSet([mode]))) {
      const message = `${mode} has no inputs and can't be used. Add a field that is not read-only, or a relation table`;
      report.at("MODE_NO_EDITABLE_FIELD", ["blocks"], message, { mode });
    }
  }
}

function checkRequired({ fields, report }: CheckContext): void {
  for (const entry of fields.entries) {
    if (report.isFull()) return;
    if (!isRequired(entry) || entry.shown & CREATE) continue;
    const key = entry.key ?? "";
    const step = entry.blocks > 0 ? "Add CREATE to the supportedModes of its block" : "Add a field block";
    const message = `${quote(key)} is required and has no default value, but CREATE does not show it. ${step}`;
    report.at("REQUIRED_FIELD_MISSING", ["blocks"], message, { mode: "CREATE", meta: { fieldKey: key } });
  }
}

export const reachability: BlockRule = ({ known, report }) => {
  const served = known.modes && modeSet(known.modes);
  return (node) => {
    const { block, parent, modes } = node;
    const steps = ["supportedModes"];
    // This is only a warning. If a form loses a mode, the blocks in its drafts keep the mode. These drafts must stay
    // valid (R59).
    const unserved = served === undefined || !block.supportedModes ? 0 : modeSet(block.supportedModes) & ~served;
    if (unserved !== 0) {
      const unsupported = modesOf(unserved);
      const message = `the layout does not support ${unsupported.join(" and ")}. Remove the mode from the block, or add it to the layout`;
      report.block("BLOCK_MODE_UNSUPPORTED", node, steps, message, { mode: unsupported[0] });
    }
    // The problem is reported once, for the outermost block without modes.
    if (modes !== 0 || (parent && parent.modes === 0)) return;
    // A block with an unknown mode may be shown in that mode by another server.
    if (block.supportedModes?.some((mode) => modeSet([mode]) === 0)) return;
    const own = modesOf(ownModes(block)).join(", ");
    const around = parent ? "its parent blocks and the layout support" : "the layout supports";
    const message = `the block is shown in no mode: its modes are ${own}, and ${around} none of them. Change supportedModes`;
    report.block("BLOCK_UNREACHABLE", node, steps, message);
  };
};
