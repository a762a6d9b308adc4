/** The types of schemas, for modules that read values with a schema but define none. */

import type * as z from "zod/mini";

export type Schema = z.ZodMiniType;

/** What a schema makes of a value that has its shape. */
export type ReadBy<S extends Schema> = z.output<S>;
