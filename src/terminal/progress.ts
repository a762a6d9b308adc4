/** Shows the progress of long work: as a status line on a terminal, as a line every few seconds in a log. */

import { visible } from "./escape.ts";
import type { Terminal } from "./terminal.ts";
import { cut } from "./width.ts";

export interface Progress {
  /** Shows a new count. `label` and `total` replace the previous ones. */
  update(done: number, label?: string, total?: number): void;
  /** Removes the status line. The caller must call this function whether the work succeeds or fails. */
  stop(): void;
}

const TICK_MS = 100;
/** The tick of the first output. Nothing is shown in the first second. */
const FIRST_TICK = 10;
/** The number of ticks between two lines of a log. */
const LOG_TICKS = 50;
const BAR_COLUMNS = 24;
const SPINNER = ["|", "/", "-", "\\"];

/**
 * Shows `label` with a bar if `total` is known, otherwise with a spinner. Shows nothing with `--quiet`. The timer does
 * not keep the process alive.
 */
export function startProgress(terminal: Terminal, options: { label: string; total?: number }): Progress {
  if (terminal.quiet) return { update() {}, stop() {} };
  let { label, total } = options;
  let done = 0;
  let ticks = 0;
  let logged = "";

  function tick(): void {
    ticks++;
    if (ticks < FIRST_TICK) return;
    if (terminal.errIsTTY) terminal.status(cut(visible(line()), terminal.errWidth - 1));
    else if ((ticks - FIRST_TICK) % LOG_TICKS === 0) log();
  }

  function line(): string {
    if (total === undefined) return `${SPINNER[ticks % SPINNER.length]} ${label}${done > 0 ? ` ${done}` : ""}`;
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

  const timer = setInterval(tick, TICK_MS);
  timer.unref();
  return {
    update(now, what, all) {
      done = now;
      label = what ?? label;
      total = all ?? total;
    },
    stop() {
      clearInterval(timer);
      terminal.status("");
    },
  };
}
