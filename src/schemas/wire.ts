/** How a path and a query are written in a URL. No schema is needed for it: a client starts without. */

import { isIdentifier } from "./words.ts";

/** A parameter that can't stand in a path: `..` or a slash would reach another endpoint. */
export class PathParameterError extends Error {
  override readonly name = "PathParameterError";
  readonly parameter: string;
  readonly value: unknown;

  constructor(parameter: string, value: unknown) {
    super(`${JSON.stringify(value)} can't be the ${parameter} of a path`);
    this.parameter = parameter;
    this.value = value;
  }
}

/**
 * The path of a row with its parameters in it, percent-encoded.
 *
 * @throws PathParameterError for an id or key that could not be one
 */
export function fillPath(path: string, parameters: Readonly<Record<string, unknown>>): string {
  return path.replace(/:(\w+)/g, (_match, name: string) => {
    const value = parameters[name];
    if (typeof value !== "string" || !isIdentifier(value)) throw new PathParameterError(name, value);
    return encodeURIComponent(value);
  });
}

/** Text, numbers and flags as they are, lists and objects as JSON text; what is undefined is left out. */
export function writeQuery(query: Readonly<Record<string, unknown>> | undefined): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined) continue;
    parameters.set(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  return parameters;
}
