/** What the lock keeps of a content that file and place have in common after an export. */

import { type AppliedChanges, contentBase } from "../content/staged-changes.ts";
import { settledDigest } from "../content/compare.ts";
import type { DraftContent } from "../../schemas/draft.ts";
import type { Surface } from "../../schemas/layout.ts";
import type { ContentState } from "../state.ts";

export type CommonContent = {
  /** What the file says, and what is there. */
  said: DraftContent;
  there: DraftContent;
  current: ContentState;
  surface: Surface;
  /** Of what the file stages. */
  found: AppliedChanges;
};

/** What the file goes on staging is as far as it was: a lock that did not say so would have it done again. */
export function keepContent(
  base: Record<string, string>,
  { said, there, current, surface, found }: CommonContent,
): void {
  const { fieldChanges, assumedChanges } = contentBase(said, surface, found);
  const members = {
    content: settledDigest(there, surface),
    version: current.published?.id,
    fieldChanges,
    assumedChanges,
  };
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) delete base[name];
    else base[name] = value;
  }
}
