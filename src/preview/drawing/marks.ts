/** Draws the common elements of all parts of a layout: title, marks, modes, differences and problems. */

import { CHANGE_MARKS, changePaint } from "../../terminal/diff.ts";
import { visible } from "../../terminal/escape.ts";
import type { Style } from "../../terminal/style.ts";
import type { PreviewBlock, PreviewProblem } from "../model.ts";
import { flow, lineOf, type Picture, type Piece } from "./picture.ts";
import type { Symbols } from "./symbols.ts";

export type DrawView = {
  style: Style;
  symbols: Symbols;
  /** Whether each block takes the whole width. */
  isStacked: boolean;
  /** Receives the problems that are too long for their block. These problems are listed below the drawing. */
  cutProblems: Set<PreviewProblem>;
};

const MAX_PROBLEM_LINES = 5;

/** Returns the picture with at most `most` lines. The last line of a shortened picture is `…`. */
export function shortened(picture: Picture, most: number, { style, symbols }: DrawView): Picture {
  const { width, lines } = picture;
  if (lines.length <= most) return picture;
  return { width, lines: [...lines.slice(0, most - 1), lineOf([{ text: symbols.ellipsis, paint: style.dim }], width)] };
}

/** Returns the label with its marks: `+ Full name *`. A label that only describes the type is in parentheses. */
export function titleOf({ label, isLabelled, isRequired, change }: TitledPart, { style }: DrawView): Piece[] {
  const pieces: Piece[] = [];
  const paint = change && changePaint(change.kind, style);
  if (change) pieces.push({ text: CHANGE_MARKS[change.kind], paint });
  pieces.push({ text: isLabelled ? visible(label) : `(${visible(label)})`, paint: paint ?? style.bold });
  if (isRequired) pieces.push({ text: "*", paint: style.red });
  return pieces;
}

type TitledPart = Pick<PreviewBlock, "label" | "isLabelled" | "isRequired" | "change">;

/** Returns the text for a block that is not shown in all `modes`: `only VIEW, EDIT`. */
export function modesText({ modes: own }: PreviewBlock, modes: readonly string[]): string {
  if (modes.every((mode) => own.some((each) => each === mode))) return "";
  return own.length === 0 ? "in no mode" : `only ${own.join(", ")}`;
}

/** Returns the differences and the problems of a part, one below the other. */
export function detailsOf(
  { change, problems }: Pick<PreviewBlock, "change" | "problems">,
  width: number,
  view: DrawView,
): Picture[] {
  const { style, symbols } = view;
  const details = (change?.details ?? []).map((detail) => ({
    text: visible(detail).replaceAll("→", symbols.arrow),
    paint: style.yellow,
  }));
  const texts = problems.map((problem) => {
    const { severity, line } = problem;
    const message = line === undefined ? problem.message : `line ${line}: ${problem.message}`;
    const picture = flow([problemPiece({ severity, message }, view)], width);
    if (picture.lines.length > MAX_PROBLEM_LINES) view.cutProblems.add(problem);
    return shortened(picture, MAX_PROBLEM_LINES, view);
  });
  return [...details.map((piece) => flow([piece], width)), ...texts];
}

/** Returns a problem as text with a mark: `✗ the section has no label. Set config.label`. */
export function problemPiece(
  { severity, message }: Pick<PreviewProblem, "severity" | "message">,
  { style, symbols }: Pick<DrawView, "style" | "symbols">,
): Piece {
  const isError = severity === "error";
  return {
    text: `${isError ? symbols.error : symbols.warning} ${visible(message)}`,
    paint: isError ? style.red : style.yellow,
  };
}

/** Returns the modes, differences and problems of a part that has no box. */
export function notesOf(block: PreviewBlock, modes: readonly string[], width: number, view: DrawView): Picture[] {
  const only = { text: modesText(block, modes), paint: view.style.cyan };
  return [flow([only], width), ...detailsOf(block, width, view)];
}
