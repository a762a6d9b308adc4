/**
 * Rehearses a script under failures. After a run without a failure, each write of the script fails in each of several
 * ways, in a run of its own on a fresh copy of the target. A second run on the same copy shows whether running the
 * script again repairs the state.
 */

import pMap from "p-map";
import { FormctlError } from "../base/error.ts";
import { quoted } from "../base/shell-quote.ts";
import type { CopySeed } from "../local-service.ts";
import { type Fault, parseFault } from "../schemas/fault.ts";
import { comparableRecords } from "./comparable.ts";

/** The faults of a write, without its number. */
const FAULTS = {
  quick: ["write:429", "write:504:after"],
  all: ["write:429", "write:503", "write:504:after", "write:reset:after", "write:dead"],
} as const;

export type FailureSet = keyof typeof FAULTS;

/** A command that a script has started. */
export type StartedCommand = {
  /** The file and line of the command, such as `release.sh:12`. Null if the shell does not report it. */
  line: string | null;
  /** A program other than formctl. The rehearsal of failures watches some. */
  program?: string;
  /** The words after `formctl`. Tokens are hidden. Empty for another program. */
  words: readonly string[];
  /** Null if the command was killed, or was still running at the end of the script. */
  exitCode: number | null;
};

/** How a script handled a failure. The first two are sound. */
export const VERDICTS = {
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
  at: StartedCommand | null;
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

/** A copy of the target, on a server that may have faults. */
export type CopyWithFaults = {
  endFaults(): void;
  /** Returns the operations that were committed since the previous call, newest first. */
  takeWrites(): Promise<string[]>;
  seed(): Promise<CopySeed>;
  close(): Promise<void>;
};

export type FailureOptions = {
  script: string;
  target: string;
  /** What the copies lack, one line each. */
  unknown: readonly string[];
  set: FailureSet;
  concurrency: number;
  /**
   * Prepares the script on a fresh copy.
   *
   * @param faults.onFault called when a request has a fault, before its effect
   */
  start: (faults: { list: readonly Fault[]; onFault?: () => void }) => Promise<ScriptOnCopy>;
  /** Called with the number of writes and of failures, before the first failure. */
  onPlan: (writes: number, failures: number) => void;
  onProgress: (done: number) => void;
  /** Aborted at Ctrl-C. Then no further run begins. */
  ending: AbortSignal;
};

export type ScriptOnCopy = CopyWithFaults & {
  /** Runs the script. @returns its exit code */
  run(): Promise<number>;
  /** Returns the commands that have started since the last run began. */
  commands(): readonly StartedCommand[];
};

/** @throws INVALID_VALUE if the script fails without a failure */
export async function rehearseFailures(options: FailureOptions): Promise<RehearsedFailures> {
  const { script, target, unknown, set, concurrency, start, ending } = options;
  const quiet = await runOnce(start);
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
  options.onPlan(writes, all.length);
  let done = 0;
  const rehearsed = async (failure: string): Promise<FailureRun> => {
    ending.throwIfAborted();
    const { again, exitCode, at, ...first } = await runOnce(start, failure);
    options.onProgress(++done);
    const writtenTwice = excess(first.writes, quiet.writes);
    const differences = differing(first.records, quiet.records);
    const repeated = { exitCode: again!.exitCode, differences: differing(again!.records, quiet.records) };
    const verdict = judge({ exitCode, writtenTwice, differences, again: repeated });
    return { failure, verdict, exitCode, at, writtenTwice, differences, again: repeated };
  };
  return { script, target, writes, runs: await pMap(all, rehearsed, { concurrency }), unknown };
}

type Ended = { exitCode: number; records: ReadonlyMap<string, string> };

/** Runs the script on a fresh copy. With a failure, then runs it again without one. */
async function runOnce(
  start: FailureOptions["start"],
  failure?: string,
): Promise<Ended & { writes: readonly string[]; at: FailureRun["at"]; again: Ended | undefined }> {
  // The fault is noticed when the request fails. The command of this request has started last.
  let started: number | undefined;
  const script = await start({
    list: failure === undefined ? [] : [parseFault(failure)],
    onFault: () => void (started ??= script.commands().length),
  });
  const run = async (): Promise<Ended> => {
    const exitCode = await script.run();
    script.endFaults();
    return { exitCode, records: comparableRecords(await script.seed()) };
  };
  try {
    const first = await run();
    const at = script.commands()[(started ?? 0) - 1] ?? null;
    const writes = await script.takeWrites();
    return { ...first, writes, at, again: failure === undefined ? undefined : await run() };
  } finally {
    await script.close();
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

/** Whether the script handled the failure. */
export const isSound = ({ verdict }: FailureRun) => verdict === "survived" || verdict === "repaired";
