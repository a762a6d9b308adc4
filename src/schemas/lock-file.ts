/** `.formctl/lock.json`: what each place is known to have had when manifests were last applied to it or exported from it. */

import * as z from "zod/mini";
import { Identifier } from "./text.ts";

export const LockedResource = z.strictObject({
  formId: z.optional(Identifier),
  layoutId: z.optional(Identifier),
  file: z.optional(z.string()),
  base: z.record(z.string(), z.string()),
});

/** By place, and in it by address. */
export const LockFile = z.strictObject({
  version: z.literal(1, "must be 1: a newer formctl has written it"),
  places: z.record(z.string(), z.record(z.string(), LockedResource)),
});
export type LockFile = z.output<typeof LockFile>;
