/** A copy of the project that contains all mutants of a sample, each behind a switch. */

import { spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { mutated, switched } from "./operators.ts";
import { type Mutant, ROOT } from "./sample.ts";

/** What a copy does not need, or builds itself. */
const LEFT_OUT = [".git", ".vitest", "dist", "node_modules", "test-artifacts"];
/** A run in which no mutant is active records the mutants that it reaches. */
const NONE = -1;

export type TestRun = {
  outcome: "passed" | "failed" | "timed out";
  seconds: number;
  failed?: string;
  /** How many tests passed or failed. */
  ran: number;
  files: readonly FileResult[];
  output: string;
};

/** The result of a test file. `name` is its absolute path. The status of a test is passed, failed, or skipped. */
export type FileResult = { name: string; status: string; assertionResults: { status: string; fullName: string }[] };

export class ProjectCopy {
  readonly #folder = mkdtempSync(join(tmpdir(), "formctl-mutants-"));
  readonly #active = join(this.#folder, "active.txt");
  readonly #reached = join(this.#folder, "reached.txt");
  readonly #report = join(this.#folder, "report.json");

  constructor() {
    // Some tests start processes of another user.
    chmodSync(this.#folder, 0o755);
    const isCopied = (path: string) => !LEFT_OUT.includes(relative(ROOT, path));
    cpSync(ROOT, this.#folder, { recursive: true, filter: isCopied });
    symlinkSync(join(ROOT, "node_modules"), join(this.#folder, "node_modules"));
  }

  /** Puts all mutants into the sources and builds the program. */
  async install(mutants: readonly Mutant[]): Promise<void> {
    const numbered = mutants.map((mutant, id) => ({ ...mutant, id }));
    for (const [file, inFile] of Map.groupBy(numbered, (mutant) => mutant.file)) {
      const path = relative(dirname(file), "src/mutant-switch.ts");
      // Without a line break: the lines keep their numbers.
      const header = `import { isActive as isActive__ } from "${path.startsWith(".") ? path : `./${path}`}"; `;
      this.#write(file, header + switched(this.#original(file), inFile, "isActive__"));
    }
    this.#write(
      "src/mutant-switch.ts",
      `import { appendFileSync, readFileSync } from "node:fs";
      const active = Number(readFileSync(${JSON.stringify(this.#active)}, "utf8"));
      const reached: boolean[] = [];
      export function isActive(id: number): boolean {
        if (active === ${NONE} && !reached[id]) {
          reached[id] = true;
          appendFileSync(${JSON.stringify(this.#reached)}, id + "\\n");
        }
        return id === active;
      }`,
    );
    for (const file of [this.#active, this.#reached]) {
      writeFileSync(file, String(NONE));
      chmodSync(file, 0o666);
    }
    const built = await this.#execute(["build/bundle.ts", "dist"], 300);
    if (built.code !== 0) throw new Error(`the program with the mutants can't be built:\n${built.output}`);
  }

  /**
   * Runs test files, or those of their tests that options of vitest choose, with one active mutant, until `bail` tests
   * have failed.
   */
  async test(files: readonly string[], active: number, limitSeconds: number, bail = 1): Promise<TestRun> {
    writeFileSync(this.#active, String(active));
    rmSync(this.#report, { force: true });
    const reports = ["--reporter=default", "--reporter=json", `--outputFile=${this.#report}`];
    const words = ["node_modules/vitest/vitest.mjs", "run", `--bail=${bail}`, "--maxWorkers=1", ...reports, ...files];
    const { code, seconds, output } = await this.#execute(words, limitSeconds);
    if (code === undefined) return { outcome: "timed out", seconds, output, ran: 0, files: [] };
    const results = this.#results();
    const ran = results
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status === "passed" || status === "failed");
    const run = { seconds, output, ran: ran.length, files: results };
    return code === 0
      ? { outcome: "passed", ...run }
      : { outcome: "failed", ...run, failed: this.#failedTest(results) };
  }

  /** Runs a test file without a mutant. Returns the mutants that it reaches, also in the processes that it starts. */
  async measure(file: string, limitSeconds: number): Promise<TestRun & { reached: number[] }> {
    truncateSync(this.#reached);
    const run = await this.test([file], NONE, limitSeconds);
    const ids = readFileSync(this.#reached, "utf8").split("\n").filter(Boolean).map(Number);
    return { ...run, reached: [...new Set(ids)].toSorted((a, b) => a - b) };
  }

  /**
   * Returns the mutants whose file the compiler accepts. Each is checked as another file in the folder of the original,
   * so that the compiler runs only once. An error that a mutant causes in an importing file is not found. To be called
   * before `install`.
   */
  async compiled(mutants: readonly Mutant[]): Promise<Mutant[]> {
    const paths = mutants.map(({ file }, index) => file.replace(/\.ts$/, `.mutant-${index}.ts`));
    for (const [index, mutant] of mutants.entries())
      this.#write(paths[index]!, mutated(this.#original(mutant.file), mutant));
    // A statement is removed together with what only this statement uses.
    const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false };
    const settings = { extends: "./tsconfig.json", compilerOptions, include: ["src"] };
    this.#write("tsconfig.mutants.json", JSON.stringify(settings));
    const { code, output } = await this.#execute(["node_modules/.bin/tsc", "-p", "tsconfig.mutants.json"], 600);
    for (const path of paths) rmSync(join(this.#folder, path));
    const refused = new Set([...output.matchAll(/^(\S+?)\(\d+,\d+\): error/gm)].map(([, path]) => path!));
    if (code !== 0 && ![...refused].every((path) => paths.includes(path)))
      throw new Error(`the compiler failed:\n${output}`);
    return mutants.filter((_, index) => !refused.has(paths[index]!));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #original(file: string): string {
    return readFileSync(join(ROOT, file), "utf8");
  }

  #write(file: string, text: string): void {
    writeFileSync(join(this.#folder, file), text);
  }

  /** Reads the report of the last run. It is missing if vitest could not start. */
  #results(): FileResult[] {
    if (!existsSync(this.#report)) return [];
    return (JSON.parse(readFileSync(this.#report, "utf8")) as { testResults: FileResult[] }).testResults;
  }

  #failedTest(results: readonly FileResult[]): string {
    const file = results.find(({ status }) => status === "failed");
    const test = file?.assertionResults.find(({ status }) => status === "failed");
    return file ? `${relative(this.#folder, file.name)}: ${test?.fullName ?? "the file"}` : "the run";
  }

  /** Runs a script in the copy. The code is undefined after the time limit. */
  async #execute(words: string[], limitSeconds: number): Promise<{ code?: number; seconds: number; output: string }> {
    const start = performance.now();
    const child = spawn(process.execPath, words, { cwd: this.#folder, detached: true });
    const output: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => output.push(data));
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    child.on("error", reject).on("close", (code) => resolve(code ?? 1));
    const timer = setTimeout(() => {
      resolve(undefined);
      // The group of vitest's processes. Its sweeper ends the others.
      process.kill(-child.pid!, "SIGKILL");
    }, limitSeconds * 1000);
    const code = await promise;
    clearTimeout(timer);
    const seconds = (performance.now() - start) / 1000;
    return { ...(code !== undefined && { code }), seconds, output: Buffer.concat(output).toString() };
  }
}
