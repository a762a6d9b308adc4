/** What an attack is: a test that fails if the attack succeeds, and the control that makes it succeed. */

/** From where an attacker acts. docs/security.md lists what formctl promises against each of them. */
export const POSITIONS = [
  "author of a repository",
  "hostile server",
  "member of the organization",
  "user of another organization",
  "network",
  "user of the machine",
  "page in the browser",
] as const;

export type Position = (typeof POSITIONS)[number];

/** The tests of a file whose titles contain `title`. The file contains this text, so it ends before a placeholder. */
export type Tests = { file: string; title: string };

/**
 * A source without one guard: `to` replaces `from`, an expression that is in the file once. An empty `to` removes a
 * statement.
 */
export type GuardOff = { file: string; from: string; to: string };

export type Attack = {
  /** The attack, as a clause without a subject: `plant compiled code in /tmp`. */
  name: string;
  position: Position;
  /** What the attacker gains where it succeeds. */
  prize: string;
  /** What prevents it. */
  rule: string;
  /** Tests that fail if the attack succeeds. */
  test: Tests;
  /**
   * The attack without the guard. Either a guard that is switched off, so that the test fails, or the title of a test in
   * the same file that passes if the attack succeeds on a weaker copy.
   */
  control: GuardOff | string;
};
