/** Words of the command line read by a schema. A file of its own: help loads no schemas. */

import type { ReadBy, Schema } from "../schemas/schema.ts";
import { readShape } from "../schemas/shape.ts";
import { InvalidValue, type Parse, UsageError } from "./command.ts";

/** A parser of an address by a schema: `by(Identifier)`. @throws UsageError */
export function by<S extends Schema>(schema: S): Parse<ReadBy<S>> {
  return parser(schema, UsageError);
}

/** A parser of a value that the API defines: `valueBy(Name)`. @throws InvalidValue */
export function valueBy<S extends Schema>(schema: S): Parse<ReadBy<S>> {
  return parser(schema, InvalidValue);
}

function parser<S extends Schema>(schema: S, Refusal: new (message: string) => Error): Parse<ReadBy<S>> {
  return (text) => {
    const shape = readShape(schema, text);
    if (shape.ok) return shape.value;
    throw new Refusal(shape.problems.map((problem) => problem.message).join("; "));
  };
}
