/** One file's documents, read once however often it is named. */

import { readFileSync, statSync } from "node:fs";
import { MAX_FILE_BYTES, tooLarge } from "../../documents/decode.ts";
import { type Document, readDocuments } from "../../documents/document.ts";
import { locateProblem } from "../../documents/invalid-document.ts";
import { LocatedError } from "../../documents/located-error.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import { unreadable } from "./files.ts";

/** What standard input is called. */
export const STDIN = "<stdin>";

/** What reading tells; a file that can't be read has no documents, and its problems say why. */
export type OpenedFile = { documents: Document[]; text: string; problems: Located[] };

/**
 * @param name what the file is called in complaints
 * @param bytes what was read of it, if it was
 */
export function openFile(name: string, path: string, bytes?: Uint8Array): OpenedFile {
  const read = bytes ?? readBytes(name, path);
  return read instanceof Uint8Array ? parse(name, read) : { documents: [], text: "", problems: [read] };
}

/** The bytes of a file, or why there are none. */
export function readBytes(name: string, path: string): Uint8Array | Located {
  try {
    const { size } = statSync(path);
    // A huge file is refused without being read.
    if (size > MAX_FILE_BYTES) return locateProblem(name, tooLarge(size), () => ({ line: 1, column: 1 }));
    return readFileSync(path);
  } catch (error) {
    return unreadable(name, error);
  }
}

export function parse(name: string, bytes: Uint8Array): OpenedFile {
  try {
    const documents = readDocuments(bytes, name);
    return { documents, text: documents[0]?.text ?? "", problems: [] };
  } catch (error) {
    if (!(error instanceof LocatedError)) throw error;
    return { documents: [], text: error.sources.get(name) ?? "", problems: [...error.problems] };
  }
}
