/** A failure on stderr: words for a person, or one document for a script. */

import type { FieldChangeImpact } from "../schemas/error-body.ts";
import { hideTokens } from "../schemas/token.ts";
import { renderDiagnostics, type Sources } from "../terminal/diagnostics.ts";
import { jsonText, visible } from "../terminal/escape.ts";
import type { Style } from "../terminal/style.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Failure } from "./failure.ts";

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

/** Complaints at their places, the message, everything that the service said beside it, and the way out. */
export function failureText(failure: Failure, { style, sources, confirmation: confirm }: FailureView): string {
  const validation = failure.api?.validation;
  const complaints = failure.problems ?? (validation ? [...validation.errors, ...validation.warnings] : []);
  let text = complaints.length > 0 ? renderDiagnostics(complaints, sources, style) : "";
  // A file's problems are all there is to say, unless something was written before; anything else has a message of its own.
  if (failure.problems === undefined || failure.done) text += `${style.red("error:")} ${visible(failure.message)}\n`;
  for (const line of details(failure, confirm)) text += `  ${visible(line)}\n`;
  if (failure.hint !== undefined) {
    const hint = failure.hint.split("\n").map((line) => visible(line));
    text += `${style.cyan("hint:")} ${hint.join("\n")}\n`;
  }
  return text;
}

const confirmation = (draftId: string) => `--confirm-field-change ${draftId}`;

/** Every member of the API's error that says more than its message, in a fixed order (R104). */
function details({ api, problems }: Failure, confirm: FailureView["confirmation"]): string[] {
  if (!api) return [];
  const lines: string[] = [];
  if (api.meta?.["partiallyApplied"] === true) lines.push(`partly applied: ${JSON.stringify(api.meta)}`);
  // Problems of a file are told already, each at its place in the file.
  for (const [path, messages] of problems ? [] : Object.entries(api.fieldErrors ?? {})) {
    for (const message of messages) lines.push(`${path || "the body"}: ${message}`);
  }
  if (!api.validation) for (const { message } of api.errors ?? []) lines.push(message);
  for (const impact of api.impacts ?? []) lines.push(impactLine(impact, confirm));
  if (api.unavailableMutationScopes) lines.push(`unavailable: ${api.unavailableMutationScopes.join(", ")}`);
  if (api.relationTableErrors) lines.push(`relation tables: ${JSON.stringify(api.relationTableErrors)}`);
  if (api.idempotencyConflict) lines.push(`first used at ${api.idempotencyConflict.firstSeenAt}`);
  // A single field error repeats the message.
  return lines.length === 1 && lines[0] !== undefined && isSaid(lines[0], api.message) ? [] : lines;
}

/** `d_pay: delete pay_rate (VALUE_CLEAR; 57 values) needs confirmValueClear: --confirm-field-change d_pay` */
function impactLine(impact: FieldChangeImpact, confirm: FailureView["confirmation"]): string {
  const { draftId, action, fieldKey, reasons, valueCount, referencedByLayouts, requires } = impact;
  const facts = [reasons?.join(", "), valueCount === 1 ? "1 value" : `${valueCount ?? "?"} values`];
  if (referencedByLayouts?.length) facts.push(`shown by ${referencedByLayouts.join(", ")}`);
  const needs = requires?.length ? ` needs ${requires.join(" and ")}` : "";
  return `${draftId}: ${action} ${fieldKey} (${facts.filter(Boolean).join("; ")})${needs}: ${confirm(draftId)}`;
}

function isSaid(line: string, message: string): boolean {
  return line.replace(": ", " ") === message;
}
