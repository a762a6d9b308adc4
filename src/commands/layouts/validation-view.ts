/** What is wrong with a draft, printed; where it came from a file, with the lines in question. */

import type { Diagnostic, Located, ValidationState } from "../../schemas/diagnostic.ts";
import { renderDiagnostics, type Sources } from "../../terminal/diagnostics.ts";
import type { Terminal } from "../../terminal/terminal.ts";

const NO_SOURCES: Sources = new Map();

export function printDiagnostics(
  diagnostics: readonly (Diagnostic | Located)[],
  terminal: Terminal,
  sources: Sources = NO_SOURCES,
): void {
  terminal.out(renderDiagnostics(diagnostics, sources, terminal.style));
}

/** The state in the words of a sentence. */
export const STATE_TEXT: Record<ValidationState, string> = {
  valid: "valid",
  valid_with_warnings: "valid, with warnings",
  invalid: "invalid, so it can't be published",
};
