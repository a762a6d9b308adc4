/** Shows the progress of long work: a status line on a terminal, a line every few seconds in a log. */

import { visible } from "./escape.ts";
import type { Terminal } from "./terminal.ts";
import { cut } from "./width.ts";

export interface Progress {
  /** `label` and `total` replace the former ones. */
  update(done: number, label?: string, total?: number): void;
  /** Removes the status line. Call it when the work succeeds or fails. */
  stop(): void;
}

const TICK_MS = 100;
/** Nothing is shown in the first second. */
const FIRST_TICK = 10;
/** Ticks between two lines of a log. */
const LOG_TICKS = 50;
const BAR_COLUMNS = 24;
const SPINNER = ["|", "/", "-", "\\"];

/**
 * Shows `label` with a bar when `total` is known, else with a spinner. Nothing is shown with `--quiet`. The timer does
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
