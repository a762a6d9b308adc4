/** Rules about each mode of the layout: that it can do its work, and that CREATE asks for all it needs. */

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
    // A form for EDIT may be about a part of the record; only a new one needs every value.
    if (mode === "CREATE") checkRequired(context);
    if (!(content & modeSet([mode]))) {
      const message = `${mode} shows no content, so it can't be used - add a block for it, or take the mode from the layout`;
      report.at("MODE_EMPTY", ["blocks"], message, { mode });
    } else if (mode !== "VIEW" && !(editable & modeSet([mode]))) {
      const message = `${mode} has nothing to fill in, so it can't be used - add a field that is not read-only, or a relation table`;
      report.at("MODE_NO_EDITABLE_FIELD", ["blocks"], message, { mode });
    }
  }
}

function checkRequired({ fields, report }: CheckContext): void {
  for (const entry of fields.entries) {
    if (report.isFull()) return;
    if (!isRequired(entry) || entry.shown & CREATE) continue;
    const key = entry.key ?? "";
    const exit = entry.blocks > 0 ? "add CREATE to the supportedModes of its block" : "add a field block for it";
    const message = `${quote(key)} is required and has no default, but CREATE does not ask for it - ${exit}`;
    report.at("REQUIRED_FIELD_MISSING", ["blocks"], message, { mode: "CREATE", meta: { fieldKey: key } });
  }
}

export const reach: BlockRule = ({ known, report }) => {
  const served = known.modes && modeSet(known.modes);
  return (node) => {
    const { block, parent, modes } = node;
    const steps = ["supportedModes"];
    // A warning: taking a mode from a form must not make its drafts invalid, and blocks keep the modes they had (R59).
    const unserved = served === undefined || !block.supportedModes ? 0 : modeSet(block.supportedModes) & ~served;
    if (unserved !== 0) {
      const beyond = modesOf(unserved);
      const message = `the layout does not serve ${beyond.join(" and ")} - take it out here, or add the mode to the layout`;
      report.block("BLOCK_MODE_UNSUPPORTED", node, steps, message, { mode: beyond[0] });
    }
    // Told once, where the last mode is lost: what is inside of it has none either.
    if (modes !== 0 || (parent && parent.modes === 0)) return;
    // A block for a mode that only the server knows may be reached there.
    if (block.supportedModes?.some((mode) => modeSet([mode]) === 0)) return;
    const own = modesOf(ownModes(block)).join(", ");
    const around = parent ? "the blocks around it and the layout" : "the layout";
    const message = `it is shown in no mode: its own are ${own}, and ${around} have none of them - change its supportedModes`;
    report.block("BLOCK_UNREACHABLE", node, steps, message);
  };
};
