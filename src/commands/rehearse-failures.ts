/** `formctl rehearse --failures`: runs a script once for each failure, and prints how the script handled them. */

import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { plural } from "../base/plural.ts";
import { quoted } from "../base/shell-quote.ts";
import { rehearsalLog, type ScriptRehearsal } from "../config/script-rehearsal.ts";
import { targetText } from "../config/target.ts";
import {
  type FailureRun,
  type FailureSet,
  isSound,
  rehearseFailures,
  type RehearsedFailures,
  VERDICTS,
} from "../rehearsal/failures.ts";
import { visible } from "../terminal/escape.ts";
import { startProgress } from "../terminal/progress.ts";
import type { Style } from "../terminal/style.ts";
import { type CommandContext, type ScriptCopies, oneOf } from "./command.ts";
import type { Finding, Report } from "./formats/report.ts";
import { readRehearsedCommands } from "./rehearsed-commands.ts";

/** Reads the value of `--failures`. Without a value, all failures are rehearsed. */
export const parseFailureSet = (text: string): FailureSet => (text === "" ? "all" : oneOf(["quick", "all"])(text));

/**
 * @param options.folder a private folder
 * @param options.run runs the script in a rehearsal, and returns its exit code
 * @throws INVALID_VALUE if the script fails without a failure
 */
export async function rehearseScriptFailures(
  { target, isTargetNamed, terminal, ending }: CommandContext,
  options: {
    script: string;
    set: FailureSet;
    concurrency: number;
    folder: string;
    copies: ScriptCopies;
    run: (rehearsal: ScriptRehearsal) => Promise<number>;
  },
): Promise<RehearsedFailures> {
  const { script, set, concurrency, folder, copies, run } = options;
  const line = startProgress(terminal, { label: "Rehearsing failures" });
  let total = 0;
  try {
    return await rehearseFailures({
      script,
      set,
      concurrency,
      target: targetText(target),
      unknown: copies.unknown,
      ending,
      async start(faults) {
        const { copy, ...served } = await copies.serve(faults);
        const own = mkdtempSync(join(folder, "run-"));
        return {
          ...served,
          run() {
            rmSync(rehearsalLog(own), { force: true });
            return run({ target, isTargetNamed, copy, folder: own });
          },
          commands: () =>
            readRehearsedCommands(own, []).map(({ writes: _writes, error: _error, ...command }) => command),
        };
      },
      onPlan(writes, failures) {
        total = failures;
        const counts = `${plural(failures, "failure")}, each with a second run: ${plural(2 * failures, "run")}`;
        terminal.hint(`${script} makes ${plural(writes, "write")}. ${counts}.`);
      },
      onProgress: (done) => line.update(done, undefined, total),
    });
  } finally {
    line.stop();
  }
}

/** 0 if the script handled each failure. */
export const failuresExitCode = ({ runs }: RehearsedFailures): number => (runs.every(isSound) ? 0 : 1);

/** Returns a line for each failure, and below those that were not handled, what happened. */
export function failureText(run: FailureRun, widest: number, style: Style): string {
  const { failure, verdict } = run;
  const paint = verdict === "survived" ? style.green : verdict === "repaired" ? style.yellow : style.red;
  const line = `${failure.padEnd(widest)}  ${paint(VERDICTS[verdict])}`;
  return isSound(run) ? line : [line, ...factsOf(run).map((fact) => `  ${visible(fact)}`)].join("\n");
}

function factsOf({ exitCode, at, writtenTwice, differences, again, verdict }: FailureRun): string[] {
  const program = at?.program ?? ["formctl", ...(at?.words.map((word) => quoted(word)) ?? [])].join(" ");
  const end = at?.exitCode === null ? "did not end" : `exit code ${at?.exitCode}`;
  return [
    at === null ? "a program that is not watched" : `${at.line ?? "the script"}: ${program}: ${end}`,
    `the script ended with exit code ${exitCode}`,
    ...(writtenTwice.length > 0 ? [`committed too often: ${writtenTwice.join(", ")}`] : []),
    ...(differences.length > 0 ? [`different afterwards: ${someOf(differences)}`] : []),
    ...(verdict === "notRepaired" ? [`different after a second run: ${someOf(again.differences)}`] : []),
  ];
}

const SHOWN = 3;

function someOf(names: readonly string[]): string {
  const more = names.length - SHOWN;
  return [...names.slice(0, SHOWN), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** Returns `10 failures: 8 survived, 2 stopped, repaired by running again.` */
export function failuresSummary({ runs, script }: RehearsedFailures): string {
  if (runs.length === 0) return `${script} writes nothing, so no failure was rehearsed.`;
  const counts = (Object.keys(VERDICTS) as FailureRun["verdict"][]).flatMap((verdict) => {
    const count = runs.filter((run) => run.verdict === verdict).length;
    return count === 0 ? [] : [`${count} ${VERDICTS[verdict]}`];
  });
  return `${plural(runs.length, "failure")}: ${counts.join("; ")}.`;
}

/** Returns the report: each failure. A failure that the script did not handle is a failed test. */
export function failuresReport(rehearsed: RehearsedFailures): Report {
  const findings = rehearsed.runs.map((run): Finding => {
    const [, file, number] = /^(.+):(\d+)$/.exec(run.at?.line ?? "") ?? [];
    return {
      subject: run.failure,
      state: VERDICTS[run.verdict],
      level: isSound(run) ? "none" : "error",
      fails: !isSound(run),
      message: isSound(run) ? "" : factsOf(run).join("; "),
      ...(file !== undefined && { place: { file, line: Number(number) } }),
    };
  });
  const omitted = rehearsed.unknown.map((line): Finding => {
    return { subject: rehearsed.target, state: "not in the copy", level: "note", fails: false, message: line };
  });
  return {
    title: ["formctl rehearse --failures", "on", rehearsed.target],
    summary: failuresSummary(rehearsed),
    exitCode: failuresExitCode(rehearsed),
    problems: [],
    suites: [{ name: rehearsed.script, findings: [...findings, ...omitted] }],
  };
}
