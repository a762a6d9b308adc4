/** Reads a file and returns its documents or its InvalidDocument. Any other error fails the test. */

import { readDocuments, type Document } from "../../src/documents/document.ts";
import { InvalidDocument } from "../../src/documents/problems.ts";

export function answer(source: Uint8Array | string, file = "any.yaml"): Document[] | InvalidDocument {
  try {
    return readDocuments(source, file);
  } catch (error) {
    if (error instanceof InvalidDocument) return error;
    throw error;
  }
}

export function refusal(source: Uint8Array | string, file = "any.yaml"): InvalidDocument {
  const result = answer(source, file);
  if (result instanceof InvalidDocument) return result;
  throw new Error(`${file} was read`);
}

/** The faults of an InvalidDocument itself: no problem, an empty message, or a position outside of the text. */
export function faultsOf(result: Document[] | InvalidDocument): string[] {
  if (!(result instanceof InvalidDocument)) return [];
  if (result.problems.length === 0) return ["no problem"];
  const lines = result.text.split(/\r\n?|\n/);
  return result.problems.flatMap(({ file, line, column, message }) => {
    const text = lines[line - 1];
    const isInside = text !== undefined && column >= 1 && column <= Array.from(text).length + 1;
    return isInside && message && file === result.file ? [] : [`${file}:${line}:${column}: ${message}`];
  });
}
