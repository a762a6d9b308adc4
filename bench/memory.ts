/**
 * Measures the memory and the processor time of `validate`, `plan` and `apply`:
 * `node bench/memory.ts [--manifests 10000] [--few 1000] [--check]`. Needs `npm run build`.
 *
 * The memory is the largest resident size of a process of the built program. The processor time per manifest is
 * compared between few and many manifests. A manifest has 24 KB.
 *
 * The control is a process that holds 256 MiB. The run fails if the measurement doesn't show this memory.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { missedTargets, report } from "./figures.ts";
import { createHome, writeManifests } from "./manifest-folder.ts";

const { values } = parseArgs({
  options: {
    manifests: { type: "string", default: "10000" },
    few: { type: "string", default: "1000" },
    check: { type: "boolean", default: false },
  },
});
const many = Number(values.manifests);
const few = Number(values.few);
const bin = join(import.meta.dirname, "..", "bin", "formctl.js");
const root = mkdtempSync(join(tmpdir(), "formctl-bench-memory-"));

/** The limits in MiB, for 10,000 manifests. */
const LIMITS = { validate: 512, plan: 768, apply: 768 } as const;
type Command = keyof typeof LIMITS;
const COMMANDS = Object.keys(LIMITS) as Command[];

/** What a process used: the largest resident size, and the processor time in seconds. */
type Used = { mib: number; seconds: number };

/**
 * A module that prints the usage of its process on descriptor 3. It prefers VmHWM to maxRSS: maxRSS also counts the
 * memory of the parent process.
 */
const REPORTER = `data:text/javascript,${encodeURIComponent(`
  import { readFileSync, writeSync } from "node:fs";
  process.on("exit", () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    let kib = maxRSS;
    try { kib = Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]); } catch {}
    writeSync(3, JSON.stringify({ mib: kib / 1024, seconds: (userCPUTime + systemCPUTime) / 1e6 }));
  });`)}`;

/** Runs Node and waits for its exit. @throws Error if Node fails */
async function use(words: readonly string[], home: string): Promise<Used> {
  const child = spawn(process.execPath, ["--import", REPORTER, ...words], {
    cwd: home,
    env: { ...process.env, FORMCTL_HOME: home, NODE_OPTIONS: "", NO_COLOR: "1" },
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  const [[code], errors, used] = await Promise.all([
    once(child, "exit"),
    text(child.stderr!),
    text(child.stdio[3] as NodeJS.ReadableStream),
  ]);
  if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}: ${errors.slice(-2000)}`);
  return JSON.parse(used) as Used;
}

/** Runs the commands with `count` manifests and a store without forms. */
async function useOf(count: number, empty: string): Promise<Record<Command, Used>> {
  const folder = join(root, `forms-${count}`);
  const home = join(root, `home-${count}`);
  writeManifests(folder, count);
  cpSync(empty, home, { recursive: true });
  const run = (...words: string[]) => use([bin, ...words, folder, "-o", "json"], home);
  return { validate: await run("validate"), plan: await run("plan"), apply: await run("apply", "--yes") };
}

async function requireControl(): Promise<void> {
  const { mib: bare } = await use(["-e", "0"], root);
  const { mib: full } = await use(["-e", "globalThis.held = Buffer.alloc(256 * 2 ** 20, 1)"], root);
  if (full - bare < 250) throw new Error(`a process that holds 256 MiB has ${full} MiB, and a bare one ${bare} MiB`);
}

const grouped = (value: number) => value.toLocaleString("en");

try {
  await requireControl();
  const empty = await createHome(join(root, "empty"));
  // The processor time with one manifest is the time of the start-up.
  const one = await useOf(1, empty);
  const small = await useOf(few, empty);
  const large = await useOf(many, empty);
  for (const command of COMMANDS) {
    const { mib } = large[command];
    report({
      name: `${command}, memory with ${grouped(many)} manifests`,
      value: `${mib.toFixed(0)} MiB`,
      yardstick: `${LIMITS[command]} MiB`,
      ratio: mib / LIMITS[command],
      target: { most: 1 },
    });
  }
  for (const command of COMMANDS) {
    const each = (used: Record<Command, Used>, manifests: number) =>
      (used[command].seconds - one[command].seconds) / (manifests - 1);
    report({
      name: `${command}, time per manifest of ${grouped(many)}`,
      value: `${(1000 * each(large, many)).toFixed(2)} ms`,
      yardstick: `per manifest of ${grouped(few)}`,
      ratio: each(large, many) / each(small, few),
      target: { most: 1.2 },
    });
  }
  if (values.check && missedTargets() > 0) process.exitCode = 1;
} finally {
  rmSync(root, { recursive: true, force: true });
}
