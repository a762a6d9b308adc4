/** The types of schemas, for modules that read values with a schema but define none. */

import type * as z from "zod/mini";

export type Schema = z.ZodMiniType;

/** A JSON Schema, by keyword. */
export type JsonSchema = { [keyword: string]: unknown };

/** The type of the values that a parse with the schema returns. */
export type ReadBy<S extends Schema> = z.output<S>;
