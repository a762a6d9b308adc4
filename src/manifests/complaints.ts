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

/** In the order of files, lines and columns; what stands at one place stays as it was found. */
export function inOrder(problems: readonly Located[]): Located[] {
  return [...problems].sort((a, b) => {
    if (a.file !== b.file) return a.file < b.file ? -1 : 1;
    return a.line - b.line || a.column - b.column;
  });
}
