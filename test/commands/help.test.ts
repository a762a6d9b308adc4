/** The help of commands and groups, and the help topics. */

import { describe, expect, it } from "vitest";
import { loadHelpPage } from "../../src/commands/help-page.ts";
import { helpText } from "../../src/commands/help-text.ts";
import { TOPICS } from "../../src/commands/help-topics.ts";
import { GLOBAL_OPTIONS } from "../../src/commands/global-flags.ts";
import { longFlag } from "../../src/commands/invocation.ts";
import { type Group, isGroup, tree } from "../../src/commands/tree.ts";
import { textWidth } from "../../src/terminal/width.ts";
import { openCli } from "./cli.ts";

/** The path of formctl, of every group and of every command. */
function paths(group: Group, path: readonly string[] = []): string[][] {
  const children = Object.entries(group.commands).flatMap(([name, node]) =>
    isGroup(node) ? paths(node, [...path, name]) : [[...path, name]],
  );
  return [[...path], ...children];
}
const pages = await Promise.all(paths(tree).map((path) => loadHelpPage(path)));
const leaves = pages.filter(({ commands }) => commands.length === 0);

const nameOf = ({ path }: { path: readonly string[] }) => ["formctl", ...path].join(" ");

describe("the help of every command", () => {
  it("has two to four examples", () => {
    expect(leaves.length).toBeGreaterThan(60);
    const wrong = leaves.filter(({ examples }) => examples.length < 2 || examples.length > 4);
    expect(wrong.map(nameOf)).toEqual([]);
  });

  it("fits 80 columns, and wraps to a narrower terminal", () => {
    const widest = (text: string) => Math.max(...text.split("\n").map(textWidth));
    const wide = pages.filter((page) => widest(helpText(page, 80)) > 80 || widest(helpText(page, Infinity)) > 80);
    expect(wide.map(nameOf)).toEqual([]);
    // Examples and details are left out: their words, such as a quoted name, are never broken.
    const narrow = pages.filter((page) => widest(helpText({ ...page, examples: [], details: undefined }, 40)) > 40);
    expect(narrow.map(nameOf)).toEqual([]);
  });

  it("has no rule numbers", () => {
    const found = pages.filter((page) => /\b[RFTD]\d+\b/.test(helpText(page, 80)));
    expect(found.map(nameOf)).toEqual([]);
  });

  it("has no option of all commands, and names the topic that explains them", () => {
    const all = GLOBAL_OPTIONS.map(([flags]) => longFlag(flags));
    const repeated = pages.filter(({ options }) => options.some(({ name }) => all.includes(longFlag(name))));
    expect(repeated.map(nameOf)).toEqual([]);
    for (const page of pages) expect(helpText(page, 80)).toMatch(/\nOptions of all commands: formctl help options\n$/);
  });

  it("lists every command of the tree in its group, once", () => {
    for (const { path, commands } of pages) {
      if (commands.length === 0) continue;
      const names = commands.flatMap(({ entries }) => entries.map(({ name }) => [...path, name].join(" ")));
      const direct = paths(tree).filter(
        (each) => each.length === path.length + 1 && path.every((w, i) => each[i] === w),
      );
      expect(names.toSorted()).toEqual(direct.map((each) => each.join(" ")).toSorted());
    }
  });

  it("prints commands before everything else in a group", async () => {
    const cli = await openCli(null);
    const { stdout, code } = await cli.run("layouts", "--help");
    expect(code).toBe(0);
    expect(stdout.indexOf("Commands:")).toBeLessThan(stdout.indexOf("Help for a command"));
    expect(stdout).not.toContain("Options:");
    expect(await cli.run("help", "layouts", "draft")).toMatchObject({
      stdout: (await cli.run("layouts", "draft", "--help")).stdout,
    });
  });
});

describe("the topics", () => {
  it.each([40, 80])("fit a terminal of %i columns", async (columns) => {
    const cli = await openCli(null);
    cli.columns = columns;
    for (const topic of Object.keys(TOPICS)) {
      const { stdout, code } = await cli.run("help", topic, "--no-color");
      expect(code).toBe(0);
      const prose = stdout.split("\n").filter((line) => !line.startsWith("  "));
      expect({ topic, wide: prose.filter((line) => textWidth(line) > columns) }).toEqual({ topic, wide: [] });
      expect(stdout).not.toMatch(/\bR\d+\b|…$/m);
    }
  });

  it("explain every option of all commands with its variable", async () => {
    const cli = await openCli(null);
    const { json } = await cli.run("help", "options", "-o", "json");
    const entries = json() as { name: string; about: string }[];
    for (const [flags] of GLOBAL_OPTIONS) expect(entries.map(({ name }) => name)).toContain(flags);
    expect(entries.find(({ name }) => name.startsWith("--store"))?.about).toContain("FORMCTL_STORE");
    expect(entries.find(({ name }) => name.startsWith("-o"))?.about).toContain("FORMCTL_OUTPUT");
  });

  it("have an example of a layout that is valid, and can be published", async () => {
    const cli = await openCli(null);
    await cli.run("local", "init", "--demo");
    const { stdout } = await cli.run("help", "layouts");
    const [, yaml = ""] = /(\n {2}schemaVersion: 1\n[^]*?\n)\n\S/.exec(stdout) ?? [];
    cli.file("layout.yaml", yaml.replaceAll(/^ {2}/gm, ""));
    const name = "staffing/candidate/Candidate profile";
    const pushed = await cli.run("layouts", "draft", "push", name, "layout.yaml", "-o", "json");
    expect(pushed.stderr).not.toContain("warning");
    expect(pushed.json()).toMatchObject({ validation: { state: "valid" } });
    expect((await cli.run("layouts", "publish", name)).code).toBe(0);
  });
});

it("prints the version for -v alone, which has no request to log", async () => {
  const cli = await openCli(null);
  const version = (await cli.run("--version")).stdout;
  expect(version).toMatch(/^\d+\.\d+\.\d+/);
  expect(await cli.run("-v")).toMatchObject({ code: 0, stdout: version });
  expect((await cli.run("-v", "currencies", "get", "EUR", "-o", "json")).json()).toMatchObject({ code: "EUR" });
});
