/**
 * Runs all benchmarks one after another: `npm run bench [-- --only serve,store] [-- --check] [-- --write]`.
 *
 * Prints one table of the figures on stdout. The output of the benchmarks is written to stderr.
 *
 * After a failure, the remaining benchmarks run too. The exit code is 1 in these cases:
 * - A benchmark failed.
 * - With `--check`: a figure misses its target.
 *
 * With `--write`, the figures of this run replace the tables and the chart of docs/performance.md. A benchmark that
 * failed or was skipped keeps its old table.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir, totalmem, type } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BENCHMARKS } from "./benchmarks.ts";
import { type Figure, isMet } from "./figures.ts";
import { growthChart } from "./growth-chart.ts";
import { markdownTable, type Result, textTable, withSection } from "./tables.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    check: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
const DOCS = join(import.meta.dirname, "..", "docs");
const DOCUMENT = join(DOCS, "performance.md");
/** A benchmark that takes longer is ended. */
const LONGEST_MS = 10 * 60_000;

/** Describes the machine, as a text for docs/performance.md. */
function machine(): string {
  const processors = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${processors.length} cores (${processors[0]!.model.trim()}), ${memory} GiB of memory, ${type()}, Node ${process.version}`;
}

function runBenchmark(name: string, file: string): Result {
  writeFileSync(file, "");
  process.stderr.write(`\n── ${name}\n`);
  const start = performance.now();
  const { status, signal, error } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, `${name}.ts`), ...BENCHMARKS[name]!],
    { env: { ...process.env, FORMCTL_BENCH_FIGURES: file }, stdio: ["ignore", 2, 2], timeout: LONGEST_MS },
  );
  const seconds = (performance.now() - start) / 1000;
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  const all = lines.map((line) => JSON.parse(line) as Figure | { skipped: string });
  const figures = all.filter((line): line is Figure => "ratio" in line);
  const skipped = all.find((line): line is { skipped: string } => "skipped" in line)?.skipped;
  if (status === 0 && skipped !== undefined) return { name, figures, seconds, skipped };
  if (status === 0 && figures.length > 0) return { name, figures, seconds };
  const failure = error?.message ?? (status === 0 ? "it reported no figures" : `it ended with ${signal ?? status}`);
  return { name, figures, seconds, failure };
}

/** Replaces the tables of the measured benchmarks in docs/performance.md, and the chart. */
function writeDocument(results: readonly Result[]): void {
  const measured = `Measured on ${new Date().toISOString().slice(0, 10)}: ${machine()}.`;
  let document = readFileSync(DOCUMENT, "utf8");
  for (const { name, figures } of results) {
    document = withSection(document, name, `${markdownTable(figures)}\n\n${measured}`);
    if (name === "growth") writeFileSync(join(DOCS, "performance-growth.svg"), growthChart(figures));
  }
  writeFileSync(DOCUMENT, document);
}

const names = values.only?.split(",") ?? Object.keys(BENCHMARKS);
const unknown = names.find((name) => !(name in BENCHMARKS));
if (unknown !== undefined) {
  throw new Error(`unknown benchmark "${unknown}". Valid names: ${Object.keys(BENCHMARKS).join(", ")}`);
}
const folder = mkdtempSync(join(tmpdir(), "formctl-bench-all-"));
try {
  const results = names.map((name) => runBenchmark(name, join(folder, "figures")));
  process.stdout.write(`${machine()}\n\n${textTable(results)}`);
  const complete = results.filter(({ failure }) => failure === undefined);
  if (values.write) writeDocument(complete.filter(({ skipped }) => skipped === undefined));
  const missed = results.some(({ figures }) => figures.some((figure) => !isMet(figure)));
  if (complete.length < results.length || (values.check && missed)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
