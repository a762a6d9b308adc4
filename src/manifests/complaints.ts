/** Complaints about manifests with the severity that their code has. */

import type { Diagnostic, Located } from "../schemas/diagnostic.ts";
import { MANIFEST_CODES, type ManifestCode } from "../schemas/manifest-codes.ts";

export function complaint(code: ManifestCode, message: string, path?: string): Diagnostic {
  return { severity: MANIFEST_CODES[code].severity, code, message, ...(path !== undefined && { path }) };
}

/** About a file as a whole: shown at its start. */
export function aboutFile(code: ManifestCode, file: string, message: string): Located {
  return { ...complaint(code, message), file, line: 1, column: 1 };
}

/** After so many the rest of a file is not looked at. */
const MAX_PROBLEMS = 500;

/** Collects what is wrong with one file, as far as it can be read by anybody. */
export function problemsOfFile(): { add: (problem: Located) => void; isFull: () => boolean; all: Located[] } {
  const all: Located[] = [];
  return {
    all,
    isFull: () => all.length > MAX_PROBLEMS,
    add(problem) {
      if (all.length > MAX_PROBLEMS) return;
      const { file, line, column } = problem;
      const message = `the file has more problems than these ${MAX_PROBLEMS}. Correct them and check again`;
      all.push(
        all.length < MAX_PROBLEMS ? problem : { ...complaint("TOO_MANY_PROBLEMS", message), file, line, column },
      );
    },
  };
}

/** In the order of files, lines and columns; what stands at one place stays as it was found. */
export function inOrder(problems: readonly Located[]): Located[] {
  return [...problems].sort((a, b) => {
    if (a.file !== b.file) return a.file < b.file ? -1 : 1;
    return a.line - b.line || a.column - b.column;
  });
}
