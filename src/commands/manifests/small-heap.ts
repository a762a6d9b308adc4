/** Keeps the memory of commands with thousands of manifests small. */

import { setV8Flags } from "../../v8-flags.ts";

/** How long a command runs before the limits start. */
const LONG_MS = 1_000;

/**
 * Makes V8 free unused objects earlier. By default, its heap is several times as large as the objects in use of a
 * command with thousands of manifests: for new objects, up to 128 MiB, and for old objects, up to four times those that
 * are in use. The limits start after one second, so that a short command can grow its heap at full speed.
 */
export function keepHeapSmall(): void {
  setTimeout(() => {
    setV8Flags("--semi-space-growth-factor=1", "--heap-growing-percent=50");
  }, LONG_MS).unref();
}
