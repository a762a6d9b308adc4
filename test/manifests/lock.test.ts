/** The lock: several places in one file, the same bytes for the same contents, and no guessing where it is broken. */

import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { knownLayouts, openLock } from "../../src/manifests/lock.ts";
import { temporaryFolders } from "../temporary.ts";

const newFolder = temporaryFolders();
const PLACE = "https://forms.example.com";

function lockPath(): string {
  return join(newFolder(), ".formctl", "lock.json");
}

function write(path: string, text: string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
}

describe("the lock", () => {
  it("gives back what was put in, of its own place", async () => {
    const path = lockPath();
    const lock = await openLock(path, PLACE);
    expect(lock.get("CONTRACTOR/Card")).toBeUndefined();
    lock.set("CONTRACTOR/Card", { layoutId: "lay_1", base: { content: "aa" } });
    expect(existsSync(path)).toBe(false);
    await lock.save();

    expect((await openLock(path, PLACE)).get("CONTRACTOR/Card")).toEqual({
      layoutId: "lay_1",
      base: { content: "aa" },
    });
    expect((await openLock(path, "local:northwind@/store.db")).get("CONTRACTOR/Card")).toBeUndefined();
    expect(statSync(path).mode & 0o777).toBe(0o644);
  });

  it("keeps what others have written meanwhile, in other places and in its own", async () => {
    const path = lockPath();
    const [one, two, other] = [await openLock(path, PLACE), await openLock(path, PLACE), await openLock(path, "b")];
    one.set("a", { base: {} });
    two.set("b", { base: {} });
    other.set("a", { formId: "frm_1", base: {} });
    for (const lock of [one, two, other]) await lock.save();
    const after = await openLock(path, PLACE);
    expect([after.get("a"), after.get("b")]).toEqual([{ base: {} }, { base: {} }]);
    expect((await openLock(path, "b")).get("a")).toEqual({ formId: "frm_1", base: {} });
    after.set("a", null);
    await after.save();
    expect((await openLock(path, PLACE)).get("a")).toBeUndefined();
  });

  it("has the same bytes whatever the order in which it was filled, and is not touched by nothing", async () => {
    const [first, second] = [lockPath(), lockPath()];
    const fill = async (path: string, addresses: string[]) => {
      const lock = await openLock(path, PLACE);
      for (const address of addresses) lock.set(address, { base: { types: "1", access: "2" } });
      await lock.save();
    };
    await fill(first, ["b", "a"]);
    await fill(second, ["a", "b"]);
    expect(readFileSync(first, "utf8")).toBe(readFileSync(second, "utf8"));

    const lock = await openLock(first, PLACE);
    writeFileSync(first, `${readFileSync(first, "utf8")}\n`);
    lock.set("a", { base: { access: "2", types: "1" } });
    await lock.save();
    expect(readFileSync(first, "utf8").endsWith("\n\n")).toBe(true);
  });

  it.each([
    ["a bad merge", '{\n  "version": 1,\n<<<<<<< HEAD\n  "places": {}\n', 3, "is not JSON"],
    ["half a file", '{"version": 1, "pla', 1, "is not JSON"],
    ["another version", '{\n  "version": 2,\n  "places": {}\n}', 2, "must be 1: a newer formctl"],
    ["an id that is none", '{"version": 1, "places": {\n"p": {"a": {"layoutId": "..", "base": {}}}}}', 2, "layoutId"],
  ])("says where it is broken: %s", async (_, text, line, words) => {
    const path = lockPath();
    write(path, text);
    await expect(openLock(path, PLACE)).rejects.toMatchObject({
      name: "InvalidDocument",
      problems: [{ file: path, line, message: expect.stringContaining(words) }],
    });
    await expect(openLock(path, PLACE)).rejects.toThrow(/Restore it from your repository/);
  });

  it("follows no link, neither of the file nor of its folder", async () => {
    const elsewhere = newFolder();
    const path = lockPath();
    write(path, "");
    const linked = join(newFolder(), ".formctl");
    symlinkSync(elsewhere, linked);
    await expect(openLock(join(linked, "lock.json"), PLACE)).rejects.toThrow(/is a link, and is not followed/);

    const file = lockPath();
    mkdirSync(join(file, ".."));
    symlinkSync(join(elsewhere, "target"), file);
    await expect(openLock(file, PLACE)).rejects.toThrow(/is a link, and is not followed/);
    expect(existsSync(join(elsewhere, "lock.json"))).toBe(false);
  });

  it("leaves no trace of a write that failed", async () => {
    const path = lockPath();
    const lock = await openLock(path, PLACE);
    lock.set("a", { base: {} });
    mkdirSync(path, { recursive: true });
    await expect(lock.save()).rejects.toThrow(/is not a file/);
    expect(existsSync(`${path}.tmp`)).toBe(false);
  });

  it("knows the layout that the same server has by another profile, unless profiles disagree", async () => {
    const path = lockPath();
    const made: [string, string, string][] = [
      ["https://forms.example.com/eu#prod", "a", "lay_1"],
      ["https://forms.example.com/eu#production", "a", "lay_1"],
      ["https://forms.example.com/eu#prod", "b", "lay_2"],
      ["https://forms.example.com/eu#test", "b", "lay_3"],
      ["https://forms.example.com/us", "c", "lay_4"],
      ["local:northwind@/store.db", "c", "lay_5"],
    ];
    for (const [place, address, layoutId] of made) {
      const lock = await openLock(path, place);
      lock.set(address, { layoutId, base: {} });
      await lock.save();
    }
    const here = await openLock(path, "https://forms.example.com/eu");
    expect([...knownLayouts(here, ["a", "b", "c"])]).toEqual([["a", "lay_1"]]);
    expect(here.get("a")).toBeUndefined();
    expect([...knownLayouts(await openLock(path, "local:contoso@/store.db"), ["a", "c"])]).toEqual([]);
  });

  it("knows the layouts that it has seen made", async () => {
    const lock = await openLock(lockPath(), PLACE);
    lock.set("a", { layoutId: "lay_1", base: {} });
    lock.set("b", { base: {} });
    expect([...knownLayouts(lock, ["a", "b", "c"])]).toEqual([["a", "lay_1"]]);
  });
});
