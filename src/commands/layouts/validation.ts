/** Prints the validation of a draft: the state, and the messages with their locations in the file. */

import { stateOf } from "../../lists/versions.ts";
import type { ReportedValidation } from "../../schemas/error-body.ts";
import { visible } from "../../terminal/escape.ts";
import type { Diagnostic, Located, ValidationState } from "../../schemas/diagnostic.ts";
import { renderDiagnostics, type Sources } from "../../terminal/diagnostics.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { Document } from "../../documents/document.ts";
import { blockPaths } from "../../schemas/block-paths.ts";
import type { DraftContent } from "../../schemas/draft.ts";

const NO_SOURCES: Sources = new Map();

export function printDiagnostics(
  diagnostics: readonly (Diagnostic | Located)[],
  terminal: Terminal,
  sources: Sources = NO_SOURCES,
): void {
  terminal.out(renderDiagnostics(diagnostics, sources, terminal.style, terminal.width));
}

const STATE_TEXT: Record<ValidationState, string> = {
  valid: "valid",
  valid_with_warnings: "valid, with warnings",
  invalid: "invalid, so it can't be published",
};

/** Returns the state of a draft as words for a sentence. A server may report other states, or none. */
export function stateText(validation: ReportedValidation | undefined): string {
  const state = stateOf(validation);
  if (state === undefined) return "the server does not report whether it is valid";
  return Object.hasOwn(STATE_TEXT, state) ? STATE_TEXT[state as ValidationState] : visible(state);
}

/** Finds the location of each message in the file: the path, else the block, else the start of the file. */
export function locateValidation(
  document: Document,
  draft: Pick<DraftContent, "blocks">,
  diagnostics: readonly Diagnostic[],
): Located[] {
  let paths: Map<string, string> | undefined;
  const pathOfBlock = (id: string) => (paths ??= blockPaths(draft.blocks)).get(id);
  return diagnostics.map((message) => {
    const path = message.path ?? (message.blockId === undefined ? undefined : pathOfBlock(message.blockId));
    return { ...message, file: document.file, ...document.locate(path ?? "") };
  });
}
