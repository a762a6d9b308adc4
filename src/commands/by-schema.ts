/** Words of the command line read by a schema. A file of its own: help loads no schemas. */

import { FormctlError } from "../error.ts";
import type { ReadBy, Schema } from "../schemas/schema.ts";
import { readShape } from "../schemas/shape.ts";
import type { Parse } from "./command.ts";

/** A parser of an address by a schema: `by(Identifier)`. @throws USAGE */
export function by<S extends Schema>(schema: S): Parse<ReadBy<S>> {
  return parser(schema, "USAGE");
}

/** A parser of a value that the API defines: `valueBy(Name)`. @throws INVALID_VALUE */
export function valueBy<S extends Schema>(schema: S): Parse<ReadBy<S>> {
  return parser(schema, "INVALID_VALUE");
}

function parser<S extends Schema>(schema: S, code: "USAGE" | "INVALID_VALUE"): Parse<ReadBy<S>> {
  return (text) => {
    const shape = readShape(schema, text);
    if (shape.ok) return shape.value;
    throw new FormctlError(code, shape.problems.map((problem) => problem.message).join("; "));
  };
}
