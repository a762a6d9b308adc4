/** Writes paths and queries of URLs. Does not import the schemas, so that the client starts quickly. */

import { FormctlError } from "../base/error.ts";
import { isIdentifier } from "./words.ts";

/** The error for an unsafe path parameter: `..` or a slash would lead to another endpoint. */
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
 * Returns the path of an operation with its parameters filled in, percent-encoded.
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

/**
 * Refuses a call without a parameter of its path, such as an id that was never set. Its refusal as an unknown record would look like "already deleted".
 *
 * @throws INVALID_VALUE
 */
export function requirePathParameters(path: string, parameters: Readonly<Record<string, unknown>>): void {
  for (const [, name = ""] of path.matchAll(/:(\w+)/g)) {
    const value = parameters[name];
    if (value === undefined || value === null || value === "") throw invalid(`${name} is missing`);
    if (typeof value !== "string") throw invalid(`${name} must be text, not ${typeof value}`);
  }
}

function invalid(problem: string): FormctlError {
  return new FormctlError("INVALID_VALUE", `the parameter ${problem}`);
}

export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/**
 * Whether a text is a path, with or without a query, that a URL parser does not change. For example, a URL parser
 * changes `//host` and dot segments.
 */
export function isRequestPath(text: string): boolean {
  const url = URL.parse(text, "http://local");
  return /^\/(?!\/)[^\\#\s]*$/.test(text) && url?.origin === "http://local" && text.startsWith(url.pathname);
}

/**
 * Writes a query. Strings, numbers and booleans become text. Lists and objects become JSON. Undefined values are left
 * out.
 */
export function writeQuery(query: Readonly<Record<string, unknown>> | undefined): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined) continue;
    parameters.set(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  return parameters;
}
