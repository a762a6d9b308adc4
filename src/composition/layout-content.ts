/** Reads a content that a program passes to the library. */

import { FormctlError } from "../base/error.ts";
import type { DraftContent } from "../schemas/draft.ts";
import { OpenDraftFile } from "../schemas/draft-schema.ts";
import { readShape } from "../schemas/shape.ts";

/** A content as `saveDraft` accepts it: the members with a default value are optional. */
export type LayoutContent = Pick<DraftContent, "schemaVersion" | "regions" | "blocks"> & Partial<DraftContent>;

/** @returns the content with default values @throws INVALID_VALUE */
export function readLayoutContent(given: LayoutContent): DraftContent {
  const shape = readShape(OpenDraftFile, given);
  if (!shape.ok) {
    const [first] = shape.problems;
    throw new FormctlError("INVALID_VALUE", `the content is invalid: ${first?.path || "it"} ${first?.message}`);
  }
  const { clientMutationId: _ofRequests, ...content } = shape.value;
  return content;
}
