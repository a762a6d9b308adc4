/** `npm run demo`: the story as the command lines that a person would type, each run for real with what it prints. */

import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { type Chapter, type Step, story } from "./story.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const FORMCTL = join(ROOT, "bin", "formctl.js");

/** How a command line ended, and all that it said in the order in which a person sees it. */
type Answer = { exit: number; text: string };

/**
 * Tells chapters in a store of their own.
 *
 * @throws Error at the first step that does not end as the story says
 */
export function tell(chapters: readonly Chapter[], print: (text: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "formctl-demo-"));
  const kept = new Map<string, string>();
  // What is kept beside manifests is kept there, and not in this repository.
  symlinkSync(join(ROOT, "examples"), join(folder, "examples"), "junction");
  try {
    chapters.forEach(({ title, steps }, index) => {
      const heading = `${index + 1}. ${title}`;
      print(`\n${heading}\n${"=".repeat(heading.length)}\n`);
      for (const step of steps) {
        const words = step.words.map((word) =>
          word.replace(/^\{(\w+)\}$/, (_all, name: string) => kept.get(name) ?? ""),
        );
        print(`\n# ${step.why}\n$ ${commandLine(words)}\n`);
        const answer = type(words, folder);
        print(answer.text);
        if (answer.exit !== 0) print(`[exit ${answer.exit}]\n`);
        const complaint = complaintOf(step, answer);
        if (complaint !== undefined) throw new Error(`formctl ${words.slice(0, 3).join(" ")} …: ${complaint}`);
        if (step.keeps)
          kept.set(step.keeps.name, step.keeps.pattern.exec(stripVTControlCharacters(answer.text))?.[1] ?? "");
      }
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs one command line as a person would: both streams go to the same place. */
function type(words: readonly string[], folder: string): Answer {
  const path = join(folder, "answer.txt");
  const screen = openSync(path, "w+");
  try {
    const { status, signal, error } = spawnSync(process.execPath, [FORMCTL, ...words], {
      cwd: folder,
      env: environment(folder),
      stdio: ["ignore", screen, screen],
    });
    if (error) throw error;
    if (status === null) throw new Error(`formctl was ended by ${signal}`);
    return { exit: status, text: readFileSync(path, "utf8") };
  } finally {
    closeSync(screen);
  }
}

/** Nothing of the person's own settings has a part in the story. */
function environment(folder: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("FORMCTL_"));
  const color = process.stdout.isTTY && !process.env["NO_COLOR"] ? { FORCE_COLOR: "1" } : {};
  return { ...Object.fromEntries(own), ...color, FORMCTL_HOME: folder };
}

function complaintOf({ exit = 0, says = [], keeps }: Step, answer: Answer): string | undefined {
  if (answer.exit !== exit) return `ended with ${answer.exit}, and should have ended with ${exit}`;
  const plain = stripVTControlCharacters(answer.text);
  const unsaid = says.find((words) => !plain.includes(words));
  if (unsaid !== undefined) return `did not say "${unsaid}"`;
  return keeps && !keeps.pattern.test(plain) ? `said nothing like ${keeps.pattern.source}` : undefined;
}

/** The line as a shell would take it. */
export function commandLine(words: readonly string[]): string {
  return ["formctl", ...words.map(quoted)].join(" ");
}

function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return /["$`\\!]/.test(word) ? `'${word.replaceAll("'", String.raw`'\''`)}'` : `"${word}"`;
}

if (import.meta.main) {
  try {
    tell(story, (text) => process.stdout.write(text));
    const steps = story.reduce((count, chapter) => count + chapter.steps.length, 0);
    process.stdout.write(`\nAll ${steps} steps ended as they should. Try it yourself: npx formctl local init --demo\n`);
  } catch (error) {
    process.stderr.write(`\nThe demo stopped: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
