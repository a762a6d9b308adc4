/** Draws one block for a terminal: a field as a box, a section as a box around its blocks, tabs one below the other. */

import { visible } from "../terminal/escape.ts";
import type { Paint, Style } from "../terminal/style.ts";
import { textWidth } from "../terminal/width.ts";
import { drawGrid } from "./grid.ts";
import type { Change } from "../schemas/content-diff.ts";
import type { PreviewBlock, PreviewProblem, PreviewRegion } from "./model.ts";
import { above, flow, lineOf, type Picture, type Piece, spaced } from "./picture.ts";
import type { Symbols } from "./symbols.ts";

export type DrawView = {
  style: Style;
  symbols: Symbols;
  /** Whether each block takes the whole width. */
  isStacked: boolean;
};

/** The blocks of a region or a block. */
type Group = {
  blocks: readonly PreviewBlock[];
  columns: number;
  isDashboard: boolean;
  /** The modes of the region or block. A block is marked if it has other modes. */
  modes: readonly string[];
};

const GRID_COLUMNS = 12;
/** In a narrower picture, a section has no box around it. */
const MIN_SECTION = 28;
/** A row of a dashboard has the height of a widget. */
const DASHBOARD_ROW = 3;

/** Draws the blocks of a region. */
export function drawRegionBlocks(
  { blocks, columns, layout }: PreviewRegion,
  modes: readonly string[],
  { width, view }: { width: number; view: DrawView },
): Picture {
  if (blocks.length === 0) return flow([{ text: "no blocks", paint: view.style.dim }], width);
  if (layout === "tabs") return drawTabs(blocks, modes, width, view);
  return drawGroup({ blocks, columns, isDashboard: layout === "dashboard_grid", modes }, width, view);
}

function drawGroup({ blocks, columns, isDashboard, modes }: Group, width: number, view: DrawView): Picture {
  return drawGrid(
    blocks.map((item) => ({ item, grid: item.grid })),
    {
      columns,
      width,
      rowHeight: isDashboard ? DASHBOARD_ROW : 0,
      isStacked: view.isStacked,
      draw: (block, blockWidth) => drawBlock(block, modes, blockWidth, view),
    },
  );
}

function drawBlock(block: PreviewBlock, modes: readonly string[], width: number, view: DrawView): Picture {
  const { type, children } = block;
  if (type === "tabs") {
    const tabs = drawTabs(children, block.modes, width, view);
    return above([...notesOf(block, modes, width, view), tabs], width);
  }
  const inside = (innerWidth: number) =>
    drawGroup({ blocks: children, columns: GRID_COLUMNS, isDashboard: false, modes: block.modes }, innerWidth, view);
  if (type === "column") return above([...columnHead(block, modes, width, view), inside(width)], width);
  if (children.length === 0 && type !== "section" && type !== "tab") return drawLeaf(block, modes, width, view);
  if (width < MIN_SECTION) {
    const head = [flow(titleOf(block, view), width), ...notesOf(block, modes, width, view)];
    return above([...head, inside(width)], width);
  }
  const inner = width - 4;
  const content = above([...detailsOf(block, inner, view), inside(inner)], inner);
  return boxed(block, content, { modes, width, view, box: view.symbols.section });
}

/** Draws a block without other blocks in it. */
function drawLeaf(block: PreviewBlock, modes: readonly string[], width: number, view: DrawView): Picture {
  const inner = width - 4;
  const content = above([...contentOf(block, inner, view), ...detailsOf(block, inner, view)], inner);
  return boxed(block, content, { modes, width, view, box: view.symbols.field });
}

/** Returns what a block shows: `full_name · TEXT`, the columns of a table, the beginning of a text. */
function contentOf(block: PreviewBlock, width: number, { style, symbols }: DrawView): Picture[] {
  const { field, shows, type, label, columns, text, isReadOnly } = block;
  const key = field?.key ?? shows;
  const pieces: Piece[] = [];
  if (key !== undefined && (field || key !== label)) pieces.push({ text: visible(key) });
  if (!field) pieces.push({ text: visible(type), paint: style.dim });
  else if (field.type !== undefined) pieces.push({ text: visible(field.type), paint: style.dim });
  if (field?.staged) pieces.push({ text: STAGED[field.staged], paint: style.cyan });
  if (isReadOnly) pieces.push({ text: "read-only", paint: style.dim });
  const pictures = [flow(pieces, width, { text: ` ${symbols.dot} `, paint: style.dim })];
  if (columns.length > 0) {
    const names = columns.map((name) => ({ text: visible(name), paint: style.dim }));
    pictures.push(flow(names, width, { text: " | ", paint: style.dim }));
  }
  if (text !== undefined) pictures.push(excerpt(visible(text), width, { style, symbols }));
  return pictures;
}

const STAGED = { create: "new field", update: "field changes", delete: "field is deleted" } as const;
const MAX_TEXT_LINES = 3;

function excerpt(text: string, width: number, { style, symbols }: Pick<DrawView, "style" | "symbols">): Picture {
  const picture = flow([{ text, paint: style.dim }], width);
  if (picture.lines.length <= MAX_TEXT_LINES) return picture;
  const more = lineOf([{ text: symbols.ellipsis, paint: style.dim }], width);
  return { width, lines: [...picture.lines.slice(0, MAX_TEXT_LINES), more] };
}

const CHANGE_MARKS: Record<Change["kind"], string> = { added: "+", removed: "-", changed: "~", moved: ">" };

/** Returns the paint of a kind of change. */
export function changePaint(kind: Change["kind"], style: Style): Paint {
  return { added: style.green, removed: style.red, changed: style.yellow, moved: style.cyan }[kind];
}

/** Returns the label with its marks: `+ Full name *`. A label that is only words for the type is in parentheses. */
function titleOf({ label, isLabelled, isRequired, change }: TitledPart, { style }: DrawView): Piece[] {
  const pieces: Piece[] = [];
  const paint = change && changePaint(change.kind, style);
  if (change) pieces.push({ text: CHANGE_MARKS[change.kind], paint });
  pieces.push({ text: isLabelled ? visible(label) : `(${visible(label)})`, paint: paint ?? style.bold });
  if (isRequired) pieces.push({ text: "*", paint: style.red });
  return pieces;
}

type TitledPart = Pick<PreviewBlock, "label" | "isLabelled" | "isRequired" | "change">;

/** Returns the text for a block that is not shown in all `modes`: `only VIEW, EDIT`. */
function modesText({ modes: own }: PreviewBlock, modes: readonly string[]): string {
  if (modes.every((mode) => own.some((each) => each === mode))) return "";
  return own.length === 0 ? "in no mode" : `only ${own.join(", ")}`;
}

/** Returns the differences and the problems of a part, one below the other. */
export function detailsOf(
  { change, problems }: Pick<PreviewBlock, "change" | "problems">,
  width: number,
  { style, symbols }: DrawView,
): Picture[] {
  const details = (change?.details ?? []).map((detail) => ({
    text: visible(detail).replaceAll("→", symbols.arrow),
    paint: style.yellow,
  }));
  const texts = problems.map((problem) => {
    const piece = problemPiece(problem, { style, symbols });
    return problem.line === undefined ? piece : { ...piece, text: `${piece.text} (line ${problem.line})` };
  });
  return [...details, ...texts].map((piece) => flow([piece], width));
}

/** Returns a problem as text with a mark: `✗ the section has no label. Set config.label`. */
export function problemPiece(
  { severity, message }: PreviewProblem,
  { style, symbols }: Pick<DrawView, "style" | "symbols">,
): Piece {
  const isError = severity === "error";
  return {
    text: `${isError ? symbols.error : symbols.warning} ${visible(message)}`,
    paint: isError ? style.red : style.yellow,
  };
}

/** Returns the modes, differences and problems of a part that has no box. */
function notesOf(block: PreviewBlock, modes: readonly string[], width: number, view: DrawView): Picture[] {
  const only = { text: modesText(block, modes), paint: view.style.cyan };
  return [flow([only], width), ...detailsOf(block, width, view)];
}

/** Returns the title of a column. A column without a label or a change has none, because users see none. */
function columnHead(block: PreviewBlock, modes: readonly string[], width: number, view: DrawView): Picture[] {
  const notes = notesOf(block, modes, width, view);
  const isTitled = block.isLabelled || block.change !== undefined || notes.some(({ lines }) => lines.length > 0);
  return isTitled ? [flow(titleOf(block, view), width), ...notes] : notes;
}

type BoxOptions = { modes: readonly string[]; width: number; view: DrawView; box: Symbols["field"] };

/** Puts a content into a box, with the title in the upper border and the modes in the lower one. */
function boxed(block: PreviewBlock, content: Picture, { modes, width, view, box: ownBox }: BoxOptions): Picture {
  const { style, symbols } = view;
  const [topLeft, line, topRight, side, bottomLeft, bottomRight] =
    block.change?.kind === "removed" ? symbols.removed : ownBox;
  const paint = borderPaint(block, style);
  const title = titleOf(block, view).flatMap((piece, index) => (index === 0 ? [piece] : [{ text: " " }, piece]));
  const only = modesText(block, modes);
  // A border has the corner, a line and a space before the text, and at least as much after it.
  const fits = (columns: number) => columns + 6 <= width;
  const border = (left: string, text: readonly Piece[], right: string, isAtEnd: boolean) => {
    const columns = text.reduce((sum, piece) => sum + textWidth(piece.text), 0);
    if (columns === 0 || !fits(columns)) return lineOf([{ text: left + line.repeat(width - 2) + right, paint }], width);
    const filler = line.repeat(width - columns - 5);
    const [before, after] = isAtEnd ? [filler, line] : [line, filler];
    return lineOf([{ text: `${left}${before} `, paint }, ...text, { text: ` ${after}${right}`, paint }], width);
  };
  const inner = width - 4;
  const titleWidth = title.reduce((sum, piece) => sum + textWidth(piece.text), 0);
  const head = fits(titleWidth) ? [] : flow(titleOf(block, view), inner).lines;
  const foot = fits(textWidth(only)) ? [] : flow([{ text: only, paint: style.cyan }], inner).lines;
  const row = (text: string) => `${paint(side)} ${text} ${paint(side)}`;
  const lines = [
    border(topLeft, title, topRight, false),
    ...[...head, ...content.lines, ...foot].map(row),
    border(bottomLeft, [{ text: only, paint: style.cyan }], bottomRight, true),
  ];
  return { width, lines, growth: { at: lines.length - 1, line: row(" ".repeat(inner)) } };
}

/** A border shows whether the block changed, else whether it has a problem. */
function borderPaint({ change, problems }: PreviewBlock, style: Style): Paint {
  if (change) return changePaint(change.kind, style);
  if (problems.some(({ severity }) => severity === "error")) return style.red;
  return problems.length > 0 ? style.yellow : style.dim;
}

/** Draws each tab with the bar of all tabs above it, and below them the blocks that belong to no tab. */
function drawTabs(blocks: readonly PreviewBlock[], modes: readonly string[], width: number, view: DrawView): Picture {
  const tabs = blocks.filter(({ type, children }) => type === "tab" || type === "section" || children.length > 0);
  const others = blocks.filter((block) => !tabs.includes(block));
  const pictures = tabs.map((tab, index) => {
    const group = { blocks: tab.children, columns: GRID_COLUMNS, isDashboard: false, modes: tab.modes };
    return above(
      [tabBar(tabs, index, width, view), ...notesOf(tab, modes, width, view), drawGroup(group, width, view)],
      width,
    );
  });
  const rest = drawGroup({ blocks: others, columns: 1, isDashboard: false, modes }, width, view);
  return spaced([...pictures, rest], width);
}

/** Draws the titles of all tabs with a heavy line below the open one. If there is no room, draws only the open one. */
function tabBar(tabs: readonly PreviewBlock[], open: number, width: number, view: DrawView): Picture {
  const { style, symbols } = view;
  const titles = tabs.map((tab) =>
    titleOf(tab, view).flatMap((piece, at) => (at === 0 ? [piece] : [{ text: " " }, piece])),
  );
  const widths = titles.map((pieces) => pieces.reduce((sum, { text }) => sum + textWidth(text), 0) + 2);
  const total = widths.reduce((sum, each) => sum + each, 0);
  if (total > width) {
    const position = { text: `tab ${open + 1} of ${tabs.length}`, paint: style.dim };
    const title = flow([...titleOf(tabs[open]!, view), position], width);
    return above([title, { width, lines: [lineOf([{ text: symbols.heavy.repeat(width) }], width)] }], width);
  }
  const before = widths.slice(0, open).reduce((sum, each) => sum + each, 0);
  const openWidth = widths[open]!;
  const bar = titles.flatMap((pieces, index) => [
    { text: " " },
    ...(index === open ? pieces : pieces.map(({ text }) => ({ text, paint: style.dim }))),
    { text: " " },
  ]);
  const rule = [
    { text: symbols.light.repeat(before), paint: style.dim },
    { text: symbols.heavy.repeat(openWidth) },
    { text: symbols.light.repeat(width - before - openWidth), paint: style.dim },
  ];
  return { width, lines: [lineOf(bar, width), lineOf(rule, width)] };
}
