/** A failure on stderr: words for a person, or one document for a script. */

import type { Failure } from "./exit.ts";
import type { FieldChangeImpact } from "./schemas/error-body.ts";
import { hideTokens } from "./schemas/token.ts";
import type { Terminal } from "./terminal/terminal.ts";

/**
 * Prints a failure.
 *
 * @param sources texts of files by name, for showing the lines that are complained about
 */
export async function printFailure(
  failure: Failure,
  { json, terminal, sources }: { json: boolean; terminal: Terminal; sources: ReadonlyMap<string, string> },
): Promise<void> {
  const err = (text: string) => terminal.err(hideTokens(text));
  if (json) {
    const { jsonText } = await import("./terminal/escape.ts");
    return err(`${jsonText({ error: failure })}\n`);
  }
  const { visible } = await import("./terminal/escape.ts");
  const { errStyle } = terminal;
  const { renderDiagnostics } = await import("./terminal/diagnostics.ts");
  const validation = failure.api?.validation;
  const complaints = failure.problems ?? (validation ? [...validation.errors, ...validation.warnings] : []);
  if (complaints.length > 0) err(renderDiagnostics(complaints, sources, errStyle));
  // A file's problems are all there is to say; anything else has a message of its own.
  if (failure.problems === undefined) err(`${errStyle.red("error:")} ${visible(failure.message)}\n`);
  for (const line of details(failure)) err(`  ${visible(line)}\n`);
  if (failure.hint !== undefined)
    err(
      `${errStyle.cyan("hint:")} ${failure.hint
        .split("\n")
        .map((line) => visible(line))
        .join("\n")}\n`,
    );
}

/** Every member of the API's error that says more than its message, in a fixed order (R104). */
function details({ api, problems }: Failure): string[] {
  if (!api) return [];
  const lines: string[] = [];
  if (api.meta?.["partiallyApplied"] === true) lines.push(`partly applied: ${JSON.stringify(api.meta)}`);
  // Problems of a file are told already, each at its place in the file.
  for (const [path, messages] of problems ? [] : Object.entries(api.fieldErrors ?? {})) {
    for (const message of messages) lines.push(`${path || "the body"}: ${message}`);
  }
  if (!api.validation) for (const { message } of api.errors ?? []) lines.push(message);
  for (const impact of api.impacts ?? []) lines.push(impactLine(impact));
  if (api.unavailableMutationScopes) lines.push(`unavailable: ${api.unavailableMutationScopes.join(", ")}`);
  if (api.relationTableErrors) lines.push(`relation tables: ${JSON.stringify(api.relationTableErrors)}`);
  if (api.idempotencyConflict) lines.push(`first used at ${api.idempotencyConflict.firstSeenAt}`);
  // A single field error repeats the message.
  return lines.length === 1 && lines[0] !== undefined && isSaid(lines[0], api.message) ? [] : lines;
}

/** `d_pay: delete pay_rate (VALUE_CLEAR; 57 values) needs confirmValueClear: --confirm-field-change d_pay` */
function impactLine({
  draftId,
  action,
  fieldKey,
  reasons,
  valueCount,
  referencedByLayouts,
  requires,
}: FieldChangeImpact): string {
  const facts = [reasons?.join(", "), valueCount === 1 ? "1 value" : `${valueCount ?? "?"} values`];
  if (referencedByLayouts?.length) facts.push(`shown by ${referencedByLayouts.join(", ")}`);
  const needs = requires?.length ? ` needs ${requires.join(" and ")}` : "";
  return `${draftId}: ${action} ${fieldKey} (${facts.filter(Boolean).join("; ")})${needs}: --confirm-field-change ${draftId}`;
}

function isSaid(line: string, message: string): boolean {
  return line.replace(": ", " ") === message;
}
