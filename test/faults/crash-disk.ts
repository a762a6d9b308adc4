/**
 * Simulates a disk that loses its power. Everything that was flushed is kept. Any part of the later changes may be kept
 * too, in any order: single sectors of a write, a new size, a new or removed name. POSIX promises no more.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DiskEvent } from "./disk-recording.ts";

/** The number of bytes that a disk writes completely or not at all. */
const SECTOR = 512;

type Change = Extract<DiskEvent, { kind: "write" | "truncate" }>;
/** `unflushed` are the changes since the last flush. */
type File = { flushed: Buffer; unflushed: Change[] };
type Folder = { flushed: Map<string, Node>; unflushed: NameChange[] };
type Node = { file: File } | { folder: Folder };
/** New entries of one folder; undefined removes a name. A rename changes two names together. */
type NameChange = Map<string, Node | undefined>;

type Random = (limit: number) => number;

export class CrashDisk {
  readonly #root: string;
  readonly #top: Folder = { flushed: new Map(), unflushed: [] };

  /** @param root the folder that exists from the start */
  constructor(root: string) {
    this.#root = root;
  }

  apply(event: Exclude<DiskEvent, { kind: "acknowledge" }>): void {
    switch (event.kind) {
      case "create":
        this.#name(event.path, { file: { flushed: Buffer.alloc(0), unflushed: [] } });
        break;
      case "makeFolder":
        this.#name(event.path, { folder: { flushed: new Map(), unflushed: [] } });
        break;
      case "unlink":
        this.#name(event.path, undefined);
        break;
      case "link":
        this.#name(event.to, this.#find(event.path));
        break;
      case "rename":
        this.#rename(event.path, event.to);
        break;
      case "flush":
        flush(this.#find(event.path));
        break;
      case "write":
      case "truncate": {
        const node = this.#find(event.path);
        // A removed file can still be open. Writes to such a file are ignored, because the content is lost anyway.
        if (node && "file" in node) node.file.unflushed.push(event);
        break;
      }
    }
  }

  /** Writes a possible content of the disk after a crash into the existing folder `target`. */
  crash(target: string, random: Random): void {
    write(this.#top, target, random);
  }

  /** Writes into `target` the content of the disk that a process reads now. */
  copyTo(target: string): void {
    write(this.#top, target, undefined);
  }

  #folderOf(path: string): Folder {
    if (dirname(path) === this.#root) return this.#top;
    const node = this.#find(dirname(path));
    if (!node || !("folder" in node)) throw new Error(`${path} is in no known folder`);
    return node.folder;
  }

  #find(path: string): Node | undefined {
    if (path === this.#root) return { folder: this.#top };
    const { flushed, unflushed } = this.#folderOf(path);
    const last = unflushed.findLast((change) => change.has(basename(path)));
    return last ? last.get(basename(path)) : flushed.get(basename(path));
  }

  #name(path: string, node: Node | undefined): void {
    this.#folderOf(path).unflushed.push(new Map([[basename(path), node]]));
  }

  #rename(from: string, to: string): void {
    const node = this.#find(from);
    if (dirname(from) === dirname(to)) {
      const change: NameChange = new Map<string, Node | undefined>([[basename(from), undefined]]);
      this.#folderOf(from).unflushed.push(change.set(basename(to), node));
      return;
    }
    this.#name(to, node);
    this.#name(from, undefined);
  }
}

function flush(node: Node | undefined): void {
  if (!node) return;
  if ("file" in node) {
    node.file.flushed = apply(node.file.flushed, node.file.unflushed);
    node.file.unflushed = [];
  } else {
    for (const change of node.folder.unflushed) rename(node.folder.flushed, change);
    node.folder.unflushed = [];
  }
}

function rename(names: Map<string, Node>, change: NameChange): void {
  for (const [name, node] of change)
    if (node) names.set(name, node);
    else names.delete(name);
}

function apply(content: Buffer, changes: readonly Change[]): Buffer {
  const sizes = changes.map((change) => (change.kind === "write" ? change.offset + change.data.length : change.size));
  const room = Buffer.alloc(Math.max(content.length, ...sizes));
  content.copy(room);
  let size = content.length;
  for (const change of changes) {
    if (change.kind === "truncate") {
      if (change.size < size) room.fill(0, change.size, size);
      size = change.size;
    } else {
      change.data.copy(room, change.offset);
      size = Math.max(size, change.offset + change.data.length);
    }
  }
  return room.subarray(0, size);
}

/**
 * Writes a folder into `target`. @param random chooses the unflushed changes that are kept. Without `random`, all are
 * kept
 */
function write(folder: Folder, target: string, random: Random | undefined): void {
  const names = new Map(folder.flushed);
  for (const change of keep(folder.unflushed, random)) rename(names, change);
  for (const [name, node] of names) {
    // The file `-shm` is shared memory with an index of the log. SQLite creates this file again after a crash.
    if (name.endsWith("-shm")) continue;
    const path = join(target, name);
    if ("folder" in node) {
      mkdirSync(path);
      write(node.folder, path, random);
    } else writeFileSync(path, apply(node.file.flushed, keep(node.file.unflushed, random, toSectors)));
  }
}

/**
 * Returns a random part of the changes, in their order. @param split divides a change into parts that are kept
 * independently
 */
function keep<T>(
  changes: readonly T[],
  random: Random | undefined,
  split: (change: T) => T[] = (change) => [change],
): readonly T[] {
  if (!random || changes.length === 0) return changes;
  const manners: readonly (() => readonly T[])[] = [
    () => [],
    () => changes,
    () => changes.filter(() => random(2) === 0),
    () => changes.filter(() => random(changes.length) === 0),
    () => changes.flatMap(split).filter(() => random(2) === 0),
    () => without(changes.flatMap(split), random),
  ];
  return manners[random(manners.length)]!();
}

/** Returns all items except a random one. */
function without<T>(items: readonly T[], random: Random): T[] {
  const missing = random(items.length);
  return items.filter((_, index) => index !== missing);
}

function toSectors(change: Change): Change[] {
  if (change.kind === "truncate") return [change];
  const sectors: Change[] = [];
  for (let start = 0; start < change.data.length;) {
    // A page of the write-ahead log begins inside of a sector: the header of the log is shorter than a sector.
    const end = Math.min(change.data.length, start + SECTOR - ((change.offset + start) % SECTOR));
    sectors.push({ ...change, offset: change.offset + start, data: change.data.subarray(start, end) });
    start = end;
  }
  return sectors;
}
