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

/** A command of the script. The members are those of a rehearsed command. */
export type FailedCommand = {
  line: string | null;
  program?: string;
  words: readonly string[];
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
  at: FailedCommand | null;
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

/** A copy of the target, served with faults. */
export type FaultyCopy<Copy> = {
  copy: Copy;
  endFaults(): void;
  /** Returns the operations that were committed since the previous call, newest first. */
  takeWrites(): Promise<string[]>;
  seed(): Promise<CopySeed>;
  close(): Promise<void>;
};

/** Copies of a target, which is read once. */
export type FaultyCopies<Copy> = {
  /** What the copies lack, one line each. */
  unknown: readonly string[];
  /**
   * Serves a fresh copy.
   *
   * @param onFault called when a request has a fault, before its effect
   */
  open(faults: readonly Fault[], onFault: () => void): Promise<FaultyCopy<Copy>>;
};

export type FailureOptions<Copy> = {
  script: string;
  target: string;
  set: FailureSet;
  concurrency: number;
  copies: FaultyCopies<Copy>;
  /** Prepares a run of the script, for its first and its second time. */
  prepare: () => ScriptOnCopy<Copy>;
  /** Called with the number of writes and of failures, before the first failure. */
  onPlan: (writes: number, failures: number) => void;
  onProgress: (done: number) => void;
  /** Aborted at Ctrl-C. Then no further run begins. */
  ending: AbortSignal;
};

export type ScriptOnCopy<Copy> = {
  /** @returns the exit code of the script */
  run(copy: Copy): Promise<number>;
  /** Returns the commands that have started since the last run began. */
  commands(): readonly FailedCommand[];
  remove(): void;
};

/** @throws INVALID_VALUE if the script fails without a failure */
export async function rehearseFailures<Copy>(options: FailureOptions<Copy>): Promise<RehearsedFailures> {
  const { script, target, set, concurrency, copies, ending } = options;
  const quiet = await runOnce(options);
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
    const { again, exitCode, at, ...first } = await runOnce(options, failure);
    options.onProgress(++done);
    const writtenTwice = excess(first.writes, quiet.writes);
    const differences = differing(first.records, quiet.records);
    const repeated = { exitCode: again!.exitCode, differences: differing(again!.records, quiet.records) };
    const verdict = judge({ exitCode, writtenTwice, differences, again: repeated });
    return { failure, verdict, exitCode, at, writtenTwice, differences, again: repeated };
  };
  return { script, target, writes, runs: await pMap(all, rehearsed, { concurrency }), unknown: copies.unknown };
}

type Ended = { exitCode: number; records: ReadonlyMap<string, string> };

/** Runs the script on a fresh copy. With a failure, then runs it again without one. */
async function runOnce<Copy>(
  { copies, prepare }: FailureOptions<Copy>,
  failure?: string,
): Promise<Ended & { writes: readonly string[]; at: FailureRun["at"]; again: Ended | undefined }> {
  const script = prepare();
  // The fault is noticed when the request fails. The command of this request has started last.
  let started: number | undefined;
  const onFault = () => void (started ??= script.commands().length);
  const copy = await copies.open(failure === undefined ? [] : [parseFault(failure)], onFault);
  const run = async (): Promise<Ended> => {
    const exitCode = await script.run(copy.copy);
    copy.endFaults();
    return { exitCode, records: comparableRecords(await copy.seed()) };
  };
  try {
    const first = await run();
    const at = script.commands()[(started ?? 0) - 1] ?? null;
    const writes = await copy.takeWrites();
    return { ...first, writes, at, again: failure === undefined ? undefined : await run() };
  } finally {
    await copy.close();
    script.remove();
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
