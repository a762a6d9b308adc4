/** Shows the progress of long work: a status line on a terminal, a line every few seconds in a log. */

import { visible } from "./escape.ts";
import type { Terminal } from "./terminal.ts";
import { cut } from "./width.ts";

export interface Progress {
  /** Shows a new count. `label` and `total` replace the previous ones. */
  update(done: number, label?: string, total?: number): void;
  /** Removes the status line. The caller must call this function, even if the work fails. */
  stop(): void;
}

export type ProgressOptions = {
  label: string;
  total?: number;
  /** Whether to show the progress at once, not after a second. Used for long work that can block the timer. */
  isLong?: boolean;
};

const TICK_MS = 100;
/** Nothing is shown in the first second, except with `isLong`. */
const SILENT_MS = 1000;
/** The time between two lines of a log. */
const LOG_MS = 5000;
const BAR_COLUMNS = 24;
const SPINNER = ["|", "/", "-", "\\"];

/**
 * Shows `label` with a bar if `total` is known, otherwise with a spinner. Shows nothing with `--quiet`. The timer does
 * not keep the process alive.
 */
export function startProgress(terminal: Terminal, { isLong = false, ...options }: ProgressOptions): Progress {
  if (terminal.quiet) return { update() {}, stop() {} };
  let { label, total } = options;
  const start = terminal.milliseconds;
  let done = 0;
  let shownAt = start - LOG_MS;
  let logged = "";

  function show(): void {
    const now = terminal.milliseconds;
    const isDue = now - shownAt >= (terminal.errIsTTY ? TICK_MS : LOG_MS);
    if (!isDue || (now - start < SILENT_MS && !isLong)) return;
    shownAt = now;
    if (terminal.errIsTTY) terminal.status(cut(visible(line(now)), terminal.errWidth - 1));
    else log();
  }

  function line(now: number): string {
    const spinner = SPINNER[Math.floor((now - start) / TICK_MS) % SPINNER.length];
    if (total === undefined) return `${spinner} ${label}${done > 0 ? ` ${done}` : ""}`;
    const filled = Math.round((Math.min(done, total) / Math.max(total, 1)) * BAR_COLUMNS);
    return `[${"#".repeat(filled)}${".".repeat(BAR_COLUMNS - filled)}] ${count()} ${label}`;
  }

  function log(): void {
    const text = total === undefined && done === 0 ? `${label} …` : `${label}: ${count()}`;
    if (text !== logged) terminal.hint(text);
    logged = text;
  }

  function count(): string {
    return total === undefined ? String(done) : `${done}/${total}`;
  }

  const timer = setInterval(show, TICK_MS);
  timer.unref();
  if (isLong) show();
  return {
    update(now, what, all) {
      done = now;
      label = what ?? label;
      total = all ?? total;
      // The timer does not run while the local store works, so the progress is also shown here.
      show();
    },
    stop() {
      clearInterval(timer);
      terminal.status("");
    },
  };
}

/** Runs `work`, and shows its progress until it ends. */
export async function withProgress<T>(
  terminal: Terminal,
  options: ProgressOptions,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  const progress = startProgress(terminal, options);
  try {
    return await work(progress);
  } finally {
    progress.stop();
  }
}
