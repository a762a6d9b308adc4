/** Writes paths and queries of URLs. Independent of the schemas, so that the client starts quickly. */

import { isIdentifier } from "./words.ts";

/** A path parameter that is unsafe: `..` or a slash would lead to another endpoint. */
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
 * @throws PathParameterError for an invalid id or key
 */
export function fillPath(path: string, parameters: Readonly<Record<string, unknown>>): string {
  return path.replace(/:(\w+)/g, (_match, name: string) => {
    const value = parameters[name];
    if (typeof value !== "string" || !isIdentifier(value)) throw new PathParameterError(name, value);
    return encodeURIComponent(value);
  });
}

/** Strings, numbers and booleans as text, lists and objects as JSON; undefined values are left out. */
export function writeQuery(query: Readonly<Record<string, unknown>> | undefined): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined) continue;
    parameters.set(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  return parameters;
}
