/** Rules about each mode of the layout: that it can do its work, and that CREATE asks for all it needs. */

import { MODES } from "../words.ts";
import { modeContent } from "../draft-modes.ts";
import { CREATE, modeSet } from "../mode-set.ts";
import type { CheckContext } from "./context.ts";
import { isRequired } from "./inputs.ts";
import { quote } from "./report.ts";

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
