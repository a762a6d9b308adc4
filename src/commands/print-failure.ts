/** A failure on stderr: words for a person, or one document for a script. */

import { isJsonObject } from "../schemas/json.ts";
import { readCode } from "../schemas/read-error.ts";
import { hideTokens } from "../schemas/token.ts";
import { renderDiagnostics, type Sources } from "../terminal/diagnostics.ts";
import { jsonText, visible, visibleLines } from "../terminal/escape.ts";
import type { Style } from "../terminal/style.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Failure } from "./failure.ts";
import { refusalDetails } from "./refusal-details.ts";

/**
 * Prints a failure.
 *
 * @param sources texts of files by name, for showing the lines that are complained about
 */
export function printFailure(
  failure: Failure,
  { json, terminal, sources }: { json: boolean; terminal: Terminal; sources: Sources },
): void {
  const { errStyle: style } = terminal;
  const text = json ? `${jsonText({ error: failure })}\n` : failureText(failure, { style, sources, confirmation });
  terminal.err(hideTokens(text));
}

export type FailureView = {
  style: Style;
  sources: Sources;
  /** How a staged field change is accepted, by its draft id. */
  confirmation: (draftId: string) => string;
};

/** Problems at their places, the message, everything else that the service reports, and the next step. */
export function failureText(failure: Failure, { style, sources, confirmation: confirm }: FailureView): string {
  const { problems = [], message, hint } = failure;
  let text = renderDiagnostics(problems, sources, style);
  if (!isToldByProblems(failure)) {
    text += `${style.red("error:")} ${visible(message)}${visible(serviceCode(failure))}\n`;
  }
  for (const line of refusalDetails(failure, { style, confirm })) text += `  ${line}\n`;
  if (hint !== undefined) text += `${style.cyan("hint:")} ${visibleLines(hint)}\n`;
  return text;
}

/** The problems of a file are the message, unless something was written before, or a service refused under a code that none of them shows. */
function isToldByProblems(failure: Failure): boolean {
  const { problems, code, done } = failure;
  if (done) return false;
  return problems !== undefined && (!isServiceCode(failure) || problems.some((problem) => problem.code === code));
}

/** ` (FORM_IS_DEFAULT)` where the code is the service's and the message does not contain it. */
function serviceCode(failure: Failure): string {
  const { code, message } = failure;
  return isServiceCode(failure) && !message.includes(code) ? ` (${code})` : "";
}

/** A failure of formctl, such as an unknown outcome, has a code of its own beside what the service said. */
function isServiceCode({ code, api }: Failure): boolean {
  if (!api) return false;
  const { body, status } = api;
  return [`HTTP_${status}`, readCode(api), isJsonObject(body) ? readCode(body) : undefined].includes(code);
}

const confirmation = (draftId: string) => `--confirm-field-change ${draftId}`;
