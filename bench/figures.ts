/**
 * Figures of the benchmarks. Each figure is a ratio of two times, rates or sizes, measured in the same run. Absolute
 * times would depend on the machine and on its load.
 *
 * A benchmark prints its figures. `npm run bench` collects the figures of all benchmarks from a file. The environment
 * variable FORMCTL_BENCH_FIGURES names the file.
 */

import { appendFileSync } from "node:fs";

export type Figure = {
  /** What is measured, such as `serve, GET a form, 64 connections`. */
  name: string;
  /** The measured value with its unit, such as `6,120/s` or `3.2 ms`. */
  value: string;
  /** What the value is compared to, such as `node:http static`. */
  yardstick: string;
  /** The value divided by the yardstick. */
  ratio: number;
  /** The largest or the smallest acceptable ratio. A figure without target is only for information. */
  target?: { most: number } | { least: number };
  /** The results of other programs: their ratios to the same yardstick. */
  peers?: Record<string, number>;
};

/** Reports whether a figure meets its target. A figure without target always does. */
export function isMet({ ratio, target }: Pick<Figure, "ratio" | "target">): boolean {
  if (target === undefined) return true;
  return "most" in target ? ratio <= target.most : ratio >= target.least;
}

/** Returns the bound of a figure's ratio as text, such as `≤ 1.3`; empty for a figure without target. */
export function boundOf({ target }: Pick<Figure, "target">): string {
  if (target === undefined) return "";
  return "most" in target ? `≤ ${target.most}` : `≥ ${target.least}`;
}

/** Returns the ratios of the peers as texts, such as `json-server 0.17`. */
export function peersOf({ peers = {} }: Pick<Figure, "peers">): string[] {
  return Object.entries(peers).map(([peer, ratio]) => `${peer} ${ratio.toFixed(2)}`);
}

let missed = 0;

/** Returns how many figures of this process missed their target so far. */
export function missedTargets(): number {
  return missed;
}

/**
 * Prints a figure as one line, and hands the figure to `npm run bench`.
 *
 * @returns whether the figure meets its target
 * @throws Error if the ratio is not a positive number: then the benchmark measured nothing
 */
export function report(figure: Figure): boolean {
  const { name, value, yardstick, ratio, target } = figure;
  if (!(ratio > 0 && ratio < Infinity)) throw new Error(`${name}: the ratio is ${ratio}`);
  const met = isMet(figure);
  if (!met) missed++;
  const verdict = target === undefined ? "" : `  target ${boundOf(figure)} ${met ? "met" : "MISSED"}`;
  const others = peersOf(figure).map((peer) => `  ${peer}`);
  process.stdout.write(
    `${name.padEnd(52)} ${value.padStart(12)}  ${ratio.toFixed(2).padStart(6)} × ${yardstick}${verdict}${others.join("")}\n`,
  );
  writeLine(figure);
  return met;
}

function writeLine(line: Figure | { skipped: string }): void {
  const file = process.env.FORMCTL_BENCH_FIGURES;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/**
 * Prints why a benchmark has no figures, such as a server that can't start, and hands the reason to `npm run bench`.
 */
export function skip(error: unknown): undefined {
  const skipped = error instanceof Error ? error.message : String(error);
  process.stdout.write(`skipped: ${skipped}\n`);
  writeLine({ skipped });
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Returns the duration of `work` in milliseconds. */
export async function time(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * Runs the works in turn, so that the speed of the machine affects all of them equally. The first turn is not measured.
 *
 * @returns for each work, the median of the times that the work returned
 */
export async function inTurn<Name extends string>(
  works: Record<Name, () => number | Promise<number>>,
  turns: number,
): Promise<Record<Name, number>> {
  const names = Object.keys(works) as Name[];
  const times = new Map(names.map((name) => [name, [] as number[]]));
  for (let turn = -1; turn < turns; turn++) {
    for (const name of names) {
      const taken = await works[name]();
      if (turn >= 0) times.get(name)!.push(taken);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times.get(name)!)])) as Record<Name, number>;
}
