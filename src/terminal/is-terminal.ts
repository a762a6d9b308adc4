/** Whether a descriptor is a terminal, without loading what only a terminal needs. */

import { fstatSync, statSync } from "node:fs";
import { isatty } from "node:tty";

/** `node:tty` brings the network stack along, so a pipe, a file and /dev/null are told apart before it is asked. */
export function isTerminal(fd: 0 | 1 | 2): boolean {
  try {
    const stat = fstatSync(fd);
    if (!stat.isCharacterDevice()) return false;
    const nothing = statSync("/dev/null", { throwIfNoEntry: false });
    return stat.rdev !== nothing?.rdev && isatty(fd);
  } catch {
    // The descriptor is closed: nobody is there.
    return false;
  }
}
