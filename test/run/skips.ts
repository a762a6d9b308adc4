/**
 * A reporter of vitest for skipped tests: prints each reason with its file, because a skipped file looks like a passed
 * one. A test that is skipped without a reason fails the run. With CI=1, each reason that is not in a list fails it.
 */

import type { Reporter, TestModule, TestRunEndReason, TestSpecification, Vitest } from "vitest/node";

/** What a machine of CI may lack. */
const EXPECTED: readonly RegExp[] = [
  /^root may write everywhere$/,
  /^this machine has no address in a network$/,
  /^only root can act as another user$/,
  /^no keychain answers /,
  /: no PostgreSQL \d+: /,
  /^(vim|zsh|fish|curl|pgbouncer) is not installed/,
  /^no Node in PATH is too old$/,
];

export class SkipReporter implements Reporter {
  // Read at once, because the setup of the run deletes the variable.
  readonly #isStrict = Boolean(process.env["CI"]);
  #vitest: Vitest | undefined;
  /** Whether the user chose tests by name or line: vitest skips the other tests of the files. */
  #isFiltered = false;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#isFiltered =
      this.#vitest!.getGlobalTestNamePattern() !== undefined || specifications.some(({ testLines }) => testLines);
  }

  onTestRunEnd(modules: readonly TestModule[], _errors: unknown, reason: TestRunEndReason): void {
    // The tests that an interrupted run leaves out are skipped without a reason.
    if (reason === "interrupted") return;
    const rows = modules
      .flatMap((module) => rowsOf(module))
      .filter(({ note }) => note !== undefined || !this.#isFiltered);
    if (rows.length === 0) return;
    const lines = rows.map(({ file, count, note }) => {
      const isExpected = note !== undefined && (!this.#isStrict || EXPECTED.some((each) => each.test(note)));
      if (!isExpected) process.exitCode = 1;
      return `${isExpected ? "" : "error: "}${file}: ${count} skipped: ${note?.trim().replaceAll(/\s+/g, " ") ?? "without a reason"}`;
    });
    this.#vitest!.logger.log(`\n Skipped tests\n${lines.map((line) => `   ${line}\n`).join("")}`);
  }
}

/** Returns the skipped tests of a file, grouped by reason. */
function rowsOf(module: TestModule): { file: string; count: number; note: string | undefined }[] {
  const notes = [...module.children.allTests("skipped")].map((test) => {
    const result = test.result();
    return result.state === "skipped" ? result.note : undefined;
  });
  return [...Map.groupBy(notes, (note) => note)].map(([note, { length }]) => ({
    file: module.relativeModuleId,
    count: length,
    note,
  }));
}
