/** Sets flags of V8 while the program runs. */

import { setFlagsFromString } from "node:v8";

/**
 * Sets flags in a version of Node that is known to have them. Another version could print an error about an unknown flag.
 *
 * @param flags such as `--semi-space-growth-factor=1`
 */
export function setV8Flags(...flags: readonly string[]): void {
  if (!process.versions.node.startsWith("24.")) return;
  for (const flag of flags) setFlagsFromString(flag);
}
