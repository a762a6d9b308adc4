/**
 * Fills a real file system, and mounts it read-only. Each command must report a named error, and the store must be
 * intact.
 */

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import sql from "sql-template-tag";
import { describe, expect, it } from "vitest";
import { openSqlite } from "../../src/store/sqlite.ts";
import { skipTests } from "../skip.ts";
import { emptyHome, FORMCTL, formctl } from "./program.ts";

/** Runs a program in its own mount namespace: other processes don't see a disk that the program mounts. */
const launcher = "unshare";
const apart = ["--mount", ...(process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"])];
const mounts = spawnSync(launcher, [...apart, "mount", "-t", "tmpfs", "tmpfs", emptyHome()]).status === 0;
const script = fileURLToPath(new URL("./scripts/small-disk.ts", import.meta.url));

describe("a store on a small disk", () => {
  skipTests(mounts ? undefined : "this user can't mount a disk in a namespace");

  it("survives a full and a read-only disk, and each command reports its error code and exit code", async () => {
    const home = emptyHome();
    const [demo, killed, disk] = ["demo.db", "killed.db", "disk"].map((name) => join(home, name)) as [
      string,
      string,
      string,
    ];
    expect((await formctl(["local", "init", "--demo", "--store", demo], { home })).code).toBe(0);
    const store = openSqlite(demo, { create: false });
    await store.write((tx) => tx.run(sql`INSERT INTO meta VALUES ('written', 'before a kill')`));
    for (const suffix of ["", "-wal"]) copyFileSync(demo + suffix, killed + suffix);
    await store.close();
    mkdirSync(disk);

    const env = { PATH: process.env["PATH"], HOME: home, XDG_CONFIG_HOME: home, CI: "1" };
    const run = spawnSync(launcher, [...apart, process.execPath, script, disk, demo, killed, FORMCTL], {
      encoding: "utf8",
      env,
    });
    expect(run.stderr).toBe("");
    const outcomes = JSON.parse(run.stdout) as { fill: { acknowledged: number } };
    const { acknowledged } = outcomes.fill;
    expect(acknowledged).toBeGreaterThan(2);
    const done = (lines: number) => ({ exit: 0, lines });
    const refused = (code: string) => ({ exit: 1, code, lines: 1 });
    const forms = 2 + acknowledged;
    expect(outcomes).toEqual({
      fill: { acknowledged, last: refused("STORE_FULL"), list: done(forms), check: done(0) },
      full: { list: refused("STORE_FULL"), create: refused("STORE_FULL"), check: refused("STORE_FULL") },
      freed: { create: done(1), list: done(forms + 1), check: done(0) },
      readOnly: { list: done(forms + 1), create: refused("STORE_READ_ONLY"), check: done(0) },
      // The last changes are in a log. SQLite must write an index file to read this log.
      killed: { list: refused("STORE_READ_ONLY") },
    });
  });
});
