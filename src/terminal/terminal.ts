/** Where a command prints: the answer to stdout, the talk to stderr. */

import { hasCode } from "../error.ts";
import { guard, safeContinuation, safeLines } from "./escape.ts";
import { isTerminal } from "./is-terminal.ts";
import { coloured, plain, wantsColour, type Style } from "./style.ts";
import { writeAll } from "./write-all.ts";

export interface Terminal {
  /**
   * The answer, to stdout: end it with a line feed. What a CI service would obey is escaped, unless `mayCommand` says that the
   * lines are commands that this program makes for GitHub.
   *
   * @throws OUTPUT_UNWRITABLE
   */
  out(text: string, options?: { mayCommand?: boolean }): void;
  /** The talk, to stderr, escaped in the same way. Where stderr can't be written it is lost, and that is no failure. */
  err(text: string): void;
  /** A line of progress or advice; nothing with `--quiet`. */
  hint(text: string): void;
  /** A line that `--quiet` does not hide. */
  warn(text: string): void;
  /**
   * A last line of stderr that is replaced by the next one, and gives way to anything else that is written. Nothing where
   * stderr is not a terminal, or with `--quiet`. The empty text takes it away.
   */
  status(text: string): void;
  readonly outIsTTY: boolean;
  readonly errIsTTY: boolean;
  readonly inIsTTY: boolean;
  /** Columns of stdout; Infinity where it is not a terminal, so that nothing is cut. */
  readonly width: number;
  /** Columns of stderr, in the same way. */
  readonly errWidth: number;
  /** For what goes to stdout. */
  readonly style: Style;
  /** For what goes to stderr. */
  readonly errStyle: Style;
  readonly quiet: boolean;
  /** Whether the reader of stdout has gone: nothing more will be printed, and that is no failure. */
  readonly closed: boolean;
}

export type TerminalOptions = {
  /** `--color` is true, `--no-color` false. */
  color?: boolean | undefined;
  quiet?: boolean | undefined;
  env: Readonly<Record<string, string | undefined>>;
};

/** The terminal that the program was started in. */
export function systemTerminal(options: TerminalOptions): Terminal {
  return createTerminal({
    ...options,
    isTTY: isTerminal,
    // The streams of `process` cost start-up time to make: only a terminal is asked for its columns, and only when needed.
    columns: (fd) => (fd === 1 ? process.stdout : process.stderr).columns,
    write: (fd, text) => writeAll(fd, text),
  });
}

export type Wiring = TerminalOptions & {
  /** Asked once of each descriptor, and only when it matters. */
  isTTY: (fd: 0 | 1 | 2) => boolean;
  columns: (fd: 1 | 2) => number | undefined;
  /** Returns false when nobody reads any more. */
  write: (fd: 1 | 2, text: string) => boolean;
};

const CLEAR_LINE = "\r\u001B[K";
const DEFAULT_COLUMNS = 80;
/** Longer than any beginning of a command. */
const KEPT_OF_LINE = 16;

/** The last line of `text`, if it has no end; of a long one as much as the beginning of a command could be. */
function endOfLine(text: string): string {
  const line = text.slice(text.lastIndexOf("\n") + 1);
  if (line.length <= KEPT_OF_LINE) return line;
  return (line.trim() === "" ? " " : "x") + line.slice(-KEPT_OF_LINE);
}

export function createTerminal(wiring: Wiring): Terminal {
  const quiet = wiring.quiet ?? false;
  const terminals = new Map<0 | 1 | 2, boolean>();
  const gone = { 1: false, 2: false };
  /** The last line that was written without its end, as much of it as matters. */
  const unfinished = { 1: "", 2: "" };
  let hasStatus = false;

  function isTTY(fd: 0 | 1 | 2): boolean {
    const known = terminals.get(fd) ?? wiring.isTTY(fd);
    terminals.set(fd, known);
    return known;
  }

  function styleOf(fd: 1 | 2): Style {
    return wantsColour(wiring.color, wiring.env, () => isTTY(fd)) ? coloured : plain;
  }

  function widthOf(fd: 1 | 2): number {
    return isTTY(fd) ? wiring.columns(fd) || DEFAULT_COLUMNS : Infinity;
  }

  function write(fd: 1 | 2, text: string): void {
    if (gone[fd] || text === "") return;
    try {
      gone[fd] = !wiring.write(fd, text);
    } catch (error) {
      // A full disk under a log must not hide what the command did: its answer and its exit code say that.
      if (fd === 1 || !hasCode(error, "OUTPUT_UNWRITABLE")) throw error;
    }
  }

  /** Every text of stdout and stderr goes through here: CI services read both for commands. */
  function writeSafely(fd: 1 | 2, text: string, mayCommand?: boolean): void {
    if (text === "") return;
    const begun = unfinished[fd];
    const safe = begun === "" ? safeLines(text, { mayCommand }) : safeContinuation(begun, text);
    write(fd, safe);
    unfinished[fd] = endOfLine(safe.includes("\n") ? safe : begun + safe);
  }

  function clearStatus(): void {
    if (hasStatus) write(2, CLEAR_LINE);
    hasStatus = false;
  }

  function err(text: string): void {
    clearStatus();
    writeSafely(2, guard(text));
  }

  return {
    out(text, { mayCommand } = {}) {
      clearStatus();
      // A file or a program gets hidden characters as they are; a screen gets nothing that it would obey.
      writeSafely(1, isTTY(1) ? guard(text) : text, mayCommand);
    },
    err,
    hint(text) {
      if (!quiet) err(`${text}\n`);
    },
    warn(text) {
      err(`${styleOf(2).yellow("warning:")} ${text}\n`);
    },
    status(text) {
      if (quiet || !isTTY(2)) return;
      clearStatus();
      if (text === "") return;
      write(2, safeLines(guard(text)));
      hasStatus = true;
    },
    get inIsTTY() {
      return isTTY(0);
    },
    get outIsTTY() {
      return isTTY(1);
    },
    get errIsTTY() {
      return isTTY(2);
    },
    get width() {
      return widthOf(1);
    },
    get errWidth() {
      return widthOf(2);
    },
    get style() {
      return styleOf(1);
    },
    get errStyle() {
      return styleOf(2);
    },
    quiet,
    get closed() {
      return gone[1];
    },
  };
}
