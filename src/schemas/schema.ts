/** Whatever values are read by: rooms that hold no schemas themselves name them by these. */

import type * as z from "zod/mini";

export type Schema = z.ZodMiniType;

/** What a schema makes of a value that has its shape. */
export type ReadBy<S extends Schema> = z.output<S>;
