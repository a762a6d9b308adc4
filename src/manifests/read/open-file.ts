/** One file's documents, read once however often it is named. */

import { readFileSync, statSync } from "node:fs";
import { MAX_FILE_BYTES, tooLarge } from "../../documents/decode.ts";
import { type Document, readDocuments } from "../../documents/document.ts";
import { InvalidDocument, locateProblem } from "../../documents/invalid-document.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import { unreadable } from "./files.ts";

/** What standard input is called. */
export const STDIN = "<stdin>";

/** What reading tells; a file that can't be read has no documents, and its problems say why. */
export type OpenedFile = { documents: Document[]; text: string; problems: Located[] };

/** @param name what the file is called in complaints */
export function openFile(name: string, path: string): OpenedFile {
  try {
    const { size } = statSync(path);
    // A huge file is refused without being read.
    if (size > MAX_FILE_BYTES) {
      return {
        documents: [],
        text: "",
        problems: [locateProblem(name, tooLarge(size), () => ({ line: 1, column: 1 }))],
      };
    }
    return parse(name, readFileSync(path));
  } catch (error) {
    return { documents: [], text: "", problems: [unreadable(name, error)] };
  }
}

export function parse(name: string, bytes: Uint8Array): OpenedFile {
  try {
    const documents = readDocuments(bytes, name);
    return { documents, text: documents[0]?.text ?? "", problems: [] };
  } catch (error) {
    if (!(error instanceof InvalidDocument)) throw error;
    return { documents: [], text: error.text, problems: error.problems };
  }
}
