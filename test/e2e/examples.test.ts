/** The examples of every command's help run as printed on the demo's data. */

import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Group, isGroup, type Leaf, tree } from "../../src/commands/tree.ts";
import { demoHome, ROOT, shell } from "./program.ts";

/** What must be there before a line can run: a file that it names, or a record. */
const before: Readonly<Record<string, string>> = {
  'formctl local uploads add "staffing/candidate/Candidate intake" cv.pdf': "echo Mia Park > cv.pdf",
  "formctl local restore before-upgrade.db --yes": "formctl local backup before-upgrade.db",
  "formctl local tokens revoke ci": "formctl local tokens create --name ci",
};

/** Every command that can be typed, with its path. */
function leaves(group: Group, path: readonly string[] = []): { path: string[]; leaf: Leaf }[] {
  return Object.entries(group.commands).flatMap(([name, node]) =>
    isGroup(node) ? leaves(node, [...path, name]) : [{ path: [...path, name], leaf: node }],
  );
}

const commands = await Promise.all(
  leaves(tree).map(async ({ path, leaf }) => ({ path, command: (await leaf.load()).default })),
);
const lines = commands.flatMap(({ path, command }) => command.examples.map((line) => ({ path, line })));

describe("the examples", () => {
  it("are there for every command, and are of that command", () => {
    expect(commands.filter(({ command }) => command.examples.length === 0).map(({ path }) => path)).toEqual([]);
    const foreign = lines.filter(({ path, line }) => !line.includes(["formctl", ...path].join(" ")));
    expect(foreign).toEqual([]);
  });

  it("need nothing beforehand that no example needs", () => {
    expect(Object.keys(before).filter((needed) => !lines.some(({ line }) => line === needed))).toEqual([]);
  });

  it.concurrent.each(lines.map(({ line }) => line))("%s", async (line) => {
    const home = await demoHome();
    const cwd = join(home, "work");
    mkdirSync(cwd);
    symlinkSync(join(ROOT, "examples"), join(cwd, "examples"));
    expect(await shell(before[line] ?? "true", { home, cwd })).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await shell(line, { home, cwd });
    expect({ code, said: code === 0 ? "" : `${stdout}${stderr}` }).toEqual({ code: 0, said: "" });
    expect(stdout).not.toMatch(/undefined|\[object/);
  });

  it("would be caught if they did not run: the control", async () => {
    const home = await demoHome();
    expect((await shell("formctl forms get staffing/candidate/Nobody", { home })).code).toBe(5);
    expect((await shell("formctl forms get staffing/candidate/Nobody | cat", { home })).code).toBe(5);
  });
});
