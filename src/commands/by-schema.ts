/** Words of the command line read by a schema. A file of its own: help loads no schemas. */

import type { ReadBy, Schema } from "../schemas/schema.ts";
import { readShape } from "../schemas/shape.ts";
import { type Parse, UsageError } from "./command.ts";

/** A parser by a schema: `by(Name)`. */
export function by<S extends Schema>(schema: S): Parse<ReadBy<S>> {
  return (text) => {
    const shape = readShape(schema, text);
    if (shape.ok) return shape.value;
    throw new UsageError(shape.problems.map((problem) => problem.message).join("; "));
  };
}
