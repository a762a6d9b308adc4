/** The user for database programs. These programs refuse to run as root. */

import { spawnSync } from "node:child_process";

/**
 * Returns the options of `spawn` for this user. They are empty if this process does not run as root. Otherwise they
 * name the user `postgres`, or the user id 65534 if there is no such user.
 */
export function ordinaryUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = ["-u", "-g"].map((option) =>
    Number(spawnSync("id", [option, "postgres"], { encoding: "utf8" }).stdout || Number.NaN),
  );
  return uid !== undefined && gid !== undefined && uid > 0 && gid > 0 ? { uid, gid } : { uid: 65_534, gid: 65_534 };
}
