/** Long output in the pager of a real terminal. */

import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { CTRL_C, type PtyOptions, runInPty, type Step } from "../pty.ts";
import { COMMAND, demoHome, emptyHome, formctl, ROOT } from "./program.ts";

const CURRENCIES = ["currencies", "list"];
const LAST = /ZWG +Zimbabwe Gold/;

const run = (words: readonly string[], options: PtyOptions, steps?: readonly Step[]) =>
  runInPty([...COMMAND, ...words], { cwd: ROOT, ...options }, steps);

describe("output that is longer than the screen", () => {
  it("is shown in less, which the user may quit early", async () => {
    const home = emptyHome();
    const { screen, exitCode } = await run(CURRENCIES, { home, rows: 10 }, [[/AUD/, "q"]]);
    expect(exitCode).toBe(0);
    expect(screen).toContain("UAE Dirham");
    expect(screen).not.toMatch(LAST);
  });

  it("leaves Ctrl-C to the pager", async () => {
    const home = emptyHome();
    const script = `#!/bin/sh\ntrap 'echo interrupted; exit 3' INT\ncat > /dev/null\necho ready\nsleep 600 & wait\n`;
    writeFileSync(join(home, "pager"), script, { mode: 0o755 });
    const options = { home, rows: 10, env: { PAGER: "pager", PATH: `${home}${delimiter}${process.env["PATH"]}` } };
    const { screen, exitCode } = await run(CURRENCIES, options, [[/ready/, CTRL_C]]);
    expect({ exitCode, screen }).toEqual({
      exitCode: 0,
      screen: expect.stringMatching(/ready[^]*interrupted/) as string,
    });
  });

  it.each([["--help"], ["layouts draft push --help"], ["help environment"], ["forms list staffing/candidate -o json"]])(
    "is paged for formctl %s",
    async (line) => {
      const { screen, exitCode } = await run(line.split(" "), {
        home: await demoHome(),
        rows: 8,
        env: { FORMCTL_PAGER: "sed s/^/|/" },
      });
      expect(exitCode).toBe(0);
      expect(
        screen
          .trimEnd()
          .split("\n")
          .every((text) => text.startsWith("|")),
      ).toBe(true);
    },
  );

  it("is written to the pager of FORMCTL_PAGER, else of PAGER, with its arguments", async () => {
    const home = emptyHome();
    const lines = async (env: Record<string, string>) =>
      (await run(CURRENCIES, { home, rows: 10, env })).screen.trimEnd().split("\n").length;
    expect(await lines({ PAGER: "head -n 3" })).toBe(3);
    expect(await lines({ PAGER: "head -n 3", FORMCTL_PAGER: "head -n 5" })).toBe(5);
  });

  it.each([
    ["the pager does not exist", [], { PAGER: "no-such-pager" }],
    ["the pager is cat", [], { PAGER: "cat" }],
    ["the pager is empty", [], { PAGER: "" }],
    ["the terminal can't move its cursor", [], { TERM: "dumb", PAGER: "false" }],
    ["--no-pager is set", ["--no-pager"], { PAGER: "false" }],
  ])("is printed directly if %s", async (_case, flags, env) => {
    const { screen, exitCode } = await run([...CURRENCIES, ...flags], {
      home: emptyHome(),
      rows: 10,
      env,
    });
    expect(exitCode).toBe(0);
    expect(screen).toMatch(LAST);
  });
});

it("starts no pager for output that fits, for a write, or without a terminal", async () => {
  const home = await demoHome();
  const env = { PAGER: "false" };
  const short = await run(["currencies", "get", "EUR"], { home, rows: 10, env });
  expect(short).toMatchObject({ exitCode: 0, screen: expect.stringContaining("Euro") as string });
  const create = ["forms", "create", "staffing/candidate", "--name", "New", "--types", "VIEW"];
  const write = await run([...create, "-o", "json"], { home, rows: 4, env });
  expect(write).toMatchObject({ exitCode: 0, screen: expect.stringContaining('"name": "New"') as string });
  expect((await formctl(CURRENCIES, { home, env })).stdout).toMatch(LAST);
});

it("prints messages after the pager has ended, and keeps the exit code", async () => {
  const { screen, exitCode } = await run(["status", "examples/northwind/manifests", "--detailed-exitcode"], {
    home: await demoHome(),
    rows: 6,
    env: { PAGER: "head -n 1" },
  });
  expect(screen).toMatch(/STATE.*\r?\n(?!.*in sync)[^]*Next: formctl plan/);
  expect(exitCode).toBe(2);
});
