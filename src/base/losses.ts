/** The words for data that a command will delete, in prompts, refusals, plans and pages. */

/** Precedes the data that will be deleted. */
export const WILL_BE_DELETED = "Will be deleted permanently:";

/** Returns a sentence to append to a fact. Empty if nothing is lost. */
export function lossSentence(lost: readonly string[]): string {
  return lost.length === 0 ? "" : ` ${WILL_BE_DELETED} ${lost.join("; ")}.`;
}
