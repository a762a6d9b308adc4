/**
 * `npm run demo`: runs the command lines of the short story and prints their output. `npm run demo -- --all` runs every
 * chapter.
 */

import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { type Chapter, shortStory, type Step, story } from "./story.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const FORMCTL = join(ROOT, "bin", "formctl.js");

/** The result of a command line; `text` is stdout and stderr in their order. */
type Result = { exit: number; text: string };
/** Runs the words after `formctl` with the settings and the working directory in a folder. */
type Run = (words: readonly string[], folder: string) => Result | Promise<Result>;

/**
 * Runs chapters in a new store.
 *
 * @throws Error at the first step with another result than the story expects
 */
export async function runStory(
  chapters: readonly Chapter[],
  print: (text: string) => void,
  run: Run = runProgram,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "formctl-demo-"));
  const captured = new Map<string, string>();
  // The files that commands write next to manifests go there, not into this repository.
  symlinkSync(join(ROOT, "examples"), join(folder, "examples"), "junction");
  try {
    for (const [index, { title, steps }] of chapters.entries()) {
      const heading = chapters.length > 1 ? `${index + 1}. ${title}` : title;
      print(`\n${heading}\n${"=".repeat(heading.length)}\n`);
      for (const step of steps) {
        const words = step.words.map((word) =>
          word.replace(/^\{(\w+)\}$/, (_all, name: string) => captured.get(name) ?? ""),
        );
        print(`\n# ${step.why}\n$ ${commandLine(words)}\n`);
        const result = await run(words, folder);
        print(result.text);
        if (result.exit !== 0) print(`[exit ${result.exit}]\n`);
        const problem = problemOf(step, result);
        if (problem !== undefined) throw new Error(`formctl ${words.slice(0, 3).join(" ")} …: ${problem}`);
        if (step.capture) {
          const match = step.capture.pattern.exec(stripVTControlCharacters(result.text));
          captured.set(step.capture.name, match?.[1] ?? "");
        }
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the program with both streams in one file. */
function runProgram(words: readonly string[], folder: string): Result {
  const path = join(folder, "output.txt");
  const screen = openSync(path, "w+");
  try {
    const { status, signal, error } = spawnSync(process.execPath, [FORMCTL, ...words], {
      cwd: folder,
      env: environment(folder),
      stdio: ["ignore", screen, screen],
    });
    if (error) throw error;
    if (status === null) throw new Error(`a signal ended formctl: ${signal}`);
    return { exit: status, text: readFileSync(path, "utf8") };
  } finally {
    closeSync(screen);
  }
}

/** Excludes the settings of the user. */
function environment(folder: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("FORMCTL_"));
  const color = process.stdout.isTTY && !process.env["NO_COLOR"] ? { FORCE_COLOR: "1" } : {};
  return { ...Object.fromEntries(own), ...color, FORMCTL_HOME: folder };
}

function problemOf({ exit = 0, output = [], capture }: Step, result: Result): string | undefined {
  if (result.exit !== exit) return `the exit code was ${result.exit} instead of ${exit}`;
  const plain = stripVTControlCharacters(result.text);
  const missing = output.find((text) => !plain.includes(text));
  if (missing !== undefined) return `the output does not contain "${missing}"`;
  return capture && !capture.pattern.test(plain) ? `the output does not match ${capture.pattern.source}` : undefined;
}

/** The command line, quoted for a shell. */
export function commandLine(words: readonly string[]): string {
  return ["formctl", ...words.map(quoted)].join(" ");
}

function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return /["$`\\!]/.test(word) ? `'${word.replaceAll("'", String.raw`'\''`)}'` : `"${word}"`;
}

/** Returns the chapters that the arguments select. @throws Error for an unknown argument */
export function chaptersOf(args: readonly string[]): readonly Chapter[] {
  const unknown = args.find((each) => each !== "--all");
  if (unknown !== undefined) throw new Error(`unknown argument "${unknown}". The only option is --all`);
  return args.length > 0 ? story : [shortStory];
}

if (import.meta.main) {
  try {
    const chapters = chaptersOf(process.argv.slice(2));
    await runStory(chapters, (text) => process.stdout.write(text));
    const steps = chapters.reduce((count, chapter) => count + chapter.steps.length, 0);
    const rest = chapters === story ? "" : "All chapters: npm run demo -- --all\n";
    process.stdout.write(
      `\nAll ${steps} steps had the expected results. To try it: npx --no-install formctl local init --demo\n${rest}`,
    );
  } catch (error) {
    process.stderr.write(`\nThe demo stopped: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
