/** What a layout shows, in the words of a command line. */

/** A target as it is typed: `moduleKey=staffing objectKey=candidate`. */
export function targetText(target: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(target).filter(([, value]) => value !== null && value !== undefined);
  return members.map(([member, value]) => `${member}=${String(value)}`).join(" ");
}
