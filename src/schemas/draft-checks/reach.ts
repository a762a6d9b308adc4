/** Rules about the modes of a block: that the layout serves them, and that any is left (R43). */

import { ownModes } from "../draft-tree.ts";
import { modeSet, modesOf } from "../mode-set.ts";
import type { BlockRule } from "./context.ts";

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
