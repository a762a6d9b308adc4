/** Names files for records, in suggested commands and for the editor of the user. */

const MAX_LENGTH = 60;

/** Returns a file name for a record, such as `candidate-profile.yaml` for "Candidate profile". */
export function fileNameFor(name: string): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return `${words.join("-").slice(0, MAX_LENGTH) || "draft"}.yaml`;
}
