/** How far a long work has come: a line that changes on a terminal, a line now and then in a log. */

import { visible } from "./escape.ts";
import type { Terminal } from "./terminal.ts";
import { cut } from "./width.ts";

export interface Progress {
  /** `done` of the total so far; `label` may say what is in hand, `total` how much it has turned out to be. */
  update(done: number, label?: string, total?: number): void;
  /** Takes the line away. Call it however the work ends. */
  stop(): void;
}

const TICK_MS = 100;
/** Work that is over within a second shows nothing. */
const FIRST_TICK = 10;
/** A log gets a line in so many ticks. */
const LOG_TICKS = 50;
const BAR_COLUMNS = 24;
const SPINNER = ["|", "/", "-", "\\"];

/**
 * Shows `label` with a bar where `total` is known, and a spinner where it is not. Nothing is shown with `--quiet`, and the
 * timer keeps no program alive.
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
    // Nothing new is not worth a line.
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
