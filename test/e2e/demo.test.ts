/** `npm run demo` runs the short story, or the whole story, and fails if the output differs. */

import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { chaptersOf, commandLine, runStory } from "../../examples/northwind/demo.ts";
import { type Chapter, shortStory, story } from "../../examples/northwind/story.ts";
import { tier } from "../effort.ts";
import { finished, ROOT } from "./program.ts";
import { runHere } from "./typed-line.ts";

const steps = story.flatMap((chapter) => chapter.steps);

/** Returns the command lines of a run. Each has its exit code and output. */
function parseRun(text: string): { line: string; exit: number; answer: string }[] {
  const [, ...parts] = text.split(/^\$ /m);
  return parts.map((part) => {
    const [line = "", ...rest] = part.split("\n");
    const answer = rest.join("\n");
    return { line, exit: Number(/^\[exit (\d+)\]$/m.exec(answer)?.[1] ?? 0), answer };
  });
}

/** Runs chapters. @returns what they print */
async function printed(chapters: readonly Chapter[], run?: Parameters<typeof runStory>[2]): Promise<string> {
  let text = "";
  await runStory(chapters, (more) => (text += more), run);
  return text;
}

/** Returns the output of the demo. In a sample (test/effort.ts), the steps run in this process. */
async function runDemo(): Promise<string> {
  if (tier === "sample")
    return printed(story, async (words, folder) => {
      const { code, output } = await runHere({ words }, { home: folder, cwd: folder });
      return { exit: code, text: output };
    });
  const { code, stdout, stderr } = await finished(process.execPath, ["examples/northwind/demo.ts", "--all"], {
    cwd: ROOT,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/All \d+ steps had the expected results\./);
  return stdout;
}

describe("the demo", () => {
  it("ends every step with the exit code and output of the story", async () => {
    const stdout = await runDemo();
    const lines = parseRun(stdout);
    expect(lines.map(({ exit }) => exit)).toEqual(steps.map(({ exit = 0 }) => exit));
    for (const [index, { words, output = [] }] of steps.entries()) {
      const { line, answer } = lines[index]!;
      expect(line.replace(/ver_\w+/, "{draft}")).toBe(commandLine(words).replace(/"(\{\w+\})"/, "$1"));
      for (const part of output) expect(answer).toContain(part);
    }
    expect(stdout).toBe(stripVTControlCharacters(stdout));
    expect(stdout).not.toMatch(/INTERNAL|undefined|\[object/);
  });

  it("runs a short story by default, and prints at most 70 lines", async () => {
    const demo = await finished(process.execPath, ["examples/northwind/demo.ts"], { cwd: ROOT });
    expect(demo).toMatchObject({ code: 0, stderr: "" });
    expect(demo.stdout.trimEnd().split("\n").length).toBeLessThanOrEqual(70);
    expect(parseRun(demo.stdout).map(({ exit }) => exit)).toEqual(shortStory.steps.map(({ exit = 0 }) => exit));
    for (const text of ["document-review-broken.yaml:9:74", "1 to change", "Applied to", "Restored"])
      expect(demo.stdout).toContain(text);
    expect(demo.stdout).toMatch(/All 9 steps had the expected results[^]*\nAll chapters: npm run demo -- --all\n$/);
  });

  it("has every chapter with --all, and no other option", async () => {
    expect(chaptersOf(["--all"])).toBe(story);
    const wrong = await finished(process.execPath, ["examples/northwind/demo.ts", "--al"], { cwd: ROOT });
    expect(wrong).toMatchObject({ code: 1, stdout: "" });
    expect(wrong.stderr).toContain('unknown argument "--al". The only option is --all');
  });

  it("runs the built program", async () => {
    const [setUp, firstForm] = story;
    const lines = parseRun(await printed([setUp!, firstForm!]));
    expect(lines.map(({ exit }) => exit)).toEqual([...setUp!.steps, ...firstForm!.steps].map(({ exit = 0 }) => exit));
  });

  it("shows the usual kinds of refusals", () => {
    expect(new Set(steps.map(({ exit = 0 }) => exit))).toEqual(new Set([0, 3, 5, 6, 8, 64]));
  });
});

describe("a story with wrong expectations", () => {
  const ending = (step: Partial<Chapter["steps"][number]>) =>
    printed([{ title: "Control", steps: [{ why: "Control.", words: ["currencies", "get", "EUR"], ...step }] }]);

  it("stops the demo", async () => {
    await expect(ending({ output: ["Euro"] })).resolves.toContain("Euro");
    await expect(ending({ exit: 3 })).rejects.toThrow("the exit code was 0 instead of 3");
    await expect(ending({ output: ["Florin"] })).rejects.toThrow('the output does not contain "Florin"');
    await expect(ending({ capture: { name: "id", pattern: /frm_\w+/ } })).rejects.toThrow("the output does not match");
    await expect(ending({ words: ["currencies", "get", "EURO"] })).rejects.toThrow("instead of 0");
  });
});
