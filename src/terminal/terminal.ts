/** Prints the output of a command: its result to stdout, everything else to stderr. */

import { isatty } from "node:tty";
import { hasCode } from "../base/error.ts";
import { guard, safeContinuation, safeLines } from "./escape.ts";
import { writeAll } from "./descriptors.ts";
import { coloured, plain, wantsColour, type Style } from "./style.ts";
import { labelled, wrapped } from "./message.ts";
import { screenLines } from "./width.ts";

export interface Terminal {
  /**
   * Prints to stdout. The text must end with a line feed. Commands for CI services are escaped. With `mayCommand`,
   * `::` at the start of a line is kept: formctl itself writes such commands for GitHub.
   *
   * @throws OUTPUT_UNWRITABLE
   */
  out(text: string, options?: { mayCommand?: boolean }): void;
  /**
   * Prints a line to stdout. A line that is wider than the terminal is wrapped.
   *
   * @throws OUTPUT_UNWRITABLE
   */
  line(text: string): void;
  /**
   * Prints a finished result to stdout. A result that is longer than the screen of a terminal is shown in the pager.
   * Then this function waits until the user quits the pager.
   *
   * @throws OUTPUT_UNWRITABLE
   */
  page(text: string, options?: { mayCommand?: boolean }): Promise<void>;
  /** Prints to stderr. Escapes hidden characters and commands for CI services. Ignores a failure to write. */
  err(text: string): void;
  /** Prints a line to stderr. A line that is wider than the terminal is wrapped. Prints nothing with `--quiet`. */
  hint(text: string): void;
  /** Prints a warning to stderr, even with `--quiet`. */
  warn(text: string): void;
  /**
   * Shows a status line at the end of stderr. The next output replaces the line. An empty text removes the line. Shows
   * nothing with `--quiet`, or if stderr is not a terminal.
   */
  status(text: string): void;
  /** Clears the screen, if stdout is a terminal. */
  clear(): void;
  /** Calls `listener` whenever the screen of stdout is resized. @returns a function that removes the listener */
  onResize(listener: () => void): () => void;
  readonly outIsTTY: boolean;
  readonly errIsTTY: boolean;
  readonly inIsTTY: boolean;
  /** The columns of stdout. Infinity if stdout is not a terminal: then nothing is cut. */
  readonly width: number;
  /** The columns of stderr. Infinity if stderr is not a terminal. */
  readonly errWidth: number;
  /** The lines of the screen. Infinity if stdout is not a terminal. */
  readonly height: number;
  /** The current time, for relative times. Undefined if stdout is not a terminal: then times are complete. */
  readonly now: Date | undefined;
  /** The current time in milliseconds, for the duration of work. */
  readonly milliseconds: number;
  /** The style of stdout. */
  readonly style: Style;
  /** The style of stderr. */
  readonly errStyle: Style;
  readonly quiet: boolean;
  /** Whether the reader of stdout has closed the pipe. Then nothing more is printed. This is not a failure. */
  readonly closed: boolean;
}

export type TerminalOptions = {
  /** True for `--color`, false for `--no-color`. */
  color?: boolean | undefined;
  quiet?: boolean | undefined;
  /** False for `--no-pager`. */
  pager?: boolean | undefined;
  env: Readonly<Record<string, string | undefined>>;
};

export function systemTerminal(options: TerminalOptions): Terminal {
  return createTerminal({
    ...options,
    isTTY: isatty,
    // Called only for a terminal, because the streams of `process` take start-up time to create.
    columns: (fd) => (fd === 1 ? process.stdout : process.stderr).columns,
    onResize(listener) {
      process.stdout.on("resize", listener);
      return () => process.stdout.removeListener("resize", listener);
    },
    rows: () => process.stdout.rows,
    now: () => new Date(),
    write: (fd, text) => writeAll(fd, text),
    ...(options.pager !== false && {
      showInPager: async (text: string) => (await import("./pager.ts")).showInPager(text, options.env),
    }),
  });
}

/** Returns the terminal with the width of a file (`-o wide`): nothing is cut or hidden, and times are complete. */
export function withoutWidth(terminal: Terminal): Terminal {
  const value = (known: number | undefined) => ({ value: known, enumerable: true });
  return Object.create(terminal, { width: value(Infinity), now: value(undefined) }) as Terminal;
}

export type TerminalParts = TerminalOptions & {
  /** Called at most once for each descriptor. */
  isTTY: (fd: 0 | 1 | 2) => boolean;
  columns: (fd: 1 | 2) => number | undefined;
  /** Calls a listener whenever stdout is resized. Absent if stdout is never resized. */
  onResize?: (listener: () => void) => () => void;
  rows: () => number | undefined;
  now: () => Date;
  /** Returns false if the reader has closed the pipe. */
  write: (fd: 1 | 2, text: string) => boolean;
  /**
   * Resolves when the pager has ended, with false if the pager could not be started. Without this function, there is no
   * pager.
   */
  showInPager?: (text: string) => Promise<boolean>;
};

const CLEAR_LINE = "\r\u001B[K";
/** Moves to the first line, and clears the whole screen. Terminals keep the lines that were scrolled out. */
const CLEAR_SCREEN = "\u001B[H\u001B[2J";
const DEFAULT_COLUMNS = 80;
/** The number of characters that are kept of an unfinished line. The start of a CI command is shorter. */
const KEPT_OF_LINE = 16;

/** Returns the unfinished last line of a text. Shortens a long line, but keeps enough to recognize a CI command. */
function endOfLine(text: string): string {
  const line = text.slice(text.lastIndexOf("\n") + 1);
  if (line.length <= KEPT_OF_LINE) return line;
  return (line.trim() === "" ? " " : "x") + line.slice(-KEPT_OF_LINE);
}

export function createTerminal(parts: TerminalParts): Terminal {
  const quiet = parts.quiet ?? false;
  const terminals = new Map<0 | 1 | 2, boolean>();
  const closed = { 1: false, 2: false };
  /** The end of the unfinished last line of each stream. */
  const unfinished = { 1: "", 2: "" };
  let hasStatus = false;

  function isTTY(fd: 0 | 1 | 2): boolean {
    const known = terminals.get(fd) ?? parts.isTTY(fd);
    terminals.set(fd, known);
    return known;
  }

  function styleOf(fd: 1 | 2): Style {
    return wantsColour(parts.color, parts.env, () => isTTY(fd)) ? coloured : plain;
  }

  function widthOf(fd: 1 | 2): number {
    return isTTY(fd) ? parts.columns(fd) || DEFAULT_COLUMNS : Infinity;
  }

  function write(fd: 1 | 2, text: string): void {
    if (closed[fd] || text === "") return;
    try {
      closed[fd] = !parts.write(fd, text);
    } catch (error) {
      // A failure to write stderr must not hide the result and the exit code of the command.
      if (fd === 1 || !hasCode(error, "OUTPUT_UNWRITABLE")) throw error;
    }
  }

  /**
   * Writes a text. Escapes commands for CI services, because these services execute commands from stdout and stderr. A
   * command can begin in an earlier text of the same line.
   */
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

  function out(text: string, mayCommand?: boolean): void {
    clearStatus();
    // A file or a program gets the original characters. For a terminal, hidden characters are escaped.
    writeSafely(1, isTTY(1) ? guard(text) : text, mayCommand);
  }

  function heightOf(): number {
    return isTTY(1) ? parts.rows() || Infinity : Infinity;
  }

  return {
    out: (text, { mayCommand } = {}) => out(text, mayCommand),
    line: (text) => out(wrapped(text, widthOf(1))),
    async page(text, { mayCommand } = {}) {
      const { showInPager } = parts;
      // The prompt of the shell takes one line of the screen.
      const isLong = showInPager && heightOf() !== Infinity && screenLines(text, widthOf(1)) >= heightOf();
      if (!isLong || closed[1]) return out(text, mayCommand);
      clearStatus();
      if (!(await showInPager(safeLines(guard(text), { mayCommand })))) out(text, mayCommand);
    },
    err,
    hint(text) {
      if (!quiet) err(wrapped(text, widthOf(2)));
    },
    warn(text) {
      err(`${labelled("warning:", text, { paint: styleOf(2).yellow, width: widthOf(2) })}\n`);
    },
    status(text) {
      if (quiet || !isTTY(2)) return;
      clearStatus();
      if (text === "") return;
      write(2, safeLines(guard(text)));
      hasStatus = true;
    },
    clear() {
      if (isTTY(1)) write(1, CLEAR_SCREEN);
    },
    onResize: (listener) => parts.onResize?.(listener) ?? (() => undefined),
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
    get height() {
      return heightOf();
    },
    get now() {
      return isTTY(1) ? parts.now() : undefined;
    },
    get milliseconds() {
      return parts.now().getTime();
    },
    get style() {
      return styleOf(1);
    },
    get errStyle() {
      return styleOf(2);
    },
    quiet,
    get closed() {
      return closed[1];
    },
  };
}
