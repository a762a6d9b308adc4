/**
 * Checks the lock between processes while its text is written. On a file system without hard links, other processes can
 * read an incomplete lock.
 */

import type * as promises from "node:fs/promises";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type LockHolder, type ProcessLock, takeLock } from "../../src/disk/process-lock.ts";
import type { ProcessIdentity, Processes } from "../../src/base/host.ts";
import { temporaryFolders } from "../temporary.ts";

let hasHardLinks = false;
/** Runs between the creation of a file and the writing of its text. The file is empty then. */
let onCreated: (path: string) => Promise<unknown> = async () => undefined;
/** Runs before a lock file is created. */
let onCreate: (path: string) => Promise<unknown> = async () => undefined;

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof promises>();
  return {
    ...real,
    async link(from: string, to: string) {
      if (hasHardLinks) return real.link(from, to);
      throw Object.assign(new Error("no hard links"), { code: "EPERM", syscall: "link" });
    },
    async writeFile(path: string, text: string, options: { flag: string; mode: number }) {
      if (path.endsWith(".tmp") && !hasHardLinks) return real.writeFile(path, text, options);
      await onCreate(path);
      await real.writeFile(path, "", options);
      await onCreated(path);
      return real.writeFile(path, text);
    },
  };
});

const newFolder = temporaryFolders();

function processes(pid: number): Processes {
  const self: ProcessIdentity = { pid, host: "here", startedAt: "2026-01-01T00:00:00.000Z" };
  return { self, isRunning: () => true };
}

const isHeld = (taken: ProcessLock | LockHolder) => !("holder" in taken);

/** A promise, and the function that resolves it. */
function gate(): { open: () => void; opened: Promise<void> } {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  return { open, opened };
}

describe("a lock without hard links", () => {
  it("is not taken from a process that has created the file and completes its text later", async () => {
    const folder = newFolder();
    const [created, read] = [gate(), gate()];
    let first: Promise<ProcessLock | LockHolder> | undefined;
    onCreated = async (path) => {
      if (path !== join(folder, "lock-1")) return;
      created.open();
      await read.opened;
    };
    onCreate = async (path) => {
      // The second process has read the empty file. Now the first process completes its lock.
      if (path !== join(folder, "lock-2")) return;
      read.open();
      await first;
    };
    first = takeLock(folder, "lock", processes(1));
    await created.opened;
    const second = await takeLock(folder, "lock", processes(2));

    expect(isHeld(await first)).toBe(true);
    expect(second).toMatchObject({ holder: { pid: 1 } });
    expect(readdirSync(folder)).toEqual(["lock-1"]);
  });

  it("is not taken by a third process while the second one creates its file", async () => {
    const folder = newFolder();
    const [created, read] = [gate(), gate()];
    const taken: (ProcessLock | LockHolder)[] = [];
    let first: Promise<ProcessLock | LockHolder> | undefined;
    onCreate = async (path) => {
      // The second process has read the empty file of the first one. Now the first process completes its lock.
      if (path !== join(folder, "lock-2")) return;
      read.open();
      taken.push(await first!);
    };
    onCreated = async (path) => {
      if (path === join(folder, "lock-1")) {
        created.open();
        await read.opened;
      }
      // The third process finds the file of the second one, which has no text yet.
      if (path === join(folder, "lock-2")) taken.push(await takeLock(folder, "lock", processes(3)));
    };
    first = takeLock(folder, "lock", processes(1));
    await created.opened;
    taken.push(await takeLock(folder, "lock", processes(2)));

    expect(taken.map(isHeld)).toEqual([true, false, false]);
    expect(readdirSync(folder)).toEqual(["lock-1"]);
  });

  it("is taken by one of two processes that create their files at the same time", async () => {
    const folder = newFolder();
    const [created, both] = [gate(), gate()];
    onCreated = async (path) => {
      if (path === join(folder, "lock-1")) {
        created.open();
        await both.opened;
      } else both.open();
    };
    onCreate = async () => undefined;
    const first = takeLock(folder, "lock", processes(1));
    await created.opened;
    const taken = await Promise.all([first, takeLock(folder, "lock", processes(2))]);

    expect(taken.filter(isHeld)).toHaveLength(1);
  });

  it("is taken after an earlier process was killed before it wrote its text", async () => {
    const folder = newFolder();
    onCreated = async (path) => {
      if (path === join(folder, "lock-1")) throw Object.assign(new Error("killed"), { code: "EIO", syscall: "write" });
    };
    onCreate = async () => undefined;
    await expect(takeLock(folder, "lock", processes(1))).rejects.toMatchObject({ code: "FILE_UNWRITABLE" });
    expect(isHeld(await takeLock(folder, "lock", processes(2)))).toBe(true);
  });
});

describe("a lock with hard links", () => {
  it("is not visible to another process before its text is complete", async () => {
    hasHardLinks = true;
    onTestFinished(() => void (hasHardLinks = false));
    const folder = newFolder();
    const [created, taken] = [gate(), gate()];
    onCreate = async () => undefined;
    onCreated = async () => {
      onCreated = async () => undefined;
      created.open();
      await taken.opened;
    };
    const first = takeLock(folder, "lock", processes(1));
    await created.opened;
    expect(readdirSync(folder).filter((name) => /^lock-\d+$/.test(name))).toEqual([]);
    const second = await takeLock(folder, "lock", processes(2));
    taken.open();

    expect(second).toMatchObject({ number: 1 });
    expect(await first).toMatchObject({ holder: { pid: 2 } });
    expect(readdirSync(folder)).toEqual(["lock-1"]);
  });

  it("is held by one process if a repository contains a lock with the highest number", async () => {
    hasHardLinks = true;
    onTestFinished(() => void (hasHardLinks = false));
    const folder = newFolder();
    writeFileSync(join(folder, "lock-999999999999999"), "");
    onCreate = onCreated = async () => undefined;
    const first = await takeLock(folder, "lock", processes(1)).catch((error: Error) => error);
    const second = await takeLock(folder, "lock", processes(2)).catch((error: Error) => error);
    expect([first, second].filter((taken) => "release" in taken).length).toBeLessThan(2);
    expect(second).toMatchObject({ code: "FILE_UNFIT", hint: "Remove the file." });
  });
});
