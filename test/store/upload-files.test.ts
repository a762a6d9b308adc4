import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sql from "sql-template-tag";
import { describe, expect, it } from "vitest";
import { openSqlite } from "../../src/store/sqlite.ts";
import { emptyTrash, uploadFiles } from "../../src/store/uploads.ts";
import { soundStores } from "./sound-store.ts";
import { temporaryFolders } from "../temporary.ts";

const folder = temporaryFolders();
const soundStore = soundStores();
const bytes = Buffer.from("abc");

describe("an uploaded file", () => {
  it("is stored unchanged, readable only by its owner", async () => {
    const store = join(folder(), "store.db");
    const path = await uploadFiles(store).save("upl_1", bytes);
    const file = join(`${store}.uploads`, path);
    expect(readFileSync(file).equals(bytes)).toBe(true);
    expect([statSync(file).mode & 0o777, statSync(`${store}.uploads`).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(readdirSync(`${store}.uploads`)).toEqual([path]);
  });

  it("never overwrites another file", async () => {
    const store = join(folder(), "store.db");
    const files = uploadFiles(store);
    const path = await files.save("upl_1", bytes);
    await expect(files.save("upl_1", Buffer.from("other"))).rejects.toThrow("already exists");
    expect(readFileSync(join(`${store}.uploads`, path), "utf8")).toBe("abc");
    expect(readdirSync(`${store}.uploads`)).toEqual([path]);
  });

  it("can be removed twice", async () => {
    const store = join(folder(), "store.db");
    const files = uploadFiles(store);
    const path = await files.save("upl_1", bytes);
    await files.remove(path);
    await files.remove(path);
    expect(readdirSync(`${store}.uploads`)).toEqual([]);
  });

  it.each(["../victim", "/etc/passwd", "..", ".", "", "a/b", "a\\b", "a\0b", "x".repeat(200), "upl_1.tmp"])(
    "is never outside the folder (%j)",
    async (name) => {
      const place = folder();
      writeFileSync(join(place, "victim"), "precious");
      const files = uploadFiles(join(place, "store.db"));
      await expect(files.save(name, bytes)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
      await expect(files.remove(name)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
      expect(readdirSync(place)).toEqual(["victim"]);
    },
  );

  it("is not written through a link", async () => {
    const place = folder();
    mkdirSync(join(place, "store.db.uploads"));
    symlinkSync(join(place, "victim"), join(place, "store.db.uploads", "upl_1"));
    await expect(uploadFiles(join(place, "store.db")).save("upl_1", bytes)).rejects.toThrow("already exists");
    expect(existsSync(join(place, "victim"))).toBe(false);
  });
});

describe("emptying the trash", () => {
  it("removes the files of a deleted form and keeps files in use", async () => {
    const path = await soundStore();
    const store = openSqlite(path, { create: false });
    const files = uploadFiles(path);
    for (const id of ["upl_1", "upl_gone"]) await files.save(id, bytes);
    // An invalid row: the file is still in use and must be kept.
    await store.write((tx) => tx.run(sql`INSERT INTO file_trash VALUES ('upl_1', '')`));
    expect(await emptyTrash(store, files)).toEqual({ removed: 1, left: 0 });
    expect(readdirSync(`${path}.uploads`)).toEqual(["upl_1"]);
    expect(await emptyTrash(store, files)).toEqual({ removed: 0, left: 0 });
    await store.close();
  });

  it("is completed later if it was interrupted between a file and its row", async () => {
    const path = await soundStore();
    const store = openSqlite(path, { create: false });
    // The file was already removed, as after a crash.
    expect(await emptyTrash(store, uploadFiles(path))).toEqual({ removed: 1, left: 0 });
    expect(await store.read((tx) => tx.all(sql`SELECT * FROM file_trash`))).toEqual([]);
    await store.close();
  });

  it("never throws, and keeps files that it can't remove for later", async () => {
    const path = await soundStore();
    const store = openSqlite(path, { create: false });
    await store.write((tx) => tx.run(sql`INSERT INTO file_trash VALUES ('../store.db', '')`));
    expect(await emptyTrash(store, uploadFiles(path))).toEqual({ removed: 1, left: 1 });
    expect(existsSync(path)).toBe(true);
    await store.close();
    expect(await emptyTrash(store, uploadFiles(path))).toEqual({ removed: 0, left: 0 });
  });
});
