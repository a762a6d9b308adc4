/**
 * Start-up, as a ratio to bare Node: `npm run bench:startup [-- --runs 40] [-- --check]`.
 *
 * The commands take turns with `node -e 0` on the same machine in the same minute, so that its speed cancels out; a
 * ratio is of medians. With `--check` a ratio over its target fails the run. The control starts Node with one
 * millisecond-heavy import more, and must be seen to be slower.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { runs: { type: "string", default: "40" }, check: { type: "boolean", default: false } },
});
const runs = Number(values.runs);
const formctl = join(import.meta.dirname, "..", "bin", "formctl.js");
const home = mkdtempSync(join(tmpdir(), "formctl-bench-"));
const env = { ...process.env, FORMCTL_HOME: home, NODE_OPTIONS: "", NO_COLOR: "1" };

type Case = { name: string; args: string[]; target: number | null };

const cases: Case[] = [
  { name: "node -e 0", args: ["-e", "0"], target: null },
  { name: "formctl --version", args: [formctl, "--version"], target: 1.15 },
  { name: "formctl --help", args: [formctl, "--help"], target: 1.3 },
  { name: "formctl currencies list", args: [formctl, "currencies", "list"], target: 1.4 },
  {
    name: "formctl forms list staffing/candidate",
    args: [formctl, "forms", "list", "staffing/candidate"],
    target: 1.4,
  },
  {
    name: "formctl forms create … (durable)",
    // Into another object: the list above stays as long as it is.
    args: [formctl, "forms", "create", "compliance/document_check", "--name", "Bench", "--types", "VIEW"],
    target: 1.5,
  },
  { name: "control: node with node:http", args: ["--input-type=module", "-e", 'import "node:http"'], target: null },
];

/** Milliseconds of one whole process. */
function time({ args }: Case): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, {
    env,
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
  });
  const elapsed = performance.now() - start;
  if (status !== 0) throw new Error(`${args.join(" ")} failed: ${stderr}`);
  return elapsed;
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

try {
  time({ name: "set-up", args: [formctl, "local", "init", "--demo"], target: null });
  for (const warmUp of [...cases, ...cases]) time(warmUp);
  const times = new Map<string, number[]>(cases.map(({ name }) => [name, []]));
  for (let run = 0; run < runs; run++) for (const each of cases) times.get(each.name)!.push(time(each));

  const bare = median(times.get("node -e 0")!);
  process.stdout.write(`Node ${process.version}, ${runs} runs each in turn; medians\n`);
  let missed = 0;
  for (const { name, target } of cases) {
    const own = median(times.get(name)!);
    const ratio = own / bare;
    const misses = target !== null && ratio > target;
    if (misses) missed++;
    const verdict = target === null ? "" : `  target ${target.toFixed(2)} ${misses ? "MISSED" : "met"}`;
    process.stdout.write(`${name.padEnd(40)} ${own.toFixed(1).padStart(6)} ms  ${ratio.toFixed(2)} ×${verdict}\n`);
  }
  if (median(times.get(cases.at(-1)!.name)!) / bare < 1.2)
    throw new Error("the control is not slower: this run measures nothing");
  if (values.check && missed > 0) process.exitCode = 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}
