/** Keeps the memory of commands with thousands of manifests small. */

import { setV8Flags } from "../../v8-flags.ts";

/** How long a command runs before the limits start. */
const LONG_MS = 1_000;

/**
 * Makes V8 free unused objects earlier. By default, V8 lets the heap of a command with thousands of manifests grow to
 * several times the size of the objects in use: up to 128 MiB for new objects, and up to four times the size of the old
 * objects in use. The limits start after one second, so that a short command can grow its heap at full speed.
 */
export function keepHeapSmall(): void {
  setTimeout(() => {
    setV8Flags("--semi-space-growth-factor=1", "--heap-growing-percent=50");
  }, LONG_MS).unref();
}
