/** Keeps the memory of commands with thousands of manifests small. */

import { setV8Flags } from "../../v8-flags.ts";

/** How long a command runs before it counts as one with many manifests. */
const LONG_MS = 1_000;

/**
 * Limits how much memory V8 takes for objects that are no longer used. By default, it takes several times as much as a
 * command with thousands of manifests holds: for new objects, up to 128 MiB, and for old objects, up to four times those
 * that are in use. A short command is not affected, because its heap has to grow first.
 */
export function keepHeapSmall(): void {
  setTimeout(() => {
    setV8Flags("--semi-space-growth-factor=1", "--heap-growing-percent=50");
  }, LONG_MS).unref();
}
