/** The user for database programs. These programs refuse to run as root. */

import { spawnSync } from "node:child_process";

/**
 * Returns the options of `spawn` for this user. The options are empty if this process does not run as root. For root,
 * they name the user `postgres`. If this user is missing, they name the user id 65534.
 */
export function ordinaryUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = ["-u", "-g"].map((option) =>
    Number(spawnSync("id", [option, "postgres"], { encoding: "utf8" }).stdout || Number.NaN),
  );
  return uid !== undefined && gid !== undefined && uid > 0 && gid > 0 ? { uid, gid } : { uid: 65_534, gid: 65_534 };
}
