/** A folder is made, or an error reports why not, without waiting. */

import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolder } from "../../src/disk/folders.ts";
import { emptyHome, finished, FORMCTL } from "../e2e/program.ts";
import { temporaryFolders } from "../temporary.ts";

const newFolder = temporaryFolders();

describe("makeFolder", () => {
  it("makes those above it that are missing, for their owner alone where that is requested", () => {
    const folder = newFolder();
    makeFolder(join(folder, "a", "b", "c"), 0o700);
    for (const path of ["a", "a/b", "a/b/c"]) expect(statSync(join(folder, path)).mode & 0o777).toBe(0o700);
    makeFolder(join(folder, "a", "b", "c"));
    expect(statSync(join(folder, "a", "b", "c")).mode & 0o777).toBe(0o700);
  });

  it("follows links to folders, and says what else is in the way", () => {
    const folder = newFolder();
    mkdirSync(join(folder, "real"));
    symlinkSync("real", join(folder, "link"));
    makeFolder(join(folder, "link", "made"));
    expect(existsSync(join(folder, "real", "made"))).toBe(true);
    writeFileSync(join(folder, "file"), "");
    symlinkSync("nowhere", join(folder, "dangling"));
    symlinkSync("loop", join(folder, "loop"));
    const refused = (path: string, reason: RegExp) => expect(() => makeFolder(join(folder, path))).toThrow(reason);
    refused("file", /something else has this name/);
    refused("file/x/y", /a file stands where a folder belongs/);
    refused("dangling/x", /something else has this name/);
    refused("loop/x", /ELOOP/);
  });

  it.skipIf(process.getuid?.() === 0)(
    "says that permissions forbid it (skipped for root, who may write anywhere)",
    () => {
      const folder = newFolder();
      chmodSync(folder, 0o500);
      expect(() => makeFolder(join(folder, "x"))).toThrow(/permissions/);
    },
  );
});

describe.runIf(existsSync("/proc/self"))("where no folder can be made", () => {
  /** It is killed where it does not end. */
  const inTime = (words: readonly string[], env: Record<string, string> = {}) =>
    finished("timeout", ["-s", "KILL", "30", process.execPath, FORMCTL, ...words], { home: emptyHome(), env });

  it.each([
    ["local init --store /proc/x/y.db", 1],
    ["local init --store /proc/self/fdinfo/x/y.db", 1],
    ["schema --into /proc/x/y", 3],
  ])("formctl %s ends, and says so", async (line, code) => {
    const ended = await inTime(line.split(" "));
    expect(ended.signal).toBeNull();
    expect(ended).toMatchObject({ code });
    expect(ended.stderr).toMatch(/^error: /);
    expect(ended.stderr).toContain("no folder can be made in /proc");
  });

  it.each([["config set output json"], ["profiles add x --base-url https://x.example"]])(
    "formctl %s ends where the home is /proc, and says so",
    async (line) => {
      const { code, signal, stderr } = await inTime(line.split(" "), { HOME: "/proc", FORMCTL_HOME: "" });
      expect({ code, signal }).toEqual({ code: 1, signal: null });
      expect(stderr).toContain("no folder can be made in /proc");
    },
  );

  it("makes a folder where one can be made", async () => {
    const store = join(emptyHome(), "a", "b", "x.db");
    expect((await inTime(["local", "init", "--store", store])).code).toBe(0);
    expect(existsSync(store)).toBe(true);
  });
});
