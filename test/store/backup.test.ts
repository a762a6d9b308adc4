import {
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import sql from "sql-template-tag";
import { describe, expect, it } from "vitest";
import { backupStore, inspectBackup, resetStore, restoreStore } from "../../src/store/backup.ts";
import { checkStore } from "../../src/store/invariants.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { toStoreError, translate } from "../../src/store/errors.ts";
import type { Store } from "../../src/store/store.ts";
import { uploadFiles } from "../../src/store/uploads.ts";
import { soundStores, tamper } from "./sound-store.ts";
import { temporaryFolders } from "../temporary.ts";

const folder = temporaryFolders();
const soundStore = soundStores();
const counts = { organizations: 2, forms: 2, layouts: 5, versions: 7, uploads: 1 };

const note = (store: Store, key: string) => store.write((tx) => tx.run(sql`INSERT INTO meta VALUES (${key}, '')`));
const notes = (store: Store) => store.read((tx) => tx.all<{ key: string }>(sql`SELECT key FROM meta ORDER BY key`));

async function using<T>(path: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = openSqlite(path, { create: false });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

describe("a backup", () => {
  it("is an intact store with the same records, readable only by its owner, without additional files", async () => {
    const path = await soundStore();
    const into = join(folder(), "copy.db");
    const facts = await backupStore(path, into);
    expect(facts).toEqual({ path: into, bytes: statSync(into).size, counts });
    expect(statSync(into).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(into))).toEqual(["copy.db"]);
    expect(readdirSync(dirname(path))).toEqual(["store.db"]);
    expect(await using(into, checkStore)).toEqual([]);
  });

  it("contains all earlier writes while the store is in use", async () => {
    const path = await soundStore();
    const into = join(folder(), "copy.db");
    await using(path, async (store) => {
      await note(store, "before");
      await store.write(async (tx) => {
        await tx.run(sql`INSERT INTO meta VALUES ('during', '')`);
        await backupStore(path, into);
      });
    });
    expect(await using(into, notes)).toEqual([{ key: "before" }]);
    expect(await using(path, notes)).toEqual([{ key: "before" }, { key: "during" }]);
  });

  it("counts the records of the copy, not later ones", async () => {
    const path = await soundStore();
    const into = join(folder(), "copy.db");
    const backup = backupStore(path, into);
    await using(path, async (store) => {
      const isCopied = () =>
        readdirSync(dirname(into), { recursive: true }).some(
          (name) => String(name).endsWith(".db") && statSync(join(dirname(into), String(name))).size > 0,
        );
      while (!isCopied()) await new Promise(setImmediate);
      await store.write((tx) => tx.run(sql`INSERT INTO organizations VALUES ('org_late', 'late', 'Late')`));
    });
    expect((await backup).counts).toEqual(counts);
    expect(await using(into, (store) => store.read((tx) => tx.all(sql`SELECT id FROM organizations`)))).toHaveLength(2);
  });

  it("does not overwrite files", async () => {
    const path = await soundStore();
    const into = join(folder(), "copy.db");
    writeFileSync(into, "precious");
    await expect(backupStore(path, into)).rejects.toMatchObject({
      code: "STORE_EXISTS",
      message: `${into} already exists`,
    });
    expect(readFileSync(into, "utf8")).toBe("precious");
    expect(readdirSync(dirname(into))).toEqual(["copy.db"]);
  });

  it("fails for a missing or damaged store", async () => {
    const into = join(folder(), "copy.db");
    await expect(backupStore(join(folder(), "none.db"), into)).rejects.toMatchObject({ code: "STORE_MISSING" });
    const path = await soundStore();
    tamper(path, "UPDATE scripts SET org_id = 'org_9'");
    await expect(backupStore(path, into)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    expect(readdirSync(dirname(into))).toEqual([]);
  });

  it.each([
    ["a row that violates a CHECK constraint", "UPDATE forms SET is_active = 7", "CHECK constraint failed in forms"],
    [
      "an index whose entry differs from its row",
      `PRAGMA writable_schema = ON;
       UPDATE sqlite_schema SET sql = replace(sql, 'name,', 'name_folded,') WHERE name = 'forms_by_name';
       PRAGMA writable_schema = RESET; REINDEX forms_by_name; PRAGMA writable_schema = ON;
       UPDATE sqlite_schema SET sql = replace(sql, 'name_folded,', 'name,') WHERE name = 'forms_by_name'`,
      "row 1 missing from index forms_by_name",
    ],
  ])("finds %s, which a copy does not change", async (_what, statement, problem) => {
    const path = await soundStore();
    tamper(path, statement);
    const into = join(folder(), "copy.db");
    await expect(backupStore(path, into)).rejects.toMatchObject({
      code: "STORE_CORRUPT",
      message: `${path} is damaged: ${problem}`,
    });
    expect(readdirSync(dirname(into))).toEqual([]);
  });
});

describe("restoring", () => {
  it("restores the records of the backup and drops later ones", async () => {
    const path = await soundStore();
    const copy = join(folder(), "copy.db");
    await using(path, (store) => note(store, "old"));
    await backupStore(path, copy);
    await using(path, async (store) => {
      await store.write((tx) => tx.run(sql`DELETE FROM audit`));
      await note(store, "new");
    });
    expect(await restoreStore(copy, path)).toEqual({ counts, damaged: undefined });
    expect(await using(path, notes)).toEqual([{ key: "old" }]);
    expect(await using(path, checkStore)).toEqual([]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("is visible to other processes at their next transaction", async () => {
    const path = await soundStore();
    const copy = join(folder(), "copy.db");
    await backupStore(path, copy);
    await using(path, async (store) => {
      await note(store, "new");
      await store.read(async (tx) => {
        await tx.all(sql`SELECT * FROM meta`);
        await restoreStore(copy, path);
        expect(await tx.all(sql`SELECT key FROM meta`)).toEqual([{ key: "new" }]);
      });
      expect(await notes(store)).toEqual([]);
      await note(store, "after");
    });
    expect(await using(path, notes)).toEqual([{ key: "after" }]);
  });

  it("waits for a writer, then reports that the store is locked", async () => {
    const path = await soundStore();
    const copy = join(folder(), "copy.db");
    await backupStore(path, copy);
    await using(path, async (store) => {
      const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
      const writing = store.write(async (tx) => {
        await tx.run(sql`INSERT INTO meta VALUES ('k', '')`);
        begin();
        await new Promise((resolve) => setTimeout(resolve, 300));
      });
      await hasBegun;
      await restoreStore(copy, path);
      await writing;
      expect(await notes(store)).toEqual([]);
      await store.write(() => expect(restoreStore(copy, path)).rejects.toMatchObject({ code: "STORE_BUSY" }));
    });
  });

  it("creates a missing store", async () => {
    const copy = join(folder(), "copy.db");
    await backupStore(await soundStore(), copy);
    const path = join(folder(), "new", "store.db");
    expect(await restoreStore(copy, path)).toEqual({ counts, damaged: undefined });
    expect(await using(path, checkStore)).toEqual([]);
    expect(readdirSync(dirname(path))).toEqual(["store.db"]);
  });

  it("is refused at a path where no file can be created, and leaves no files", async () => {
    const copy = join(folder(), "copy.db");
    await backupStore(await soundStore(), copy);
    const into = folder();
    await expect(restoreStore(copy, `${into}/store.db/`)).rejects.toMatchObject({ code: "STORE_UNUSABLE" });
    expect(readdirSync(into)).toEqual([]);
  });

  it("renames a damaged store and keeps every byte", async () => {
    const copy = join(folder(), "copy.db");
    await backupStore(await soundStore(), copy);
    const path = join(folder(), "store.db");
    for (const name of ["store.db.damaged", "store.db.damaged-2"]) {
      writeFileSync(path, `not a database ${name} `.repeat(500));
      const before = readFileSync(path);
      expect(await restoreStore(copy, path)).toEqual({ counts, damaged: join(dirname(path), name) });
      expect(readFileSync(join(dirname(path), name)).equals(before)).toBe(true);
      expect(await using(path, checkStore)).toEqual([]);
    }
  });

  it.each([
    ["missing", "STORE_MISSING", () => undefined],
    ["no database", "STORE_CORRUPT", (file: string) => writeFileSync(file, "text ".repeat(1000))],
    ["of another program", "STORE_FOREIGN", (file: string) => makeNotes(file)],
    ["damaged", "STORE_CORRUPT", (file: string) => tamper(file, "UPDATE scripts SET org_id = 'org_9'"), true],
  ])("refuses a backup that is %s, and changes nothing", async (_what, code, make, fromStore = false) => {
    const file = fromStore ? await soundStore() : join(folder(), "copy.db");
    make(file);
    const path = await soundStore();
    await using(path, (store) => note(store, "kept"));
    await expect(restoreStore(file, path)).rejects.toMatchObject({ code });
    expect(await using(path, notes)).toEqual([{ key: "kept" }]);
  });

  it("refuses to replace a file of another program, or a store by itself", async () => {
    const copy = await soundStore();
    const path = join(folder(), "notes.db");
    makeNotes(path);
    const before = readFileSync(path);
    await expect(restoreStore(copy, path)).rejects.toMatchObject({ code: "STORE_FOREIGN" });
    expect(readFileSync(path).equals(before)).toBe(true);
    await expect(restoreStore(copy, copy)).rejects.toMatchObject({ message: `${copy} is the store itself` });
  });
});

describe("a restore next to the files of a killed server", () => {
  /** Creates a store in the state after a kill: writes after the backup are only in the log. */
  async function killedStore(): Promise<{ path: string; copy: string }> {
    const [live, path] = [await soundStore(), join(folder(), "store.db")];
    const copy = join(folder(), "copy.db");
    await backupStore(live, copy);
    await using(live, async (store) => {
      await note(store, "after the backup");
      for (const suffix of ["", "-wal"]) copyFileSync(live + suffix, path + suffix);
    });
    return { path, copy };
  }

  it("does not apply the log of a removed store, and keeps that log", async () => {
    const { path, copy } = await killedStore();
    rmSync(path);
    const log = readFileSync(`${path}-wal`);
    expect(await restoreStore(copy, path)).toEqual({ counts, damaged: `${path}.damaged-wal` });
    expect(await using(path, notes)).toEqual([]);
    expect(await using(path, checkStore)).toEqual([]);
    expect(readFileSync(`${path}.damaged-wal`).equals(log)).toBe(true);
  });

  it("does not apply the log of a damaged store", async () => {
    const { path, copy } = await killedStore();
    for (const suffix of ["", "-wal"]) writeFileSync(path + suffix, "not a database ".repeat(1000));
    expect(await restoreStore(copy, path)).toEqual({ counts, damaged: `${path}.damaged` });
    expect(await using(path, notes)).toEqual([]);
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it("does not apply a rollback journal of another file", async () => {
    const { path, copy } = await killedStore();
    for (const suffix of ["", "-wal"]) rmSync(path + suffix);
    writeFileSync(`${path}-journal`, "left behind");
    expect(await restoreStore(copy, path)).toEqual({ counts, damaged: `${path}.damaged-journal` });
    expect(readdirSync(dirname(path)).toSorted()).toEqual(["store.db", "store.db.damaged-journal"]);
  });

  it("creates no backup next to such files", async () => {
    const into = join(folder(), "copy.db");
    writeFileSync(`${into}-wal`, "left behind");
    await expect(backupStore(await soundStore(), into)).rejects.toMatchObject({
      code: "STORE_EXISTS",
      message: `${into}-wal already exists`,
    });
    expect(readdirSync(dirname(into))).toEqual(["copy.db-wal"]);
  });
});

describe("a hard link to the store", () => {
  it("is not accepted as a backup, and is not opened", async () => {
    const path = await soundStore();
    const second = join(dirname(path), "second.db");
    linkSync(path, second);
    await using(path, async (store) => {
      await note(store, "kept");
      for (const attempt of [() => restoreStore(second, path), () => inspectBackup(second, path)])
        await expect(attempt()).rejects.toMatchObject({ message: `${second} is the store itself` });
      await expect(backupStore(path, second)).rejects.toMatchObject({ message: `${second} is the store itself` });
      expect(readdirSync(dirname(path)).filter((name) => name.startsWith("second"))).toEqual(["second.db"]);
      expect(await notes(store)).toEqual([{ key: "kept" }]);
    });
  });
});

describe("the error of a file that can't be opened", () => {
  it("does not report a lock", () => {
    const path = join(folder(), "none", "store.db");
    expect(() => translate(path, () => new DatabaseSync(path))).toThrow(
      expect.objectContaining({ code: "STORE_UNUSABLE", message: `can't use ${path}: unable to open database file` }),
    );
  });
});

describe("the error of a disk that fails", () => {
  it("covers reads, writes and changes by other programs (errcode 10)", () => {
    const error = Object.assign(new Error("disk I/O error"), { errcode: 522 });
    expect(toStoreError("/x.db", error)).toMatchObject({
      code: "STORE_UNUSABLE",
      message: "the disk failed, or another program changed the files of /x.db: disk I/O error",
    });
  });
});

describe("the schema of a backup", () => {
  it.each([
    ["a missing index", "DROP INDEX forms_by_object"],
    ["a missing unique index", "DROP INDEX one_draft"],
    ["a missing trigger", "DROP TRIGGER published_versions_stay"],
    ["a missing table", "DROP TABLE audit"],
    [
      "a table without its keys",
      "CREATE TABLE copy AS SELECT * FROM audit; DROP TABLE audit; ALTER TABLE copy RENAME TO audit",
    ],
    ["a table without a column", "ALTER TABLE audit DROP COLUMN request_id"],
    ["a column too many", "ALTER TABLE audit ADD COLUMN more TEXT"],
    ["a table too many", "CREATE TABLE more (id TEXT)"],
    ["an index too many", "CREATE INDEX more ON audit (at)"],
    [
      "a foreign key that is not checked",
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'ON DELETE RESTRICT', 'ON DELETE CASCADE') WHERE name = 'forms'",
    ],
  ])("is compared before a good store is replaced: %s", async (_what, statements) => {
    const copy = join(folder(), "copy.db");
    await backupStore(await soundStore(), copy);
    const path = await soundStore();
    await using(path, (store) => note(store, "kept"));
    // The unchanged backup is accepted (control).
    await inspectBackup(copy, path);
    const db = new DatabaseSync(copy, { defensive: false });
    db.exec(statements);
    db.close();
    await expect(restoreStore(copy, path)).rejects.toMatchObject({
      code: "STORE_CORRUPT",
      message: expect.stringContaining(`${copy} is damaged: the `),
    });
    expect(await using(path, notes)).toEqual([{ key: "kept" }]);
  });

  it("reports an empty file that is marked as a store", async () => {
    const copy = join(folder(), "copy.db");
    const db = new DatabaseSync(copy);
    db.exec("PRAGMA application_id = 0x6663746c");
    db.close();
    await expect(restoreStore(copy, await soundStore())).rejects.toMatchObject({
      code: "STORE_CORRUPT",
      message: `${copy} is marked as a formctl store, but has no tables`,
      hint: "Specify a file that formctl local backup created.",
    });
  });
});

describe("resetting", () => {
  it("empties the store, also for other processes, and removes uploaded files", async () => {
    const path = await soundStore();
    await uploadFiles(path).save("upl_1", Buffer.from("abc"));
    await using(path, async (store) => {
      expect(await resetStore(path)).toEqual({ damaged: undefined });
      expect(
        await store.read((tx) => tx.all(sql`SELECT id FROM organizations UNION ALL SELECT id FROM forms`)),
      ).toEqual([]);
      await note(store, "new");
    });
    expect(await using(path, checkStore)).toEqual([]);
    expect(existsSync(`${path}.uploads`)).toBe(false);
    expect((await backupStore(path, join(folder(), "copy.db"))).counts).toMatchObject({ organizations: 0, forms: 0 });
  });

  it("refuses a file that is not a store", async () => {
    const path = join(folder(), "notes.db");
    makeNotes(path);
    await expect(resetStore(path)).rejects.toMatchObject({ code: "STORE_FOREIGN" });
  });
});

function makeNotes(path: string): void {
  const db = new DatabaseSync(path);
  db.exec("CREATE TABLE notes (text)");
  db.close();
}
