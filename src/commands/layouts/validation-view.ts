/** What is wrong with a draft, printed; where it came from a file, with the lines in question. */

import { stateOf } from "../../lists/versions.ts";
import type { ReportedValidation } from "../../schemas/error-body.ts";
import { visible } from "../../terminal/escape.ts";
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

const STATE_TEXT: Record<ValidationState, string> = {
  valid: "valid",
  valid_with_warnings: "valid, with warnings",
  invalid: "invalid, so it can't be published",
};

/** The state of a draft in the words of a sentence. A server may have states of its own, or report none. */
export function stateText(validation: ReportedValidation | undefined): string {
  const state = stateOf(validation);
  if (state === undefined) return "the server does not report whether it is valid";
  return Object.hasOwn(STATE_TEXT, state) ? STATE_TEXT[state as ValidationState] : visible(state);
}
