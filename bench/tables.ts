/** Formats the figures of a run as tables: as text for a terminal, and as Markdown for docs/performance.md. */

import { boundOf, type Figure, isMet, peersOf } from "./figures.ts";

/** The figures of one benchmark. The benchmark reported them in this order. */
export type Result = {
  /** The name of the benchmark in `BENCHMARKS`. */
  name: string;
  figures: Figure[];
  seconds: number;
  /** Why the benchmark ended early. `figures` then has the figures before the failure. */
  failure?: string;
  /** Why the benchmark can't run on this machine. */
  skipped?: string;
};

const HEAD = ["Figure", "Value", "Ratio", "Compared to", "Target", "Result", "Peers"];

function cellsOf(figure: Figure): string[] {
  const { name, value, yardstick, ratio, target } = figure;
  const result = target === undefined ? "" : isMet(figure) ? "met" : "MISSED";
  return [name, value, ratio.toFixed(2), yardstick, boundOf(figure), result, peersOf(figure).join(", ")];
}

/** Returns all figures as one table, with a line for each benchmark and a summary at the end. */
export function textTable(results: readonly Result[]): string {
  const rows = [HEAD, ...results.flatMap(({ figures }) => figures.map((figure) => cellsOf(figure)))];
  const widths = HEAD.map((_head, column) => Math.max(...rows.map((row) => row[column]!.length)));
  // Columns of numbers are aligned at the right.
  const line = (row: string[]) =>
    row
      .map((cell, column) =>
        column === 1 || column === 2 ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
      )
      .join("  ")
      .trimEnd();
  const lines = results.flatMap(({ name, figures, seconds, failure, skipped }) => [
    "",
    `${name}, ${Math.round(seconds)} s${failure === undefined ? "" : `: FAILED, ${failure}`}${skipped === undefined ? "" : `: skipped, ${skipped}`}`,
    ...figures.map((figure) => line(cellsOf(figure))),
  ]);
  const bounded = results.flatMap(({ figures }) => figures).filter(({ target }) => target !== undefined);
  const missed = bounded.filter((figure) => !isMet(figure)).length;
  const failed = results.filter(({ failure }) => failure !== undefined).map(({ name }) => name);
  const minutes = (results.reduce((sum, { seconds }) => sum + seconds, 0) / 60).toFixed(1);
  const summary = `${bounded.length} targets: ${bounded.length - missed} met, ${missed} missed. ${minutes} minutes.`;
  const failures = failed.length === 0 ? [] : [`Failed: ${failed.join(", ")}`];
  return `${[line(HEAD), ...lines, "", summary, ...failures].join("\n")}\n`;
}

const markdownRow = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

/** Returns the figures of one benchmark as a Markdown table. A column without any text is left out. */
export function markdownTable(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => cellsOf(figure).map((cell) => (cell === "MISSED" ? "**missed**" : cell)));
  const used = HEAD.map((_head, column) => rows.some((row) => row[column] !== ""));
  const kept = (row: readonly string[]) => row.filter((_cell, column) => used[column]);
  const rule = HEAD.map((_head, column) => (column === 1 || column === 2 ? "--:" : "---"));
  return [HEAD, rule, ...rows].map((row) => markdownRow(kept(row))).join("\n");
}

/** Returns the document with a new text in a section. @throws Error if the document does not have the section */
export function withSection(document: string, section: string, text: string): string {
  const begin = `<!-- begin ${section} -->`;
  const from = document.indexOf(begin);
  const to = document.indexOf(`<!-- end ${section} -->`);
  if (from === -1 || to < from) throw new Error(`the document has no section "${section}"`);
  return `${document.slice(0, from + begin.length)}\n\n${text}\n\n${document.slice(to)}`;
}
