/** Lists of a hostile server, and the memory of the program that reads them. */

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { newCanary } from "../canary.ts";
import { environment, FORMCTL } from "./program.ts";

const MiB = 1024 * 1024;

/** Prints the largest resident size of its process on descriptor 3, in KiB. */
const REPORTER = `data:text/javascript,${encodeURIComponent(`
  import { readFileSync, writeSync } from "node:fs";
  process.on("exit", () => writeSync(3, /VmHWM:\\s+(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]));`)}`;

/** Returns the members of a record as JSON text, without braces. @param page the number of the page, from 1 */
export type Records = (page: number) => string[];

const repeat = (count: number, each: (index: number) => string) => Array.from({ length: count }, (_, at) => each(at));
const filled = (bytes: number, each: (index: number) => string) =>
  repeat(Math.floor(bytes / each(1_000_000).length), each).join("");

const EMPTY = filled(30 * MiB, () => ",{}");
const MEMBERS = filled(30 * MiB, (at) => `,"m${1e6 + at}":1`);
const SHAPES = filled(30 * MiB, (at) => `,{"m${at}":1}`);
const FEWER_SHAPES = SHAPES.slice(0, SHAPES.lastIndexOf("}", 7 * MiB) + 1);
const STRINGS = filled(28 * MiB, (at) => `,"s${1e6 + at}"`);
const RECORDS = (page: number, count: number) => repeat(count, (at) => `"id":"r${page}_${at}"`);

/** What the pages of a list hold. */
export const PAGES: Readonly<Record<string, Records>> = {
  "one long text": (page) => [`"id":"r${page}","text":"${"x".repeat(30 * MiB)}"`],
  "one long text with a wide character": (page) => [`"id":"r${page}","text":"\u20ac${"x".repeat(27 * MiB)}"`],
  "a hundred long texts": (page) => repeat(100, (at) => `"id":"r${page}_${at}","text":"${"x".repeat(0.3 * MiB)}"`),
  "empty objects": (page) => [`"id":"r${page}","list":[0${EMPTY}]`],
  "one object with many members": (page) => [`"id":"r${page}"${MEMBERS}`],
  "objects with different members": (page) => [`"id":"r${page}","list":[0${SHAPES}]`],
  "fewer objects with different members": (page) => [`"id":"r${page}","list":[0${FEWER_SHAPES}]`],
  "short texts": (page) => [`"id":"r${page}","list":[0${STRINGS}]`],
  "tiny records": (page) => RECORDS(page, 300_000),
  "a hundred tiny records": (page) => RECORDS(page, 100),
  "two thousand tiny records": (page) => RECORDS(page, 2_000),
  "one tiny record": (page) => RECORDS(page, 1),
};

/** The members that make a record a form and a layout. */
const SHARED = '"name":"n","types":["VIEW"],"surface":"USER","status":"DRAFT"';

/** Starts a server whose lists have no end. @returns its address, and the number of pages sent */
export async function startEndlessLists(
  records: Records,
): Promise<{ url: string; sent: () => number; server: Server }> {
  let sent = 0;
  const server = createServer((_request, response) => {
    const page = ++sent;
    const data = records(page).map((members) => `{${members},${SHARED}}`);
    response.setHeader("content-type", "application/json");
    response.end(`{"data":[${data.join(",")}],"meta":{"hasMore":true,"nextCursor":"c${page}"}}`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent: () => sent, server };
}

export type Measured = { code: number | null; signal: string | null; mib: number; stderr: string };

/**
 * Runs a command of the built program against a server.
 *
 * @param options options of Node
 * @returns its end, and its largest resident size
 */
export function measure(
  words: readonly string[],
  home: string,
  url: string,
  options: readonly string[] = [],
): Promise<Measured> {
  return measureNode([...options, FORMCTL, ...words], home, { FORMCTL_BASE_URL: url, FORMCTL_TOKEN: newCanary() });
}

/**
 * Measures a command, and again if it needs more memory than `most`. On a busy machine, the garbage collector runs later
 * in some runs.
 *
 * @returns the last of at most three measurements
 */
export async function measureAgain(run: () => Promise<Measured>, most: number): Promise<Measured> {
  let measured = await run();
  for (let again = 0; again < 2 && Math.round(measured.mib) >= most; again++) measured = await run();
  return measured;
}

/** Runs Node. @returns its end, and its largest resident size */
export async function measureNode(
  words: readonly string[],
  home: string,
  more: Record<string, string> = {},
): Promise<Measured> {
  const env = environment(home, more);
  const child = spawn(process.execPath, ["--import", REPORTER, ...words], {
    cwd: home,
    env,
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  const [[code, signal], stderr, kib] = await Promise.all([
    once(child, "exit") as Promise<[number | null, string | null]>,
    text(child.stderr!),
    text(child.stdio[3] as NodeJS.ReadableStream),
  ]);
  return { code, signal, mib: Number(kib) / 1024, stderr };
}
