/** The characters of the terminal drawing: lines and marks, in Unicode or in ASCII. */

export type Symbols = {
  field: Box;
  section: Box;
  removed: Box;
  /** The line below the title of a region, and below the open tab. */
  heavy: string;
  /** The line below the tabs that are not open. */
  light: string;
  error: string;
  warning: string;
  arrow: string;
  dot: string;
  ellipsis: string;
};

/** Top left, horizontal, top right, vertical, bottom left, bottom right. */
type Box = readonly [string, string, string, string, string, string];

const asciiBox: Box = ["+", "-", "+", "|", "+", "+"];

export const ASCII: Symbols = {
  field: asciiBox,
  section: asciiBox,
  removed: [".", ".", ".", ":", ":", ":"],
  heavy: "=",
  light: "-",
  error: "x",
  warning: "!",
  arrow: "->",
  dot: "-",
  ellipsis: "...",
};

export const UNICODE: Symbols = {
  field: ["╭", "─", "╮", "│", "╰", "╯"],
  section: ["┌", "─", "┐", "│", "└", "┘"],
  removed: ["╭", "╌", "╮", "╎", "╰", "╯"],
  heavy: "━",
  light: "─",
  error: "✗",
  warning: "!",
  arrow: "→",
  dot: "·",
  ellipsis: "…",
};
