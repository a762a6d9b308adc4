/** The user for programs that must not run as root, such as those of a database. */

/** The id of the user `nobody`, and of a group. Both own no files. */
export const NOBODY = 65_534;

/** Returns the options of `spawn` for this user. They are empty if this process does not run as root. */
export function ordinaryUser(): { uid?: number; gid?: number } {
  return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
}
