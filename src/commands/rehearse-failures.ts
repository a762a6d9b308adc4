/**
 * Rehearses a script under failures: `formctl rehearse --failures`. After a run without a failure, each write of the
 * script fails in each of several ways, in a run of its own on a fresh copy. A second run on the same copy shows
 * whether running the script again repairs the state.
 */

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import pMap from "p-map";
import { FormctlError } from "../base/error.ts";
import { plural } from "../base/plural.ts";
import { quoted } from "../base/shell-quote.ts";
import { rehearsalLog } from "../config/script-rehearsal.ts";
import { parseFault } from "../schemas/fault.ts";
import { visible } from "../terminal/escape.ts";
import { startProgress } from "../terminal/progress.ts";
import type { Style } from "../terminal/style.ts";
import { type CommandContext, oneOf, type ServedCopy } from "./command.ts";
import type { Finding, Report } from "./formats/report.ts";
import { type RehearsedCommand, readRehearsedCommands } from "./rehearsed-commands.ts";

/** The faults of a write, without its number. */
const FAULTS = {
  quick: ["write:429", "write:504:after"],
  all: ["write:429", "write:503", "write:504:after", "write:reset:after", "write:dead"],
} as const;

export type FailureSet = keyof typeof FAULTS;

/** Reads the value of `--failures`. Without a value, all failures are rehearsed. */
export const parseFailureSet = (text: string): FailureSet => (text === "" ? "all" : oneOf(["quick", "all"])(text));

/** How a script handled a failure. The first two are sound. */
const VERDICTS = {
  survived: "survived",
  repaired: "stopped, repaired by running again",
  writtenTwice: "written twice",
  wentOn: "went on after the failure",
  notRepaired: "stopped, not repaired by running again",
} as const;

export type FailureRun = {
  /** The failure, in the notation of `serve --fault`. */
  failure: string;
  verdict: keyof typeof VERDICTS;
  /** The exit code of the script. */
  exitCode: number;
  /** The command whose request failed. Null if no command of a watched program was running. */
  at: Pick<RehearsedCommand, "line" | "program" | "words" | "exitCode"> | null;
  /** The operations that were committed more often than without the failure. */
  writtenTwice: readonly string[];
  /** The forms and layouts that differ from those after a run without a failure. */
  differences: readonly string[];
  /** The second run, on the same copy and without a failure. */
  again: { exitCode: number; differences: readonly string[] };
};

export type RehearsedFailures = {
  script: string;
  target: string;
  /** The number of writes of a run without a failure. */
  writes: number;
  runs: readonly FailureRun[];
  unknown: readonly string[];
};

/** Runs the script on a copy. @returns its exit code */
export type RunOnCopy = (copy: ServedCopy["copy"], folder: string) => Promise<number>;

type Options = {
  script: string;
  target: string;
  set: FailureSet;
  concurrency: number;
  folder: string;
  copies: Awaited<ReturnType<CommandContext["copiesForFailures"]>>;
  run: RunOnCopy;
};

/** @throws INVALID_VALUE if the script fails without a failure */
export async function rehearseFailures(context: CommandContext, options: Options): Promise<RehearsedFailures> {
  const { script, target, set, concurrency, copies } = options;
  const { unknown } = copies;
  const quiet = await runOnce(options, "quiet");
  if (quiet.exitCode !== 0) {
    throw new FormctlError(
      "INVALID_VALUE",
      `${script} ends with exit code ${quiet.exitCode} without a failure`,
      `Correct it first: formctl rehearse ${quoted(script)} --yes`,
    );
  }
  const writes = quiet.writes.length;
  const failures = Array.from({ length: writes }, (_, index) => FAULTS[set].map((text) => `${text}:at=${index + 1}`));
  const all = failures.flat();
  context.terminal.hint(
    `${script} makes ${plural(writes, "write")}. ${plural(all.length, "failure")}, each with a second run: ${plural(2 * all.length, "run")}.`,
  );
  const line = startProgress(context.terminal, { label: "Rehearsing failures", total: all.length });
  let done = 0;
  try {
    const runs = await pMap(
      all,
      async (failure, index): Promise<FailureRun> => {
        context.ending.throwIfAborted();
        const { again, ...first } = await runOnce(options, `failure-${index}`, failure);
        line.update(++done);
        const writtenTwice = excess(first.writes, quiet.writes);
        const differences = differing(first.records, quiet.records);
        const repeated = { exitCode: again!.exitCode, differences: differing(again!.records, quiet.records) };
        const { exitCode, at } = first;
        const verdict = judge({ exitCode, writtenTwice, differences, again: repeated });
        return { failure, verdict, exitCode, at, writtenTwice, differences, again: repeated };
      },
      { concurrency },
    );
    return { script, target, writes, runs, unknown };
  } finally {
    line.stop();
  }
}

type Ended = { exitCode: number; records: ReadonlyMap<string, string> };

/** Runs the script on a fresh copy. With a failure, then runs it again without one. */
async function runOnce(
  { folder, copies, run }: Options,
  name: string,
  failure?: string,
): Promise<Ended & { writes: readonly string[]; at: FailureRun["at"]; again: Ended | undefined }> {
  const own = join(folder, name);
  mkdirSync(own, { mode: 0o700 });
  // The fault is noticed when the request fails. The command of this request has started last.
  let started: number | undefined;
  const commands = () => readRehearsedCommands(own, []);
  const onFault = () => void (started ??= commands().length);
  const copy = await copies.open(failure === undefined ? [] : [parseFault(failure)], onFault);
  try {
    const ended = async (): Promise<Ended> => {
      const exitCode = await run(copy.copy, own);
      copy.endFaults();
      return { exitCode, records: await copy.records() };
    };
    const first = await ended();
    const { line, program, words, exitCode } = commands()[(started ?? 0) - 1] ?? {};
    const at = words && { line: line!, words, exitCode: exitCode!, ...(program !== undefined && { program }) };
    const writes = await copy.takeWrites();
    rmSync(rehearsalLog(own), { force: true });
    return { ...first, writes, at: at ?? null, again: failure === undefined ? undefined : await ended() };
  } finally {
    await copy.close();
    rmSync(own, { recursive: true, force: true });
  }
}

function judge({
  exitCode,
  writtenTwice,
  differences,
  again,
}: Pick<FailureRun, "exitCode" | "writtenTwice" | "differences" | "again">): FailureRun["verdict"] {
  if (writtenTwice.length > 0) return "writtenTwice";
  if (exitCode === 0) return differences.length === 0 ? "survived" : "wentOn";
  return again.differences.length === 0 ? "repaired" : "notRepaired";
}

/** Returns the operations that `some` has more often than `usual`. */
function excess(some: readonly string[], usual: readonly string[]): string[] {
  const count = (names: readonly string[], name: string) => names.filter((each) => each === name).length;
  return [...new Set(some)].filter((name) => count(some, name) > count(usual, name)).toSorted();
}

function differing(some: ReadonlyMap<string, string>, usual: ReadonlyMap<string, string>): string[] {
  return [...new Set([...some.keys(), ...usual.keys()])].filter((key) => some.get(key) !== usual.get(key)).toSorted();
}

const isSound = ({ verdict }: FailureRun) => verdict === "survived" || verdict === "repaired";

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
