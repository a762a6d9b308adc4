/** `formctl local …` about the store as a file, as it is typed. */

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openCli } from "./cli.ts";

describe("local init", () => {
  it("makes a store of an empty file, and leaves one that is there", async () => {
    const cli = await openCli(null);
    delete cli.env["FORMCTL_ORGANIZATION"];
    writeFileSync(join(cli.cwd, "new.db"), "");
    const first = await cli.run("--store", "new.db", "local", "init");
    expect(first).toMatchObject({ code: 0, stdout: `Created a local store: ${join(cli.cwd, "new.db")}\n` });
    const second = await cli.run("--store", "new.db", "local", "init");
    expect(second).toMatchObject({ code: 0, stdout: `There is already a local store: ${join(cli.cwd, "new.db")}\n` });
    expect((await cli.run("--store", "new.db", "local", "check")).stdout).toBe("The store is sound.\n");
  });
});

describe("local backup", () => {
  it("refuses a file without a name before it copies anything", async () => {
    const cli = await openCli();
    const before = readdirSync(cli.cwd);
    const { code, stderr } = await cli.run("local", "backup", "");
    expect({ code, files: readdirSync(cli.cwd) }).toEqual({ code: 64, files: before });
    expect(stderr).toContain("formctl local backup before-upgrade.db");
  });
});

describe("layouts resolve", () => {
  it("says where the members are who could be meant", async () => {
    const cli = await openCli();
    const words = ["--surface", "CONTRACTOR", "--mode", "VIEW", "--member", "no@northwind.example"];
    const { code, stderr } = await cli.run("layouts", "resolve", ...words);
    expect(code).toBe(5);
    expect(stderr).toContain("hint: See what there is: formctl local show\n");
  });
});
