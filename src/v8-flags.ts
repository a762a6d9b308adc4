/** Sets flags of V8 while the program runs. Also sets the size of V8's space for new objects. */

import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/**
 * Sets flags of V8 in Node 24. Does nothing in another version, which could print an error about an unknown flag.
 *
 * @param flags such as `--semi-space-growth-factor=1`
 */
export function setV8Flags(...flags: readonly string[]): void {
  if (!process.versions.node.startsWith("24.")) return;
  for (const flag of flags) setFlagsFromString(flag);
}

/** The maximum number of rounds of {@link fixYoungSpace}. On our machine, 40 rounds were enough for 8 MiB. */
const MAX_ROUNDS = 200;

/**
 * Gives V8's space for new objects at least this size, and keeps the size from then on. V8 doubles the space if many
 * objects survive a garbage collection. So this function allocates objects until the space has the size. Otherwise the
 * size would depend on earlier objects of the program.
 */
export function fixYoungSpace(bytes: number): void {
  for (let round = 0; round < MAX_ROUNDS && youngSpace() < bytes; round++) {
    Array.from({ length: 10_000 }, (_, index) => ({ index }));
  }
  setV8Flags("--semi-space-growth-factor=1");
}

/** Returns the size of V8's space for new objects in bytes. Half of it is in use at a time. */
export function youngSpace(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size ?? Infinity;
}
