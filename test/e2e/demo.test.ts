/** `npm run demo` runs the whole story, and fails if the output differs. */

import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { commandLine, runStory } from "../../examples/northwind/demo.ts";
import { type Chapter, story } from "../../examples/northwind/story.ts";
import { finished, ROOT } from "./program.ts";

const steps = story.flatMap((chapter) => chapter.steps);

/** The command lines of a run, each with its exit code and output. */
function parseRun(text: string): { line: string; exit: number; answer: string }[] {
  const [, ...parts] = text.split(/^\$ /m);
  return parts.map((part) => {
    const [line = "", ...rest] = part.split("\n");
    const answer = rest.join("\n");
    return { line, exit: Number(/^\[exit (\d+)\]$/m.exec(answer)?.[1] ?? 0), answer };
  });
}

/** The start-up time of Node in milliseconds while other work is running. */
async function bareStartDuring(work: Promise<unknown>): Promise<number> {
  const over = new AbortController();
  void work.finally(() => over.abort());
  const start = performance.now();
  let rounds = 0;
  do {
    await finished(process.execPath, ["-e", "0"]);
    rounds++;
  } while (!over.signal.aborted);
  return (performance.now() - start) / rounds;
}

describe("the demo", () => {
  it("ends every step with the exit code and output of the story", async () => {
    const start = performance.now();
    const demo = finished(process.execPath, ["examples/northwind/demo.ts"], { cwd: ROOT });
    const bare = await bareStartDuring(demo);
    const { code, stdout, stderr } = await demo;
    const took = performance.now() - start;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    // A busy machine slows both. A step usually takes four times the start-up time of Node.
    expect(took / steps.length).toBeLessThan(11 * bare);

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
