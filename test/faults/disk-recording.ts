/**
 * Runs programs under strace. Records their writes below a folder in order: bytes, flushes, names, and
 * acknowledgements.
 */

import { spawnSync } from "node:child_process";
import { createReadStream } from "node:fs";
import { isAbsolute, join } from "node:path";
import { createInterface } from "node:readline";
import { TRACER } from "./strace.ts";

export type DiskEvent =
  | { kind: "create" | "makeFolder" | "unlink" | "flush"; path: string }
  | { kind: "write"; path: string; offset: number; data: Buffer }
  | { kind: "truncate"; path: string; size: number }
  | { kind: "link" | "rename"; path: string; to: string }
  /** A line that a program printed on stdout. */
  | { kind: "acknowledge"; text: string };

const CALLS =
  "openat,pwrite64,write,lseek,ftruncate,fsync,fdatasync,unlink,unlinkat,rmdir,rename,link,mkdir,fallocate,pwritev";
/** The maximum number of bytes that strace prints for a write. It is larger than a page with its header. */
const LONGEST = 1 << 17;

/**
 * Runs the commands one after the other.
 *
 * @returns what the commands wrote below `folder`, and what they printed
 * @throws Error if a command fails
 */
export async function recordDisk(
  commands: readonly (readonly string[])[],
  { folder, log, env }: { folder: string; log: string; env: NodeJS.ProcessEnv },
): Promise<DiskEvent[]> {
  const events: DiskEvent[] = [];
  /** The paths of existing files. They show whether a call of `openat` creates a file. */
  const known = new Set<string>();
  for (const command of commands) {
    const words = [
      "-f",
      "-y",
      "-xx",
      "-qqq",
      "-s",
      String(LONGEST),
      "-o",
      log,
      "-e",
      `trace=${CALLS}`,
      "-e",
      "signal=none",
    ];
    const run = spawnSync(TRACER, [...words, "--", ...command], { env, encoding: "utf8" });
    if (run.status !== 0) throw new Error(`${command.join(" ")} failed: ${run.stderr}`);
    events.push(...(await readLog(log, folder, known)));
  }
  return events;
}

async function readLog(log: string, folder: string, known: Set<string>): Promise<DiskEvent[]> {
  const events: DiskEvent[] = [];
  /** For each thread: the beginning of a call that strace has not yet printed completely. */
  const unfinished = new Map<string, string>();
  for await (const line of createInterface({ input: createReadStream(log, "latin1") })) {
    const space = line.indexOf(" ");
    const thread = line.slice(0, space);
    let call = line.slice(space).trimStart();
    if (call.endsWith("<unfinished ...>")) {
      // strace prints a space before this mark. It would separate the last argument from the bracket that follows.
      unfinished.set(thread, call.slice(0, -"<unfinished ...>".length).trimEnd());
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>/.exec(call);
    if (resumed) call = unfinished.get(thread)! + call.slice(resumed[0].length);
    const event = eventOf(call, known);
    if (event && (event.kind === "acknowledge" || event.path.startsWith(folder))) events.push(event);
  }
  return events;
}

function eventOf(call: string, known: Set<string>): DiskEvent | undefined {
  const name = call.slice(0, call.indexOf("("));
  const equals = call.lastIndexOf(" = ");
  const result = Number.parseInt(call.slice(equals + 3), 10);
  if (!(result >= 0)) return undefined;
  const strings = [...call.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, text]) => text!);
  const path = (text = "") => decode(text).toString();
  const [, descriptor = "", opened] = /^\w+\((\d+|AT_FDCWD)<([^>]*)>/.exec(call) ?? [];
  switch (name) {
    case "openat": {
      const file = isAbsolute(path(strings[0])) ? path(strings[0]) : join(path(opened), path(strings[0]));
      if (known.has(file) && call.includes("O_TRUNC")) throw new Error(`an unexpected truncation of ${file}`);
      if (!call.includes("O_CREAT") || known.has(file)) return undefined;
      known.add(file);
      return { kind: "create", path: file };
    }
    case "write":
      if (descriptor !== "1") break;
      return { kind: "acknowledge", text: path(strings[0]) };
    case "pwrite64": {
      const [, offset] = /, (\d+)\)\s+= \d+$/.exec(call) ?? [];
      const data = decode(strings[0]!).subarray(0, result);
      if (data.length !== result || offset === undefined) throw new Error(`the recording is cut: ${call.slice(-100)}`);
      return { kind: "write", path: path(opened), offset: Number(offset), data };
    }
    case "ftruncate":
      return { kind: "truncate", path: path(opened), size: Number(/, (\d+)\)\s+= 0$/.exec(call)![1]) };
    case "fsync":
    case "fdatasync":
      return { kind: "flush", path: path(opened) };
    case "unlink":
    case "rmdir":
      known.delete(path(strings[0]));
      return { kind: "unlink", path: path(strings[0]) };
    case "mkdir":
      return { kind: "makeFolder", path: path(strings[0]) };
    case "link":
    case "rename":
      known.add(path(strings[1]));
      if (name === "rename") known.delete(path(strings[0]));
      return { kind: name, path: path(strings[0]), to: path(strings[1]) };
  }
  return undefined;
}

function decode(text: string): Buffer {
  return Buffer.from(text.replaceAll("\\x", ""), "hex");
}
