/** `npm run demo` runs the whole story, and fails if the output differs. */

import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { commandLine, tell } from "../../examples/northwind/demo.ts";
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
async function bareStartBeside(work: Promise<unknown>): Promise<number> {
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
    const bare = await bareStartBeside(demo);
    const { code, stdout, stderr } = await demo;
    const took = performance.now() - start;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    // Whatever the machine is busy with slows both: a step takes four times as long as starting Node, and 15 s were eleven times.
    expect(took / steps.length).toBeLessThan(11 * bare);

    const lines = parseRun(stdout);
    expect(lines.map(({ exit }) => exit)).toEqual(steps.map(({ exit = 0 }) => exit));
    for (const [index, { words, says = [] }] of steps.entries()) {
      const { line, answer } = lines[index]!;
      expect(line.replace(/ver_\w+/, "{draft}")).toBe(commandLine(words).replace(/"(\{\w+\})"/, "$1"));
      for (const part of says) expect(answer).toContain(part);
    }
    expect(stdout).toBe(stripVTControlCharacters(stdout));
    expect(stdout).not.toMatch(/INTERNAL|undefined|\[object/);
    expect(stdout).toMatch(/All \d+ steps ended as they should\./);
  });

  it("shows every kind of refusal that an operator meets", () => {
    expect(new Set(steps.map(({ exit = 0 }) => exit))).toEqual(new Set([0, 3, 5, 6, 8, 64]));
  });
});

describe("a story that is not true", () => {
  const ending = (step: Partial<Chapter["steps"][number]>) => {
    const chapter: Chapter = {
      title: "Control",
      steps: [{ why: "To see it fail.", words: ["currencies", "get", "EUR"], ...step }],
    };
    return () => tell([chapter], () => undefined);
  };

  it("stops the demo", () => {
    expect(ending({ says: ["Euro"] })).not.toThrow();
    expect(ending({ exit: 3 })).toThrow("ended with 0, and should have ended with 3");
    expect(ending({ says: ["Florin"] })).toThrow('did not say "Florin"');
    expect(ending({ keeps: { name: "id", pattern: /frm_\w+/ } })).toThrow("said nothing like");
    expect(ending({ words: ["currencies", "get", "EURO"] })).toThrow("should have ended with 0");
  });
});
