/**
 * Checks stores whose file is missing, foreign, damaged, protected or too big. The error must have a code, and nothing
 * may change.
 */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text as textOf } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import sql from "sql-template-tag";
import { describe, expect, it, onTestFinished } from "vitest";
import { refuseUnsafeSqlite } from "../../src/store/sqlite-connection.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { StoreError } from "../../src/store/store.ts";
import { type Fault, reasonWithoutStrace, runTraced } from "../faults/strace.ts";
import { reasonOnWindows, skipTests } from "../skip.ts";
import { soundStores } from "./sound-store.ts";
import { temporaryFolders } from "../temporary.ts";

const folder = temporaryFolders();
const soundStore = soundStores();

function failure(open: () => unknown): Pick<StoreError, "code" | "message" | "hint"> {
  try {
    open();
  } catch (error) {
    if (error instanceof StoreError) return { code: error.code, message: error.message, hint: error.hint };
    throw error;
  }
  throw new Error("it was opened");
}

const openingOf = (path: string, create = false) => failure(() => openSqlite(path, { create }));

describe("a new store", () => {
  it("is readable only by its owner, as are its folder and its side files", async () => {
    const path = join(folder(), "deep", "er", "store.db");
    const store = openSqlite(path, { create: true });
    await store.write((tx) => tx.run(sql`INSERT INTO meta VALUES ('k', 'v')`));
    const modes = ["", "-wal", "-shm"].map((suffix) => statSync(path + suffix).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(statSync(dirname(dirname(path))).mode & 0o777).toBe(0o700);
    await store.close();
    expect(readdirSync(dirname(path))).toEqual(["store.db"]);
  });

  it("can have any valid file name", async () => {
    const path = join(folder(), "file:a b?mode=memory#1%41.db");
    await openSqlite(path, { create: true }).close();
    expect(readdirSync(dirname(path))).toEqual(["file:a b?mode=memory#1%41.db"]);
  });

  it("is created only on request", () => {
    const path = join(folder(), "store.db");
    expect(openingOf(path)).toMatchObject({ code: "STORE_MISSING", hint: expect.stringContaining("local init") });
    expect(existsSync(path)).toBe(false);
  });

  it("is not created if its folder can't be created", () => {
    const file = join(folder(), "file");
    writeFileSync(file, "");
    expect(openingOf(join(file, "store.db"), true).code).toBe("STORE_UNUSABLE");
  });
});

describe("a file that is not a store", () => {
  it("is refused if it or a side file is a link", async () => {
    const path = await soundStore();
    const link = join(folder(), "link.db");
    symlinkSync(path, link);
    expect(openingOf(link)).toMatchObject({ code: "STORE_UNUSABLE", message: `${link} is a link` });
    const dangling = join(folder(), "dangling.db");
    symlinkSync(join(folder(), "nowhere"), dangling);
    expect(openingOf(dangling, true).code).toBe("STORE_UNUSABLE");
    symlinkSync(join(folder(), "elsewhere"), `${path}-wal`);
    expect(openingOf(path).message).toBe(`${path}-wal is a link`);
  });

  it("is refused if it is a folder", () => {
    const path = folder();
    expect(openingOf(path, true)).toMatchObject({ code: "STORE_UNUSABLE", message: `${path} is not a file` });
  });

  it("is refused if empty, and stays empty until a store is created in it", async () => {
    const path = join(folder(), "store.db");
    writeFileSync(path, "");
    expect(openingOf(path)).toMatchObject({ code: "STORE_FOREIGN", hint: expect.stringContaining("local init") });
    expect(statSync(path).size).toBe(0);
    const store = openSqlite(path, { create: true });
    expect(await store.verify?.()).toEqual([]);
    await store.close();
  });

  it.each(["just some text, long enough to be a page ".repeat(300), "short", "SQLite format 3\0"])(
    "is refused if it is not a database (%#)",
    (text) => {
      const path = join(folder(), "store.db");
      writeFileSync(path, text);
      for (const create of [false, true]) expect(openingOf(path, create).code).toBe("STORE_CORRUPT");
      expect(readFileSync(path, "utf8")).toBe(text);
    },
  );

  it("is refused if another program created it", () => {
    const path = join(folder(), "store.db");
    const db = new DatabaseSync(path);
    db.exec("CREATE TABLE notes (text)");
    db.close();
    for (const create of [false, true]) {
      expect(openingOf(path, create)).toMatchObject({
        code: "STORE_FOREIGN",
        message: `${path} is not a formctl store`,
      });
    }
  });

  it("is refused if a newer formctl wrote it", async () => {
    const path = await soundStore();
    const db = new DatabaseSync(path);
    db.exec("PRAGMA user_version = 99");
    db.close();
    expect(openingOf(path)).toMatchObject({ code: "STORE_NEWER", hint: expect.stringContaining("Upgrade formctl") });
  });

  it.each([
    ["trigger", "CREATE TRIGGER bad AFTER INSERT ON meta BEGIN DELETE FROM forms; END"],
    ["view", "CREATE VIEW bad AS SELECT 1"],
    ["table", "CREATE VIRTUAL TABLE bad USING fts5 (text)"],
    [
      "trigger",
      "DROP TRIGGER published_versions_stay; CREATE TRIGGER published_versions_stay AFTER INSERT ON meta BEGIN SELECT 1; END",
    ],
  ])("is refused if it contains an additional %s", async (type, statement) => {
    const path = await soundStore();
    const db = new DatabaseSync(path);
    db.exec(statement);
    db.close();
    expect(openingOf(path)).toMatchObject({
      code: "STORE_FOREIGN",
      message: expect.stringContaining(`contains a ${type}`),
    });
  });
});

describe("a truncated store", () => {
  it.each([20, 100, 4096, 8192, 12_000, 40_960])("is refused or reported as damaged after %i bytes", async (size) => {
    const path = await soundStore();
    truncateSync(path, size);
    const before = readFileSync(path);
    const attempt = async () => {
      const store = openSqlite(path, { create: false });
      try {
        expect(await store.verify?.()).not.toEqual([]);
        await store.read((tx) => tx.all(sql`SELECT * FROM layout_versions`));
        throw new StoreError("STORE_CORRUPT", "told by verify", "");
      } finally {
        await store.close();
      }
    };
    await expect(attempt()).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});

describe("a store with flipped bits", () => {
  // Runs in a separate process, because a crash of SQLite would also end the tests.
  it("never crashes or hangs, and throws only known errors", async () => {
    const path = await soundStore();
    const script = fileURLToPath(new URL("./scripts/flip-bits.ts", import.meta.url));
    const child = spawn(process.execPath, [script, path, "2500", "20260101"], { stdio: ["ignore", "pipe", "pipe"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const closed = once(child, "close");
    const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
    expect(stderr).toBe("");
    expect(await closed).toEqual([0, null]);
    const seen = JSON.parse(stdout) as Record<string, number>;
    expect(Object.keys(seen).filter((outcome) => !/^(?:sound|found|STORE_[A-Z]+)$/.test(outcome))).toEqual([]);
    // Control: enough flips are detected. Otherwise the script may not have flipped anything.
    expect(seen["STORE_CORRUPT"]! + seen["found"]!).toBeGreaterThan(1500);
  });
});

/** Takes from root the right to write everywhere. */
const ordinary = process.getuid?.() === 0 ? ["setpriv", "--inh-caps=-all", "--bounding-set=-all"] : [];

/** Runs the script `use-store.ts` with the rights of an ordinary user. */
function useStore(...words: string[]) {
  const script = fileURLToPath(new URL("./scripts/use-store.ts", import.meta.url));
  const [program = "", ...rest] = [...ordinary, process.execPath, script, ...words];
  return spawnSync(program, rest, { encoding: "utf8" });
}

const trial = useStore();
const reason =
  trial.stdout === "ready" ? undefined : `Node can't run with fewer rights: ${trial.error?.message ?? trial.stderr}`;

describe("a write-protected store", () => {
  skipTests(reason);

  it.each([
    ["file", 0o400, 0o700],
    ["folder", 0o600, 0o500],
    ["file and folder", 0o400, 0o500],
  ])("can be read, and neither written nor reset (%s)", async (_what, fileMode, folderMode) => {
    const path = await soundStore();
    chmodSync(path, fileMode);
    chmodSync(dirname(path), folderMode);
    const run = useStore(path);
    const refused = { code: "STORE_READ_ONLY", message: expect.stringContaining("is read-only") as string };
    chmodSync(dirname(path), 0o700);
    expect(run.stderr).toBe("");
    expect(JSON.parse(run.stdout)).toEqual({
      read: 2,
      verify: [],
      write: refused,
      reset: refused,
    });
    expect(readdirSync(dirname(path))).toEqual(["store.db"]);
  });
});

describe("a full disk", () => {
  // A limit on the size of files has the same effect as a full disk.
  it("is reported by its error code, and acknowledged writes are kept", async ({ skip }) => {
    skip(reasonOnWindows !== undefined, reasonOnWindows);
    const path = await soundStore();
    const room = Math.ceil(statSync(path).size / 1024) + 200;
    const script = fileURLToPath(new URL("./scripts/fill-disk.ts", import.meta.url));
    const run = spawnSync(
      "bash",
      ["-c", `trap '' XFSZ; ulimit -f ${room}; exec "$@"`, "bash", process.execPath, script, path],
      {
        encoding: "utf8",
      },
    );
    expect(run.stderr).toBe("");
    const { acknowledged, failed } = JSON.parse(run.stdout) as { acknowledged: number; failed: string };
    expect(["STORE_FULL", "STORE_OUTCOME_UNKNOWN"]).toContain(failed);
    expect(acknowledged).toBeGreaterThan(0);
    const store = openSqlite(path, { create: false });
    const row = await store.read((tx) => tx.first<{ rows: number }>(sql`SELECT count(*) AS rows FROM meta`));
    expect([acknowledged, acknowledged + 1]).toContain(row?.rows);
    expect(await store.verify?.()).toEqual([]);
    await store.write((tx) => tx.run(sql`DELETE FROM meta`));
    await store.close();
  });
});

describe("a disk that fails", () => {
  skipTests(reasonWithoutStrace());

  it.each([
    ["fsync", "EIO", 1, "STORE_OUTCOME_UNKNOWN"],
    ["fsync", "EIO", 3, "STORE_OUTCOME_UNKNOWN"],
    ["fsync", "EIO", 4, "STORE_OUTCOME_UNKNOWN"],
    ["pwrite64", "ENOSPC", 1, "STORE_FULL"],
    ["pwrite64", "ENOSPC", 3, "STORE_FULL"],
    ["pwrite64", "ENOSPC", 6, "STORE_FULL"],
  ])("in %s with %s, time %i: reports the outcome, and the next write works", async (call, error, time, told) => {
    const path = await soundStore();
    const script = fileURLToPath(new URL("./scripts/write-four.ts", import.meta.url));
    const fault: Fault = { call, number: time, effect: `error=${error}` };
    const run = await runTraced([process.execPath, script, path], {
      paths: [path, `${path}-wal`],
      fault,
      cwd: dirname(path),
      env: process.env,
    });
    expect(run.code).toBe(0);
    const { outcomes, stored } = JSON.parse(run.stdout) as { outcomes: string[]; stored: number[] };
    expect(outcomes.toSorted()).toEqual([told, "done", "done", "done"].toSorted());
    // Acknowledged writes are stored. Other writes may be stored only if their outcome is unknown.
    const certain = outcomes.flatMap((outcome, index) => (outcome === "done" ? [index] : []));
    const possible = told === "STORE_OUTCOME_UNKNOWN" ? outcomes.map((_, index) => index) : certain;
    expect(stored).toEqual(expect.arrayContaining(certain));
    expect(possible).toEqual(expect.arrayContaining(stored));
  });
});

describe("a Node version with an old SQLite", () => {
  it.each(["3.7.0", "3.50.4", "3.51.2", "2.8.17", "0"])("is refused (%s)", (version) => {
    expect(failure(() => refuseUnsafeSqlite(version))).toMatchObject({
      code: "STORE_UNUSABLE",
      hint: expect.stringContaining("Node 24.16"),
    });
  });

  it.each(["3.51.3", "3.53.4", "4.0.0"])("is not reported for %s", (version) => {
    expect(() => refuseUnsafeSqlite(version)).not.toThrow();
  });
});
