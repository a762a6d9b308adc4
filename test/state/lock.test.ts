/** Checks the lock: several targets in one file, equal bytes for equal contents, and refusal of an invalid file. */

import { fork } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { waitForLock } from "../../src/disk/process-lock.ts";
import { makeMachineFolder } from "../../src/disk/folders.ts";
import { knownLayouts, type LockedResource, openLock } from "../../src/state/lock.ts";
import { systemProcesses } from "../../src/composition/system-process.ts";
import { temporaryFolders } from "../temporary.ts";
import { turns } from "./turns.ts";

const newFolder = temporaryFolders();
const PLACE = "https://forms.example.com";

function lockPath(): string {
  return join(newFolder(), ".formctl", "lock.json");
}

function write(path: string, text: string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
}

const addressed = (...addresses: string[]) => addresses.map((address) => ({ address }));

describe("the lock", () => {
  it("returns what was set for its own target", async () => {
    const path = lockPath();
    const lock = await openLock(dirname(path), PLACE, turns);
    expect(lock.get("CONTRACTOR/Card")).toBeUndefined();
    lock.set("CONTRACTOR/Card", { layoutId: "lay_1", base: { content: "aa" } });
    expect(existsSync(path)).toBe(false);
    await lock.save();

    expect((await openLock(dirname(path), PLACE, turns)).get("CONTRACTOR/Card")).toEqual({
      layoutId: "lay_1",
      base: { content: "aa" },
    });
    expect((await openLock(dirname(path), "local:northwind@/store.db", turns)).get("CONTRACTOR/Card")).toBeUndefined();
    expect(statSync(path).mode & 0o777).toBe(0o644);
  });

  it("keeps what other processes wrote in the meantime, for its own target and for others", async () => {
    const path = lockPath();
    const [one, two, other] = [
      await openLock(dirname(path), PLACE, turns),
      await openLock(dirname(path), PLACE, turns),
      await openLock(dirname(path), "b", turns),
    ];
    one.set("a", { base: {} });
    two.set("b", { base: {} });
    other.set("a", { formId: "frm_1", base: {} });
    for (const lock of [one, two, other]) await lock.save();
    const after = await openLock(dirname(path), PLACE, turns);
    expect([after.get("a"), after.get("b")]).toEqual([{ base: {} }, { base: {} }]);
    expect((await openLock(dirname(path), "b", turns)).get("a")).toEqual({ formId: "frm_1", base: {} });
    after.set("a", null);
    await after.save();
    expect((await openLock(dirname(path), PLACE, turns)).get("a")).toBeUndefined();
  });

  it("keeps the file of a base if a resource is set without a file", async () => {
    const path = lockPath();
    const lock = await openLock(dirname(path), PLACE, turns);
    lock.set("a", { layoutId: "lay_1", file: "forms/a.yaml", base: {} });
    await lock.save();
    const again = await openLock(dirname(path), PLACE, turns);
    again.set("a", { layoutId: "lay_2", base: {} });
    await again.save();
    expect((await openLock(dirname(path), PLACE, turns)).get("a")).toEqual({
      layoutId: "lay_2",
      file: "forms/a.yaml",
      base: {},
    });
  });

  it("keeps everything that concurrent processes write", async () => {
    const path = lockPath();
    const script = join(import.meta.dirname, "lock-writer.ts");
    const children = ["a", "b", "c", "d"].map((name) => fork(script, [path, name, "25"], { stdio: "inherit" }));
    const codes = await Promise.all(children.map((child) => new Promise((resolve) => child.on("exit", resolve))));
    expect(codes).toEqual([0, 0, 0, 0]);
    const { targets: places } = JSON.parse(readFileSync(path, "utf8")) as { targets: Record<string, object> };
    expect(Object.keys(places[PLACE]!)).toHaveLength(100);
    expect(readdirSync(join(path, "..")).toSorted()).toEqual(["lock.json", "runs"]);
  });

  it("waits for another process that writes it, and names that process after the timeout", async () => {
    const path = lockPath();
    const { self } = systemProcesses();
    const lock = await openLock(dirname(path), PLACE, {
      processes: async () => ({ self: { ...self, pid: 1, startedAt: "then" }, isRunning: () => true }),
      sleep: async () => undefined,
    });
    lock.set("a", { base: {} });
    const runs = join(path, "..", "runs");
    await makeMachineFolder(runs);
    const held = await waitForLock(runs, { name: "turn", file: "lock.json" }, turns);
    await expect(lock.save()).rejects.toMatchObject({
      code: "FILE_HELD",
      message: `another formctl process is writing .formctl/lock.json: process ${process.pid}`,
    });
    expect(existsSync(path)).toBe(false);
    await held.release();
    await lock.save();
    expect(existsSync(path)).toBe(true);
  });

  it("omits ids that it could not read again", async () => {
    const path = lockPath();
    const lock = await openLock(dirname(path), PLACE, turns);
    lock.set("a", { formId: "../../x", layoutId: "lay_1", base: {} });
    await lock.save();
    expect((await openLock(dirname(path), PLACE, turns)).get("a")).toEqual({ layoutId: "lay_1", base: {} });
  });

  it("has equal bytes for any order of writes, and is not written without a change", async () => {
    const [first, second] = [lockPath(), lockPath()];
    const fill = async (path: string, addresses: string[]) => {
      const lock = await openLock(dirname(path), PLACE, turns);
      for (const address of addresses) lock.set(address, { base: { types: "1", access: "2" } });
      await lock.save();
    };
    await fill(first, ["b", "a"]);
    await fill(second, ["a", "b"]);
    expect(readFileSync(first, "utf8")).toBe(readFileSync(second, "utf8"));

    const lock = await openLock(dirname(first), PLACE, turns);
    writeFileSync(first, `${readFileSync(first, "utf8")}\n`);
    lock.set("a", { base: { access: "2", types: "1" } });
    await lock.save();
    expect(readFileSync(first, "utf8").endsWith("\n\n")).toBe(true);
  });

  const RESTORE = /Restore it from your repository/;

  it("reports a merge conflict with its position", async () => {
    const path = lockPath();
    write(path, '{\n  "version": 1,\n<<<<<<< HEAD\n  "targets": {}\n');
    await expect(openLock(dirname(path), PLACE, turns)).rejects.toThrow(
      /lock\.json:3:1: contains merge conflict markers\. Keep one version: git checkout --ours/,
    );
  });

  it.each([
    ["half a file", '{"version": 1, "pla', 1, "is not JSON", RESTORE],
    [
      "another version",
      '{\n  "version": 2,\n  "targets": {}\n}',
      2,
      "must be 1: a newer formctl",
      /a newer formctl wrote the file\. Upgrade formctl/,
    ],
    [
      "an id that is none",
      '{"version": 1, "targets": {\n"p": {"a": {"layoutId": "..", "base": {}}}}}',
      2,
      "layoutId",
      RESTORE,
    ],
  ])("reports the position of invalid content: %s", async (_, text, line, words, next) => {
    const path = lockPath();
    write(path, text);
    await expect(openLock(dirname(path), PLACE, turns)).rejects.toMatchObject({
      code: "INVALID_FILE",
      problems: [{ file: path, line, message: expect.stringContaining(words) }],
    });
    await expect(openLock(dirname(path), PLACE, turns)).rejects.toThrow(next);
  });

  it("follows no link, of the file or its folder", async () => {
    const elsewhere = newFolder();
    const path = lockPath();
    write(path, "");
    const linked = join(newFolder(), ".formctl");
    symlinkSync(elsewhere, linked);
    await expect(openLock(linked, PLACE, turns)).rejects.toThrow(/is a link; links are not followed/);

    const file = lockPath();
    mkdirSync(join(file, ".."));
    symlinkSync(join(elsewhere, "target"), file);
    await expect(openLock(dirname(file), PLACE, turns)).rejects.toThrow(/is a link; links are not followed/);
    expect(existsSync(join(elsewhere, "lock.json"))).toBe(false);
  });

  it("leaves no temporary files after a failed write", async () => {
    const path = lockPath();
    const lock = await openLock(dirname(path), PLACE, turns);
    lock.set("a", { base: {} });
    mkdirSync(path, { recursive: true });
    await expect(lock.save()).rejects.toThrow(/is not a file/);
    expect(readdirSync(join(path, ".."))).toEqual(["lock.json"]);
  });

  it("deletes the files of a killed writer, but not those of a running one", async () => {
    const path = lockPath();
    const folder = join(path, "..");
    for (const name of [".formctl-old123", ".formctl-new123", ".formctl-else"])
      mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, ".formctl-old123", "draft"), '{"version":');
    const yesterday = new Date(statSync(folder).mtimeMs - 24 * 60 * 60 * 1000);
    for (const name of [".formctl-old123", ".formctl-else"]) utimesSync(join(folder, name), yesterday, yesterday);
    const lock = await openLock(dirname(path), PLACE, turns);
    lock.set("a", { base: {} });
    await lock.save();
    expect(readdirSync(folder).toSorted()).toEqual([".formctl-else", ".formctl-new123", "lock.json", "runs"]);
  });

  it("returns the layout of another profile of the same server, unless profiles disagree", async () => {
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
      const lock = await openLock(dirname(path), place, turns);
      lock.set(address, { layoutId, base: {} });
      await lock.save();
    }
    const here = await openLock(dirname(path), "https://forms.example.com/eu", turns);
    expect([...knownLayouts(here, addressed("a", "b", "c"))]).toEqual([["a", "lay_1"]]);
    expect(here.get("a")).toBeUndefined();
    expect([
      ...knownLayouts(await openLock(dirname(path), "local:contoso@/store.db", turns), addressed("a", "c")),
    ]).toEqual([]);
  });

  it("adopts the layouts on this target that another profile knows, and no others", async () => {
    const path = lockPath();
    const server = "https://forms.example.com/eu";
    const base = { types: "1" };
    const made: [string, string, LockedResource][] = [
      ["#prod", "a", { formId: "frm_1", layoutId: "lay_1", file: "forms/a.yaml", base }],
      ["#prod", "another organization's", { layoutId: "lay_9", base }],
      ["#prod", "known here", { layoutId: "lay_2", base }],
      ["", "known here", { layoutId: "lay_2", base: { types: "2" } }],
      ["#prod", "of two minds", { layoutId: "lay_3", base }],
      ["#production", "of two minds", { layoutId: "lay_3", base: { types: "2" } }],
    ];
    for (const [profile, address, resource] of made) {
      const lock = await openLock(dirname(path), `${server}${profile}`, turns);
      lock.set(address, resource);
      await lock.save();
    }
    const here = await openLock(dirname(path), server, turns);
    const addresses = ["a", "another organization's", "known here", "of two minds", "nobody's"];
    here.adopt(addresses, new Set(["lay_1", "lay_2", "lay_3"]));
    await here.save();
    const kept = await openLock(dirname(path), server, turns);
    expect(addresses.map((address) => kept.get(address))).toEqual([
      { formId: "frm_1", layoutId: "lay_1", file: "forms/a.yaml", base },
      undefined,
      { layoutId: "lay_2", base: { types: "2" } },
      { layoutId: "lay_3", base: {} },
      undefined,
    ]);
  });

  it("returns the layouts that were created", async () => {
    const lock = await openLock(dirname(lockPath()), PLACE, turns);
    lock.set("a", { layoutId: "lay_1", base: {} });
    lock.set("b", { base: {} });
    expect([...knownLayouts(lock, addressed("a", "b", "c"))]).toEqual([["a", "lay_1"]]);
    expect([...knownLayouts(lock, [{ address: "new", formerAddress: "a" }])]).toEqual([["new", "lay_1"]]);
  });
});
