/** `npm run demo` runs the whole story, and fails if the output differs. */

import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { commandLine, runStory } from "../../examples/northwind/demo.ts";
import { type Chapter, story } from "../../examples/northwind/story.ts";
import { finished, ROOT } from "./program.ts";

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

describe("the demo", () => {
  it("ends every step with the exit code and output of the story", async () => {
    const { code, stdout, stderr } = await finished(process.execPath, ["examples/northwind/demo.ts"], { cwd: ROOT });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });

    const lines = parseRun(stdout);
    expect(lines.map(({ exit }) => exit)).toEqual(steps.map(({ exit = 0 }) => exit));
    for (const [index, { words, output = [] }] of steps.entries()) {
      const { line, answer } = lines[index]!;
      expect(line.replace(/ver_\w+/, "{draft}")).toBe(commandLine(words).replace(/"(\{\w+\})"/, "$1"));
      for (const part of output) expect(answer).toContain(part);
    }
    expect(stdout).toBe(stripVTControlCharacters(stdout));
    expect(stdout).not.toMatch(/INTERNAL|undefined|\[object/);
    expect(stdout).toMatch(/All \d+ steps had the expected results\./);
  });

  it("shows the usual kinds of refusals", () => {
    expect(new Set(steps.map(({ exit = 0 }) => exit))).toEqual(new Set([0, 3, 5, 6, 8, 64]));
  });
});

describe("a story with wrong expectations", () => {
  const ending = (step: Partial<Chapter["steps"][number]>) => {
    const chapter: Chapter = {
      title: "Control",
      steps: [{ why: "Control.", words: ["currencies", "get", "EUR"], ...step }],
    };
    return () => runStory([chapter], () => undefined);
  };

  it("stops the demo", () => {
    expect(ending({ output: ["Euro"] })).not.toThrow();
    expect(ending({ exit: 3 })).toThrow("the exit code was 0 instead of 3");
    expect(ending({ output: ["Florin"] })).toThrow('the output does not contain "Florin"');
    expect(ending({ capture: { name: "id", pattern: /frm_\w+/ } })).toThrow("the output does not match");
    expect(ending({ words: ["currencies", "get", "EURO"] })).toThrow("instead of 0");
  });
});
