/** Files of a repository that are far too large, or need far too much memory: each command refuses them. */

import { mkdirSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Cli, openCli } from "./cli.ts";

const MIB = 1024 * 1024;
const FORM = "kind: Form\nobject: staffing/candidate\nname: Profile\ntypes: [VIEW]\n";

/** Opens a project with one large file. The file has no blocks on the disk. */
async function openLarge(path: string, mebibytes: number): Promise<Cli> {
  const cli = await openCli();
  mkdirSync(join(cli.cwd, ".git"));
  cli.file("forms/profile.yaml", FORM);
  cli.file(path, "");
  truncateSync(join(cli.cwd, path), mebibytes * MIB);
  // The search for tokens at the end of a test would read the file.
  onTestFinished(() => truncateSync(join(cli.cwd, path), 0));
  return cli;
}

/** Runs a command, and returns the MiB by which it raised the largest memory of the process. */
async function memoryOf(cli: Cli, line: string) {
  const before = process.resourceUsage().maxRSS;
  const outcome = await cli.run(...line.split(" "));
  return { ...outcome, mebibytes: (process.resourceUsage().maxRSS - before) / 1024 };
}

/** The file, its size and limit in MiB, and command lines that read it. */
const ROWS: [file: string, mebibytes: number, limit: number, lines: string[]][] = [
  ["formctl.yaml", 300, 4, ["forms list", "config list", "validate", "promote --from a --to b --write-references"]],
  ["migrations/20260101-0000-titles.mjs", 600, 4, ["migrate plan", "migrate status", "codemod titles forms"]],
  ["migrations/20260101-0000-titles.yaml", 600, 4, ["migrate plan", "migrate run --yes"]],
  ["forms/large.yaml", 600, 4, ["validate forms", "plan forms"]],
  [".formctl/runs/lock.json", 600, 64, ["plan forms", "apply forms --yes", "export staffing/candidate --into forms"]],
  [".formctl/runs/2026-01-01T000000.000Z-1.1-abcdef.jsonl", 600, 64, ["apply forms --yes"]],
  ["plan.json", 600, 256, ["apply plan.json", "migrate run plan.json"]],
  ["draft.yaml", 600, 256, ["layouts draft push staffing/candidate/Profile draft.yaml", "local seed draft.yaml"]],
  ["access.yaml", 600, 256, ["forms access set staffing/candidate/Profile -f access.yaml"]],
  ["organization.yaml", 600, 256, ["validate forms --organization-file organization.yaml"]],
  ["script.sh", 600, 4, ["rehearse script.sh"]],
];

describe.each(ROWS)("a large %s", (file, mebibytes, limit, lines) => {
  it.each(lines)("is refused unread: formctl %s", async (line) => {
    const cli = await openLarge(file, mebibytes);
    const { code, stdout, stderr, mebibytes: used } = await memoryOf(cli, line);
    expect(stdout + stderr).toContain(`and the limit is ${limit} MiB`);
    expect(stdout + stderr).toContain(file);
    expect(code).toBe(3);
    expect(used).toBeLessThan(150);
  });
});

/** 8 MB of JSON with a new name for each member, which needs much more memory than its size. */
const manyNames = () => `{${Array.from({ length: 500_000 }, (_, index) => `"${index.toString(36)}":""`).join(",")}}`;

it.each([
  [".formctl/runs/lock.json", `{"version":1,"targets":${manyNames().replaceAll('""', "{}")}}`],
  [
    ".formctl/runs/2026-01-01T000000.000Z-1.1-abcdef.jsonl",
    `{"event":"done","at":"","resource":"a","step":1,"ids":${manyNames()}}\n`,
  ],
])("refuses values that need gigabytes of memory in %s", async (file, text) => {
  const cli = await openCli();
  mkdirSync(join(cli.cwd, ".git"));
  cli.file("forms/profile.yaml", FORM);
  cli.file(file, text);
  const { code, stderr } = await cli.run("apply", "forms", "--yes");
  expect(stderr).toContain(`${file} has values that need more than 128 MiB of memory`);
  expect(code).toBe(3);
});

it("costs no memory at each press of Tab", async () => {
  const cli = await openLarge("formctl.yaml", 300);
  const { code, stdout, mebibytes } = await memoryOf(cli, "complete -- forms list ");
  expect({ code, stdout: stdout.includes("\0") }).toEqual({ code: 0, stdout: false });
  expect(mebibytes).toBeLessThan(150);
});

it("reads a large settings file of the user by its size only", async () => {
  const cli = await openCli();
  cli.file(join(cli.home, "config.yaml"), "");
  truncateSync(join(cli.home, "config.yaml"), 300 * MIB);
  onTestFinished(() => truncateSync(join(cli.home, "config.yaml"), 0));
  const { code, stderr } = await memoryOf(cli, "forms list");
  expect([code, stderr]).toEqual([3, expect.stringContaining("config.yaml is 300 MiB, and the limit is 4 MiB")]);
});
