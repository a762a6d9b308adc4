/** The control of `npm run test:machines`, with machines that have a tiny repository and shell lines as their steps. */

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { reasonElsewhereThanLinux, reasonWithout, skipTests } from "../skip.ts";
import { temporaryFolders } from "../temporary.ts";
import type { Machine } from "./machines.ts";
import { runMachine, type Stage } from "./run-machine.ts";

const newFolder = temporaryFolders("on disk");

skipTests(reasonElsewhereThanLinux ?? reasonWithout("git"));

/** Creates a repository with one commit, and the folders of a run. */
function newStage(): Stage {
  const [source, folder, logs] = [newFolder(), newFolder(), newFolder()];
  writeFileSync(join(source, "file.txt"), "text");
  const git = (...words: string[]) => execFileSync("git", words, { cwd: source });
  git("init", "--quiet");
  git("add", "file.txt");
  git("-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "--message", "test");
  return { source, folder, logs };
}

const machine = (commands: Partial<Machine["commands"]>, more: Partial<Machine> = {}): Machine => ({
  name: "test",
  description: "",
  user: "present",
  home: { name: "a home", isPrivate: true },
  hasNodeModules: false,
  commands: { "set-up": "true", demo: "true", tests: "true", ...commands },
  ...more,
});

describe("a machine", () => {
  it("passes if its steps pass in a clean clone, and nothing is left", async () => {
    const stage = newStage();
    writeFileSync(join(stage.source, "file.txt"), "a change that is not committed");
    const tests = "grep -qx text file.txt && echo ' Tests  3 passed | 1 skipped (4)'";
    const { passed, line } = await runMachine(machine({ tests }), stage);
    expect(line).toMatch(
      /^set-up ok \d+ s, demo ok \d+ s, tests ok \d+ s \(3 passed \| 1 skipped \(4\)\), nothing left$/,
    );
    expect(passed).toBe(true);
    expect(readdirSync(stage.folder)).toEqual([]);
  });

  it("fails if a step fails, and its log has the output", async () => {
    const stage = newStage();
    const { passed, line } = await runMachine(machine({ demo: "echo the reason; exit 3" }), stage);
    expect(line).toMatch(/set-up ok .*, demo FAILED \d+ s \(exit code 3\), tests ok .* Log: .*test\.log$/);
    expect(passed).toBe(false);
    expect(readFileSync(join(stage.logs, "test.log"), "utf8")).toContain("the reason");
  });

  it("fails without a further step if the set-up fails", async () => {
    const { passed, line } = await runMachine(machine({ "set-up": "false" }), newStage());
    expect(line).toMatch(/^set-up FAILED \d+ s \(exit code 1\), nothing left\. Log: /);
    expect(passed).toBe(false);
  });

  it("fails if it leaves a process, a file or a change", async () => {
    const commands = { "set-up": "sleep 600 &", demo: "touch ${TMPDIR:-/tmp}/rest", tests: "echo more >> file.txt" };
    const { passed, line } = await runMachine(machine(commands), newStage());
    expect(line).toMatch(/LEFT: process sleep 600, file \/\S*tmp\/rest, change {2}M file\.txt\. Log: /);
    expect(passed).toBe(false);
  });

  it("has no hidden program in PATH, and all others", async () => {
    const hidden = { hidden: /^git/ };
    expect(
      await runMachine(machine({ demo: "! command -v git", tests: "bash --version" }, hidden), newStage()),
    ).toMatchObject({ passed: true });
    expect(await runMachine(machine({ demo: "git --version" }, hidden), newStage())).toMatchObject({ passed: false });
  });
});
