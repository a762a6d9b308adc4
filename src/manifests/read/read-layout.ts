/** A layout as a manifest holds it or names it: exactly the body of a draft. */

import type { Diagnostic } from "../../schemas/diagnostic.ts";
import { type DraftContent, DraftFile } from "../../schemas/draft.ts";
import type { ReadBy } from "../../schemas/schema.ts";
import { manifestProblem } from "../problems.ts";
import type { Substituted } from "./environment.ts";
import { readFilledIn } from "./read-shape.ts";

export type ReadDraft = { ok: true; value: ReadBy<typeof DraftFile> } | { ok: false; problems: Diagnostic[] };

/** @param within where the layout stands in its document: `layout`, or empty where it is the whole */
export function readDraft(value: unknown, filled: Substituted, within: string): ReadDraft {
  const shape = readFilledIn(DraftFile, value, filled, within);
  if (shape.ok) return shape;
  const problems = shape.problems.map(({ path, message }) => {
    const whole = within === "" || path === "" ? within + path : `${within}${path.startsWith("[") ? "" : "."}${path}`;
    return manifestProblem("LAYOUT_INVALID", `${whole || "the layout"} ${message}`, whole);
  });
  return { ok: false, problems };
}

/** What the layout shows; the mutation id of a file is for the command that sends the file itself. */
export function contentOf({ clientMutationId: _own, ...content }: ReadBy<typeof DraftFile>): DraftContent {
  return content;
}
