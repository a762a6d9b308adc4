/** Names files for records, in suggested commands and for the editor of the user. */

import { slugOf } from "../base/slug.ts";

const MAX_LENGTH = 60;

/** Returns a file name for a record, such as `candidate-profile.yaml` for "Candidate profile". */
export function fileNameFor(name: string): string {
  return `${slugOf(name, MAX_LENGTH) || "draft"}.yaml`;
}
