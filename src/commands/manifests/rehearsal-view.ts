/** Shows what a rehearsal of a plan found: as text, as a document and as Markdown. */

import type { ForetoldRefusal, Rehearsal, RehearsedEffect } from "../../rehearsal/rehearsal.ts";
import { type Located, placeOf } from "../../schemas/diagnostic.ts";
import { renderDiagnostics, type Sources } from "../../terminal/diagnostics.ts";
import { safeLine, visible } from "../../terminal/escape.ts";
import { wrapped } from "../../terminal/message.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { wrap } from "../../terminal/width.ts";
import type { CommandContext } from "../command.ts";
import type { Failure } from "../failure.ts";

/** What `-o json` shows of a foretold refusal. */
export type RefusalDocument = Omit<ForetoldRefusal, "error" | "hint" | "message"> & { error: Failure };

/** What `-o json` shows of a rehearsal. */
export type RehearsalDocument = Omit<Rehearsal, "refusals"> & { refusals: readonly RefusalDocument[] };

export async function rehearsalDocument(context: CommandContext, rehearsal: Rehearsal): Promise<RehearsalDocument> {
  const refusals = rehearsal.refusals.map(async ({ error, hint, message: _message, ...refusal }) => ({
    ...refusal,
    error: await context.describe(error, hint),
  }));
  return { ...rehearsal, refusals: await Promise.all(refusals) };
}

/** Returns the exit code of the first certain refusal. Returns 0 if no refusal is certain. */
export function rehearsalExitCode({ refusals }: RehearsalDocument): number {
  return refusals.find(({ isCertain }) => isCertain)?.error.exitCode ?? 0;
}

/**
 * Prints a rehearsal. Refusals are printed on stderr, at the lines of the manifests. Effects and unknown facts are
 * printed on stdout, after the plan.
 */
export function printRehearsal(
  { refusals, effects, unknown }: RehearsalDocument,
  sources: Sources,
  terminal: Pick<Terminal, "style" | "width" | "out" | "errStyle" | "errWidth" | "err" | "hint">,
): void {
  const { style, width } = terminal;
  const problems = refusals.flatMap((refusal) => refusal.problems);
  terminal.err(renderDiagnostics(problems, sources, terminal.errStyle, terminal.errWidth));
  for (const refusal of refusals)
    if (refusal.problems.length === 0) terminal.err(wrapped(visible(refusalText(refusal)), terminal.errWidth));
  for (const hint of new Set(refusals.flatMap(({ error }) => error.hint ?? []))) terminal.hint(visible(hint));
  const section = (title: string, mark: string, lines: readonly string[]) => {
    if (lines.length === 0) return;
    terminal.out(`\n${style.bold(title)}\n`);
    for (const line of lines) {
      const texts = wrap(visible(line), Math.max(width - INDENT - 2, MIN_TEXT));
      for (const [at, text] of texts.entries())
        terminal.out(`${" ".repeat(INDENT)}${at === 0 ? mark : " "} ${safeLine(text)}\n`);
    }
  };
  section("Effects", style.cyan("!"), effects.map(effectText));
  section(
    "Not known to the rehearsal",
    style.yellow("?"),
    unknown.map(({ text }) => text),
  );
}

const INDENT = 4;
/** The minimum width of a wrapped text. */
const MIN_TEXT = 20;

/** Returns the text for a refusal that has no line in a manifest. */
function refusalText({ address, operation, status, isCertain, error }: RefusalDocument): string {
  const verdict = isCertain ? "would be refused" : "may be refused";
  const code = status === undefined ? error.code : `${status} ${error.code}`;
  return `${address}: ${operation} ${verdict} (${code}): ${error.message}`;
}

function effectText({ subject, text, isElsewhere }: RehearsedEffect): string {
  return `${subject}: ${text}${isElsewhere ? " (not in this plan)" : ""}`;
}

/** Returns the lines of a rehearsal without styles, for Markdown and for the HTML page of a plan. */
export function rehearsalLines({ refusals, effects, unknown }: RehearsalDocument): {
  refusals: string[];
  effects: string[];
  unknown: string[];
} {
  const at = (problem: Located) => `${placeOf(problem)} ${problem.message}`;
  return {
    refusals: refusals.flatMap((refusal) =>
      refusal.problems.length > 0 ? refusal.problems.map(at) : [refusalText(refusal)],
    ),
    effects: effects.map(effectText),
    unknown: unknown.map(({ text }) => text),
  };
}
