/** What a rule is given: the draft in its different readings, what is known beside it, and where to complain. */

import type { Known } from "../draft-known.ts";
import type { FieldBook } from "../draft-fields.ts";
import type { BlockNode, DraftTree } from "../draft-tree.ts";
import type { DraftContent } from "../draft.ts";
import type { Report } from "./report.ts";

export type CheckContext = {
  draft: DraftContent;
  known: Known;
  tree: DraftTree;
  fields: FieldBook;
  report: Report;
};

/** A rule about blocks. It is made once for a draft, may remember what it saw, and then meets each block in order. */
export type BlockRule = (context: CheckContext) => (node: BlockNode) => void;
