/** Checks of script bindings: script, hook and target. */

import type { ScriptBinding } from "../draft.ts";
import { isKnownBlock } from "../draft-sources.ts";
import { type CheckContext, quote, nextStep } from "./report.ts";

/** The known hooks. Another server may support more, so an unknown hook is only a warning. */
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
      const message = `another script binding already has the id ${quote(binding.id)}. Use a different id`;
      report.at("BINDING_ID_DUPLICATE", at(index, "id"), message);
    }
    if (binding.id !== undefined) ids.add(binding.id);
    if (scripts && !scripts.has(binding.scriptId)) {
      const step = nextStep(binding.scriptId, scripts, "Registered scripts", "Register the script first");
      const message = `unknown script ${quote(binding.scriptId)}. ${step}`;
      report.at("BINDING_SCRIPT_UNKNOWN", at(index, "scriptId"), message);
    }
    if (!(HOOKS as readonly string[]).includes(binding.hook)) {
      const message = `unknown hook ${quote(binding.hook)}. ${nextStep(binding.hook, HOOKS, "Known hooks", "")}`;
      report.at("BINDING_HOOK_UNKNOWN", at(index, "hook"), message);
    }
    checkTarget(context, binding, index, names);
  }
}

const at = (index: number, ...steps: string[]) => ["scriptBindings", index, ...steps];

function checkTarget({ report }: CheckContext, binding: ScriptBinding, index: number, names: Names): void {
  const target = binding.target ?? {};
  const { blockId, fieldKey, regionKey, actionId } = target;
  // The hook onRender applies to the whole layout, so it needs no target.
  if (!blockId && !fieldKey && !regionKey && !actionId && binding.hook !== "onRender") {
    const message = "the target of the script binding is empty. Specify blockId, fieldKey, regionKey or actionId";
    report.at("BINDING_TARGET_EMPTY", at(index, "target"), message);
  }
  for (const member of ["blockId", "fieldKey", "regionKey"] as const) {
    const value = target[member];
    const known = names[member];
    if (!value || !known || known.has(value)) continue;
    const step = nextStep(value, known, "Valid values", "Add it, or remove the binding");
    report.at(
      "BINDING_TARGET_UNKNOWN",
      at(index, "target", member),
      `${member} ${quote(value)} does not exist in the draft. ${step}`,
    );
  }
}

/**
 * Returns the values that a target may have. `fieldKey` is undefined if a block type, a source or a field key is
 * unknown. Then field keys are not checked.
 */
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
