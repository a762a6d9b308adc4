/** Draws a preview for a terminal: the regions with their blocks, the sidebar, and the problems. */

import { countDiagnostics } from "../../terminal/diagnostics.ts";
import { CHANGE_MARKS, changePaint, renderDiff } from "../../terminal/diff.ts";
import { visible } from "../../terminal/escape.ts";
import { plain, type Style } from "../../terminal/style.ts";
import { textWidth } from "../../terminal/width.ts";
import { drawRegionBlocks } from "./draw-block.ts";
import { detailsOf, type DrawView, problemPiece } from "./marks.ts";
import type { Preview, PreviewProblem, PreviewRegion } from "../model.ts";
import { above, arranged, flow, lineOf, type Picture, type Piece, spaced } from "./picture.ts";
import { ASCII, UNICODE } from "./symbols.ts";
import { allBlocks, allProblems } from "../walk.ts";

export type DrawOptions = {
  /** The columns of the terminal. Infinity if the output is not a terminal. */
  width: number;
  style: Style;
  /** Draws lines and marks with ASCII characters. */
  ascii: boolean;
};

/** The width if the output is not a terminal, but for example a file. */
const DEFAULT_WIDTH = 80;
/** The maximum width of the drawing, because long lines are hard to read. */
const MAX_WIDTH = 160;
const MIN_WIDTH = 24;
/** On a narrower terminal, all regions and blocks are one below the other. */
const STACKED_BELOW = 48;
/**
 * The minimum width for sidebars next to the other regions. On a narrower terminal, all regions are one below the
 * other, in their order.
 */
const BESIDE_FROM = 72;
const MIN_SIDEBAR = 26;
const MAX_SIDEBAR = 48;
const SIDEBAR_GAP = 2;

/** Returns a preview as text. On a terminal with at least 24 columns, no line is wider than the terminal. */
export function drawPreview(preview: Preview, { width: columns, style, ascii }: DrawOptions): string {
  const width = columns === Infinity ? DEFAULT_WIDTH : Math.max(MIN_WIDTH, Math.min(columns, MAX_WIDTH));
  const view: DrawView = {
    style,
    symbols: ascii ? ASCII : UNICODE,
    isStacked: width < STACKED_BELOW,
    cutProblems: new Set(),
  };
  const pictures = [
    drawHead(preview, width, view),
    drawPage(preview, width, view),
    flow(legend(preview, view), width, { text: "   " }),
    drawOtherChanges(preview, width, view),
    drawProblems(preview, width, view),
  ];
  return spaced(pictures, width)
    .lines.map((line) => `${line.trimEnd()}\n`)
    .join("");
}

/**
 * Returns the title and the facts about the preview:
 * `DYNAMIC_OBJECT · VIEW, EDIT · draft.yaml · compared with version 1 (archived)`.
 */
function drawHead(preview: Preview, width: number, { style, symbols }: DrawView): Picture {
  const { title, origin, comparedWith, surface, modes } = preview;
  const facts = [
    surface ?? "",
    modes.join(", "),
    visible(origin ?? ""),
    comparedWith === undefined ? "" : `compared with ${visible(comparedWith)}`,
  ].filter(Boolean);
  const pieces = facts.map((text) => ({ text, paint: style.dim }));
  const separator = { text: ` ${symbols.dot} `, paint: style.dim };
  return above([flow([{ text: visible(title), paint: style.bold }], width), flow(pieces, width, separator)], width);
}

/** Draws the regions one below the other. On a wide terminal, the sidebars are next to the other regions. */
function drawPage(preview: Preview, width: number, view: DrawView): Picture {
  const { regions, modes } = preview;
  const stack = (some: readonly PreviewRegion[], columns: number) =>
    spaced(
      some.map((region) => drawRegion(region, modes, columns, view)),
      columns,
    );
  const sidebars = regions.filter(({ layout }) => layout === "sidebar");
  const others = regions.filter(({ layout }) => layout !== "sidebar");
  if (width < BESIDE_FROM || sidebars.length === 0 || others.length === 0) return stack(regions, width);
  const share = Math.max(...sidebars.map((sidebar) => sidebar.width)) / 12;
  const side = Math.min(Math.max(Math.round(width * share), MIN_SIDEBAR), MAX_SIDEBAR);
  const main = stack(others, width - side - SIDEBAR_GAP);
  return arranged(
    [
      { x: 0, y: 0, picture: main },
      { x: width - side, y: 0, picture: stack(sidebars, side) },
    ],
    width,
  );
}

function drawRegion(region: PreviewRegion, modes: readonly string[], width: number, view: DrawView): Picture {
  const { style, symbols } = view;
  const { label, change } = region;
  const mark = change && CHANGE_MARKS[change.kind];
  const paint = change && changePaint(change.kind, style);
  const title = mark === undefined ? visible(label) : `${mark} ${visible(label)}`;
  const rest = width - textWidth(title) - 4;
  const line = (count: number): Piece => ({ text: symbols.heavy.repeat(count), paint: paint ?? style.dim });
  const named = { text: title, paint: paint ?? style.bold };
  const head =
    rest >= 0
      ? { width, lines: [lineOf([line(2), { text: " " }, named, { text: " " }, line(rest)], width)] }
      : above([flow([named], width), { width, lines: [lineOf([line(width)], width)] }], width);
  return above([head, ...detailsOf(region, width, view), drawRegionBlocks(region, modes, { width, view })], width);
}

/** Explains the marks that the drawing has. */
function legend(preview: Preview, { style }: DrawView): Piece[] {
  const blocks = preview.regions.flatMap(({ blocks: roots }) => allBlocks(roots));
  const kinds = new Set([...preview.regions, ...blocks].flatMap(({ change }) => (change ? [change.kind] : [])));
  const pieces: Piece[] = blocks.some(({ isRequired }) => isRequired) ? [{ text: "* required", paint: style.dim }] : [];
  if (kinds.has("added")) pieces.push({ text: "+ added", paint: style.green });
  if (kinds.has("removed")) pieces.push({ text: "- removed", paint: style.red });
  if (kinds.has("changed")) pieces.push({ text: "~ changed", paint: style.yellow });
  if (kinds.has("moved")) pieces.push({ text: "> moved", paint: style.cyan });
  if (preview.comparedWith !== undefined && kinds.size + preview.changes.length === 0)
    pieces.push({ text: `no changes since ${visible(preview.comparedWith)}`, paint: style.dim });
  return pieces;
}

/** Lists the changes outside of blocks and regions, such as changes of scripts. */
function drawOtherChanges({ changes }: Preview, width: number, { style, symbols }: DrawView): Picture {
  const texts = changes.map((change) => ({
    text: renderDiff([change], plain).trimEnd().replaceAll("→", symbols.arrow),
    paint: changePaint(change.kind, style),
  }));
  return above(
    texts.map((piece) => flow([piece], width)),
    width,
  );
}

/** Lists the problems that no block or region shows completely, and counts all problems. */
function drawProblems(preview: Preview, width: number, view: DrawView): Picture {
  const { style, cutProblems } = view;
  const all = allProblems(preview);
  if (all.length === 0) return { width, lines: [] };
  const cut = all.filter((problem) => cutProblems.has(problem));
  const listed = [...preview.problems, ...cut].map((problem) =>
    flow(
      [
        problemPiece(problem, view),
        { text: visible(problem.code), paint: style.dim },
        { text: placeOf(problem), paint: style.dim },
      ],
      width,
    ),
  );
  return above([...listed, flow([{ text: countDiagnostics(all) }], width)], width);
}

function placeOf({ file, line, column }: PreviewProblem): string {
  return file === undefined ? "" : visible(`${file}:${line ?? 1}:${column ?? 1}`);
}
