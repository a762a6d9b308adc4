/** Tests test runs: which skipped tests fail a run, and that a run leaves no process and no folder. */

import { existsSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { reasonElsewhereThanLinux, skipTests } from "../skip.ts";
import { startRun } from "./nested-run.ts";
import { processesOf } from "./processes.ts";

describe("the skipped tests of a run", () => {
  const EXPECTED = "test/run/cases/skips.ts: 2 skipped: root may write everywhere";
  const UNEXPECTED = "test/run/cases/skips.ts: 1 skipped: PostgreSQL can't start";
  const UNEXPLAINED = "test/run/cases/unexplained-skips.ts: 1 skipped: without a reason";

  it.each([
    ["skips.ts", {}, 0, [EXPECTED, UNEXPECTED]],
    ["skips.ts", { CI: "1" }, 1, [EXPECTED, `error: ${UNEXPECTED}`]],
    ["unexplained-skips.ts", {}, 1, [`error: ${UNEXPLAINED}`]],
  ])("of %s with %j lead to exit code %i", async (file, env, code, lines) => {
    const ended = await startRun(file, [], env).ended;
    const [, printed = ""] = ended.output.split("Skipped tests\n");
    expect(printed.trim().split(/\n */)).toEqual(lines);
    expect(ended.code).toBe(code);
  });

  it("are not those that the user left out", async () => {
    const { code, output } = await startRun("unexplained-skips.ts", ["-t", "another test"]).ended;
    expect(output).not.toContain("Skipped tests");
    expect(code).toBe(0);
  });
});

describe("a run that ends in the middle of a test", () => {
  skipTests(reasonElsewhereThanLinux);

  it.each([
    ["SIGINT to all its processes, as by Ctrl-C", "SIGINT", -1],
    ["SIGKILL to its first process", "SIGKILL", 1],
    ["SIGKILL to all its processes", "SIGKILL", -1],
  ] as const)("leaves no process and no folder after %s", async (_what, signal, sign) => {
    const { child, ended } = startRun("endless.ts");
    onTestFinished(() => void child.kill("SIGKILL"));
    const folders = await new Promise<string[]>((resolve, reject) => {
      let printed = "";
      child.stdout.on("data", (text: string) => {
        printed += text;
        const [, list] = /folders: (\[.*\])\n/.exec(printed) ?? [];
        if (list !== undefined) resolve(JSON.parse(list) as string[]);
      });
      child.once("close", () => reject(new Error(printed)));
    });
    const left = () => processesOf(folders, process.pid).map(({ command }) => command);
    await expect.poll(() => left().filter((command) => command.startsWith("sleep"))).toHaveLength(4);
    expect(folders.filter((folder) => existsSync(folder))).toHaveLength(2);
    process.kill(sign * child.pid!, signal);
    await expect.poll(left, { timeout: 60_000 }).toEqual([]);
    expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
    await ended;
  });
});
