/** Rules about script bindings: which script, when, and for what. */

import type { ScriptBinding } from "../draft.ts";
import { isKnownBlock } from "../draft-sources.ts";
import { type CheckContext, quote, nextStep } from "./report.ts";

/** Another server may have more: an unknown one is a warning. */
export const HOOKS = [
  "optionFilter",
  "fieldVisibility",
  "fieldReadonly",
  "fieldDefault",
  "fieldChange",
  "beforeAction",
  "afterAction",
  "onRender",
  "onBlockRender",
] as const;

type Names = { blockId: Set<string>; fieldKey: Set<string> | undefined; regionKey: Set<string> };

export function checkBindings(context: CheckContext): void {
  const { draft, report } = context;
  if (draft.scriptBindings.length === 0) return;
  const names = namesIn(context);
  const scripts = context.known.scripts && new Set(context.known.scripts);
  const ids = new Set<string>();
  for (const [index, binding] of draft.scriptBindings.entries()) {
    if (report.isFull()) return;
    if (binding.id !== undefined && ids.has(binding.id)) {
      const message = `the id ${quote(binding.id)} is already that of another binding - choose another`;
      report.at("BINDING_ID_DUPLICATE", at(index, "id"), message);
    }
    if (binding.id !== undefined) ids.add(binding.id);
    if (scripts && !scripts.has(binding.scriptId)) {
      const exit = nextStep(binding.scriptId, scripts, "take one of", "register it first");
      const message = `the script ${quote(binding.scriptId)} is not registered - ${exit}`;
      report.at("BINDING_SCRIPT_UNKNOWN", at(index, "scriptId"), message);
    }
    if (!(HOOKS as readonly string[]).includes(binding.hook)) {
      const message = `the hook ${quote(binding.hook)} is not known - ${nextStep(binding.hook, HOOKS, "known are", "")}`;
      report.at("BINDING_HOOK_UNKNOWN", at(index, "hook"), message);
    }
    checkTarget(context, binding, index, names);
  }
}

const at = (index: number, ...steps: string[]) => ["scriptBindings", index, ...steps];

function checkTarget({ report }: CheckContext, binding: ScriptBinding, index: number, names: Names): void {
  const target = binding.target ?? {};
  const { blockId, fieldKey, regionKey, actionId } = target;
  // A script that runs when the page is shown is for the whole page.
  if (!blockId && !fieldKey && !regionKey && !actionId && binding.hook !== "onRender") {
    const message = "the target names nothing that the script is for - give blockId, fieldKey, regionKey or actionId";
    report.at("BINDING_TARGET_EMPTY", at(index, "target"), message);
  }
  for (const member of ["blockId", "fieldKey", "regionKey"] as const) {
    const wanted = target[member];
    const known = names[member];
    if (!wanted || !known || known.has(wanted)) continue;
    const exit = nextStep(wanted, known, "take one of", "add it, or take the binding out");
    report.at(
      "BINDING_TARGET_UNKNOWN",
      at(index, "target", member),
      `${member} ${quote(wanted)} is not in the draft - ${exit}`,
    );
  }
}

/** The names that the draft has. The keys of its fields are left out if one is only known by an id, or a block is not known. */
function namesIn({ tree, fields }: CheckContext): Names {
  const blockId = new Set<string>();
  const fieldKey = new Set<string>();
  let areAllKnown = true;
  for (const node of tree.nodes) {
    if (node.block.id !== undefined) blockId.add(node.block.id);
    const entry = fields.uses[node.number];
    if (!isKnownBlock(node.block)) areAllKnown = false;
    if (!entry) continue;
    if (entry.key !== undefined) fieldKey.add(entry.key);
    else if (!entry.isAbsent) areAllKnown = false;
  }
  for (const { item, entry } of fields.staged) {
    const stays = item.action === "create" || item.action === "update";
    if (stays && entry.key !== undefined) fieldKey.add(entry.key);
  }
  return { blockId, fieldKey: areAllKnown ? fieldKey : undefined, regionKey: new Set(tree.regionByKey.keys()) };
}
