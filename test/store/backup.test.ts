import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import sql from "sql-template-tag";
import { describe, expect, it } from "vitest";
import { backupStore, resetStore, restoreStore } from "../../src/store/backup.ts";
import { checkStore } from "../../src/store/invariants.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { uploadFiles } from "../../src/store/upload-files.ts";
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
  it("is a sound store with the same records, for its owner alone, and nothing is left beside it", async () => {
    const path = await soundStore();
    const into = join(folder(), "copy.db");
    const facts = await backupStore(path, into);
    expect(facts).toEqual({ path: into, bytes: statSync(into).size, counts });
    expect(statSync(into).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(into))).toEqual(["copy.db"]);
    expect(readdirSync(dirname(path))).toEqual(["store.db"]);
    expect(await using(into, checkStore)).toEqual([]);
  });

  it("holds what was written before it, while the store is in use", async () => {
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

  it("overwrites nothing", async () => {
    const path = await soundStore();
    const into = join(folder(), "copy.db");
    writeFileSync(into, "precious");
    await expect(backupStore(path, into)).rejects.toMatchObject({
      code: "STORE_EXISTS",
      message: `${into} exists already`,
    });
    expect(readFileSync(into, "utf8")).toBe("precious");
    expect(readdirSync(dirname(into))).toEqual(["copy.db"]);
  });

  it("is not made of a store that is missing or damaged", async () => {
    const into = join(folder(), "copy.db");
    await expect(backupStore(join(folder(), "none.db"), into)).rejects.toMatchObject({ code: "STORE_MISSING" });
    const path = await soundStore();
    tamper(path, "UPDATE scripts SET org_id = 'org_9'");
    await expect(backupStore(path, into)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    expect(readdirSync(dirname(into))).toEqual([]);
  });
});

describe("restoring", () => {
  it("brings back what the backup holds, and nothing of what came after it", async () => {
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

  it("reaches those who have the store open, at their next transaction", async () => {
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

  it("waits for a writer, and then says who is in the way", async () => {
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

  it("makes the store where there is none", async () => {
    const copy = join(folder(), "copy.db");
    await backupStore(await soundStore(), copy);
    const path = join(folder(), "new", "store.db");
    expect(await restoreStore(copy, path)).toEqual({ counts, damaged: undefined });
    expect(await using(path, checkStore)).toEqual([]);
    expect(readdirSync(dirname(path))).toEqual(["store.db"]);
  });

  it("sets a damaged store aside, and keeps every byte of it", async () => {
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

  it("never replaces a file of another program, nor a store by itself", async () => {
    const copy = await soundStore();
    const path = join(folder(), "notes.db");
    makeNotes(path);
    const before = readFileSync(path);
    await expect(restoreStore(copy, path)).rejects.toMatchObject({ code: "STORE_FOREIGN" });
    expect(readFileSync(path).equals(before)).toBe(true);
    await expect(restoreStore(copy, copy)).rejects.toMatchObject({ message: `${copy} is the store itself` });
  });
});

describe("resetting", () => {
  it("leaves an empty store, also to those who have it open, and no uploaded files", async () => {
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
