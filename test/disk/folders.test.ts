/** Tests that a folder is created, or an error immediately reports the reason. */

import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolder } from "../../src/disk/folders.ts";
import { emptyHome, finished, FORMCTL } from "../e2e/program.ts";
import { reasonAsRoot, reasonElsewhereThanLinux, skipTests } from "../skip.ts";
import { temporaryFolders } from "../temporary.ts";

const newFolder = temporaryFolders();

describe("makeFolder", () => {
  it("creates missing parents, with the requested mode", () => {
    const folder = newFolder();
    makeFolder(join(folder, "a", "b", "c"), 0o700);
    for (const path of ["a", "a/b", "a/b/c"]) expect(statSync(join(folder, path)).mode & 0o777).toBe(0o700);
    makeFolder(join(folder, "a", "b", "c"));
    expect(statSync(join(folder, "a", "b", "c")).mode & 0o777).toBe(0o700);
  });

  it("follows links to folders, and reports why another path is refused", () => {
    const folder = newFolder();
    mkdirSync(join(folder, "real"));
    symlinkSync("real", join(folder, "link"));
    makeFolder(join(folder, "link", "made"));
    expect(existsSync(join(folder, "real", "made"))).toBe(true);
    writeFileSync(join(folder, "file"), "");
    symlinkSync("nowhere", join(folder, "dangling"));
    symlinkSync("loop", join(folder, "loop"));
    const refused = (path: string, reason: RegExp) => expect(() => makeFolder(join(folder, path))).toThrow(reason);
    refused("file", /another file has this name/);
    refused("file/x/y", /a file has the name of the folder/);
    refused("dangling/x", /another file has this name/);
    refused("loop/x", /ELOOP/);
  });

  it("reports missing permissions", ({ skip }) => {
    skip(reasonAsRoot !== undefined, reasonAsRoot);
    const folder = newFolder();
    chmodSync(folder, 0o500);
    expect(() => makeFolder(join(folder, "x"))).toThrow(/permission denied/);
  });
});

describe("where no folder can be created", () => {
  skipTests(reasonElsewhereThanLinux);

  /** Runs the program. Kills the program after five minutes. */
  const inTime = (words: readonly string[], env: Record<string, string> = {}) =>
    finished("timeout", ["-s", "KILL", "300", process.execPath, FORMCTL, ...words], { home: emptyHome(), env });

  it.each([
    ["local init --store /proc/x/y.db", 1],
    ["local init --store /proc/self/fdinfo/x/y.db", 1],
    ["schema --into /proc/x/y", 1],
  ])("formctl %s ends with an error", async (line, code) => {
    const ended = await inTime(line.split(" "));
    expect(ended.signal).toBeNull();
    expect(ended).toMatchObject({ code });
    expect(ended.stderr).toMatch(/^error: /);
    expect(ended.stderr).toContain("no folder can be created in /proc");
  });

  it.each([["config set output json"], ["profiles add x --base-url https://x.example"]])(
    "formctl %s ends with an error when the home is /proc",
    async (line) => {
      const { code, signal, stderr } = await inTime(line.split(" "), { HOME: "/proc", FORMCTL_HOME: "" });
      expect({ code, signal }).toEqual({ code: 1, signal: null });
      expect(stderr).toContain("no folder can be created in /proc");
    },
  );

  it("creates a folder where it can", async () => {
    const store = join(emptyHome(), "a", "b", "x.db");
    expect((await inTime(["local", "init", "--store", store])).code).toBe(0);
    expect(existsSync(store)).toBe(true);
  });
});
