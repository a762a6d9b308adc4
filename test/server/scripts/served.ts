/**
 * Runs a server in a separate process for measurements, and prints its URL. For each line on standard input, it prints
 * its memory and the longest time for which its event loop was blocked since the previous line.
 *
 * The lines `block` and `leak` are for controls: each spoils one measurement.
 */

import { createInterface } from "node:readline";
import { openLocal } from "../../../src/composition/local-store.ts";
import { serve } from "../../../src/composition/serve.ts";

const [path = ""] = process.argv.slice(2);
const local = openLocal(path, () => new Date(), { serves: true });
let leak: unknown[] | undefined;
const write = () => void leak?.push(Array.from({ length: 5_000 }, (_, index) => index));
const { url, stop } = await serve(local, { host: "127.0.0.1", port: 0, version: "test", write });

// Measured in processor time, because wall-clock time depends on other processes.
const cpuTime = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
let longest = 0;
let last = cpuTime();
setInterval(() => {
  const now = cpuTime();
  longest = Math.max(longest, now - last);
  last = now;
}, 2).unref();

process.stdout.write(`${url}\n`);
const input = createInterface({ input: process.stdin });
input.on("line", (line) => {
  if (line === "leak") leak = [];
  if (line === "block") for (const end = cpuTime() + 300; cpuTime() < end;);
  if (line === "block") setTimeout(answer, 20);
  else answer(line === "collect");
});
input.on("close", () => void stop().then(() => local.close()));

function answer(collects = false): void {
  if (collects) globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  process.stdout.write(`${JSON.stringify({ longest, rss, heapUsed })}\n`);
  longest = 0;
  last = cpuTime();
}
