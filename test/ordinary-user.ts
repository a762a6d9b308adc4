/** The user for database programs. These programs refuse to run as root. */

/** The ids of `nobody`, a user of every system. */
export const NOBODY = 65_534;

/** Returns the options of `spawn` for this user. They are empty if this process does not run as root. */
export function ordinaryUser(): { uid?: number; gid?: number } {
  return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
}
