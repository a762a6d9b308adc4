/** Computes the availability of a form's layout in each mode, at each read (docs/decisions.md, "Availability"). */

import type { AvailabilityState } from "../schemas/words.ts";
import type { Form, LayoutWarning, Mode, ModeAvailability } from "../schemas/form.ts";
import type { Verdict } from "./verdict.ts";

/**
 * A published version of a layout. `modes` are the modes that the layout had at the publish. `verdict` is the verdict
 * on the published content with the current fields of the object.
 */
export type LiveVersion = { id: string; modes: readonly Mode[]; verdict: Verdict };

type Availability = Pick<Form, "layoutAvailability" | "usableTypes" | "layoutWarnings">;

/**
 * Returns the state of the layout in each mode, and the modes in which the form can be used. Also returns a warning for
 * each mode with a state other than PUBLISHED (R22, R23, R57).
 *
 * @param form.types the modes of the form and of its layout
 * @param layout undefined if the form has no layout: every mode is MISSING
 * @param live undefined if no version has been published: every mode is DRAFT_ONLY
 */
export function availabilityOf(input: {
  form: { isActive: boolean; types: readonly Mode[] };
  layout: { id: string; name: string } | undefined;
  live: LiveVersion | undefined;
}): Availability {
  const { form, layout, live } = input;
  const answer: Availability = { layoutAvailability: {}, usableTypes: [], layoutWarnings: [] };
  for (const mode of form.types) {
    const { state, reason } = judge(mode, layout, live);
    answer.layoutAvailability[mode] = describe(state, layout, live);
    // A published layout without content can't be used in VIEW. Without inputs, it can't be used in CREATE and EDIT
    // (R84).
    if (state === "PUBLISHED" && form.isActive && live?.verdict.working.includes(mode)) answer.usableTypes.push(mode);
    if (state !== "PUBLISHED") answer.layoutWarnings.push(warning(mode, state, reason));
  }
  return answer;
}

type Judgement = { state: AvailabilityState; reason: string };

function judge(mode: Mode, layout: { id: string } | undefined, live: LiveVersion | undefined): Judgement {
  if (!layout) return { state: "MISSING", reason: "the form has no layout" };
  const publish = `Publish the layout: formctl layouts publish ${layout.id}`;
  if (!live) return { state: "DRAFT_ONLY", reason: `the layout has not been published. ${publish}` };
  // The mode was added after the last publish, so the published content was not checked for it.
  if (!live.modes.includes(mode)) {
    return {
      state: "DRAFT_ONLY",
      reason: `the layout was published before the form had ${mode}. Edit and publish the layout: formctl layouts edit ${layout.id}`,
    };
  }
  const error = live.verdict.errors[mode];
  if (error === undefined) return { state: "PUBLISHED", reason: "" };
  return {
    state: "INVALID",
    reason: `the published layout does not match the fields of the object: ${error}. Correct the draft and publish it`,
  };
}

function describe(
  state: AvailabilityState,
  layout: { id: string; name: string } | undefined,
  live: LiveVersion | undefined,
): ModeAvailability {
  if (!layout) return { state };
  const published = { state, layoutId: layout.id, layoutName: layout.name };
  return live && state !== "DRAFT_ONLY" ? { ...published, versionId: live.id } : published;
}

function warning(mode: Mode, state: Exclude<AvailabilityState, "PUBLISHED">, message: string): LayoutWarning {
  return { type: mode, code: `LAYOUT_${state}`, message };
}
