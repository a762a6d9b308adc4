/** Reads a file. Returns its documents or its `LocatedError`. Any other error fails the test. */

import { readDocuments, type Document } from "../../src/documents/document.ts";
import { LocatedError } from "../../src/documents/located-error.ts";

export function answer(source: Uint8Array | string, file = "any.yaml"): Document[] | LocatedError {
  try {
    return readDocuments(source, file);
  } catch (error) {
    if (error instanceof LocatedError) return error;
    throw error;
  }
}

export function refusal(source: Uint8Array | string, file = "any.yaml"): LocatedError {
  const result = answer(source, file);
  if (result instanceof LocatedError) return result;
  throw new Error(`${file} was read`);
}

/** Returns the faults of a `LocatedError`: no problem, an empty message, or a position outside the text. */
export function faultsOf(result: Document[] | LocatedError): string[] {
  if (!(result instanceof LocatedError)) return [];
  if (result.problems.length === 0) return ["no problem"];
  const [[name, text] = ["", ""]] = result.sources;
  const lines = text.split(/\r\n?|\n/);
  return result.problems.flatMap(({ file, line, column, message }) => {
    const shown = lines[line - 1];
    const isInside = shown !== undefined && column >= 1 && column <= Array.from(shown).length + 1;
    return isInside && message && file === name ? [] : [`${file}:${line}:${column}: ${message}`];
  });
}
