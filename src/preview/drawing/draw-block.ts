/**
 * Draws the blocks of a region for a terminal:
 * - a field as a box
 * - a section as a box around its blocks
 * - tabs one below the other
 */

import { changePaint } from "../../terminal/diff.ts";
import { visible } from "../../terminal/escape.ts";
import type { Paint, Style } from "../../terminal/style.ts";
import { textWidth } from "../../terminal/width.ts";
import type { PreviewBlock, PreviewRegion } from "../model.ts";
import { drawGrid } from "./grid.ts";
import { detailsOf, type DrawView, modesText, notesOf, shortened, titleOf } from "./marks.ts";
import { above, flow, lineOf, type Picture, type Piece, piecesWidth, spaced, spacedPieces } from "./picture.ts";
import type { Symbols } from "./symbols.ts";

/** The blocks in a region or in another block. */
type Group = {
  blocks: readonly PreviewBlock[];
  columns: number;
  isDashboard: boolean;
  /** The modes of the region or block. An inner block without some of these modes shows its own modes. */
  modes: readonly string[];
};

const GRID_COLUMNS = 12;
/** The minimum width of a section with a box around it, in columns of a terminal. */
const MIN_SECTION = 28;
/** The minimum height of a dashboard row in lines: a box with one line of text. */
const DASHBOARD_ROW = 3;

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
    return above([...headOf(block, modes, width, view), drawTabs(children, block.modes, width, view)], width);
  }
  const inside = (innerWidth: number) =>
    drawGroup({ blocks: children, columns: GRID_COLUMNS, isDashboard: false, modes: block.modes }, innerWidth, view);
  if (type === "column") return above([...headOf(block, modes, width, view), inside(width)], width);
  if (children.length === 0 && type !== "section" && type !== "tab") return drawLeaf(block, modes, width, view);
  if (width < MIN_SECTION) {
    const head = [flow(titleOf(block, view), width), ...notesOf(block, modes, width, view)];
    return above([...head, inside(width)], width);
  }
  const inner = width - 4;
  const content = above([...detailsOf(block, inner, view), inside(inner)], inner);
  return boxed(block, content, { modes, width, view, box: view.symbols.section });
}

/** Draws a block without children. */
function drawLeaf(block: PreviewBlock, modes: readonly string[], width: number, view: DrawView): Picture {
  const inner = width - 4;
  const content = above([...contentOf(block, inner, view), ...detailsOf(block, inner, view)], inner);
  return boxed(block, content, { modes, width, view, box: view.symbols.field });
}

/** Returns what a block shows: `full_name · TEXT`, the columns of a table, the beginning of a text. */
function contentOf(block: PreviewBlock, width: number, view: DrawView): Picture[] {
  const { style, symbols } = view;
  const { field, shows, type, label, columns, text, isReadOnly } = block;
  const key = field?.key ?? shows;
  const pieces: Piece[] = [];
  if (key !== undefined && key !== label) pieces.push({ text: visible(key) });
  // If the type of the field is unknown, its key is a better description than the block type.
  if (!field || field.type !== undefined || pieces.length === 0)
    pieces.push({ text: visible(field?.type ?? type), paint: style.dim });
  if (field?.staged) pieces.push({ text: STAGED[field.staged], paint: style.cyan });
  if (isReadOnly) pieces.push({ text: "read-only", paint: style.dim });
  const pictures = [flow(pieces, width, { text: ` ${symbols.dot} `, paint: style.dim })];
  if (columns.length > 0) {
    const names = columns.map((name) => ({ text: visible(name), paint: style.dim }));
    pictures.push(flow(names, width, { text: " | ", paint: style.dim }));
  }
  if (text !== undefined) {
    const picture = flow([{ text: visible(text), paint: style.dim }], width);
    pictures.push(shortened(picture, MAX_TEXT_LINES, view));
  }
  return pictures;
}

const MAX_TEXT_LINES = 4;
const STAGED = { create: "new field", update: "field changes", delete: "field is deleted" } as const;
/**
 * Returns the title and the notes of a column or a tabs block. A block without label, change and notes has no title:
 * users see no title there.
 */
function headOf(block: PreviewBlock, modes: readonly string[], width: number, view: DrawView): Picture[] {
  const notes = notesOf(block, modes, width, view);
  const isTitled = block.isLabelled || block.change !== undefined || notes.some(({ lines }) => lines.length > 0);
  return isTitled ? [flow(titleOf(block, view), width), ...notes] : notes;
}

type BoxOptions = { modes: readonly string[]; width: number; view: DrawView; box: Symbols["field"] };

/** Puts a content into a box. The title is in the upper border, and the modes are in the lower border. */
function boxed(block: PreviewBlock, content: Picture, { modes, width, view, box: ownBox }: BoxOptions): Picture {
  const { style, symbols } = view;
  const [topLeft, line, topRight, side, bottomLeft, bottomRight] =
    block.change?.kind === "removed" ? symbols.removed : ownBox;
  const paint = borderPaint(block, style);
  const title = spacedPieces(titleOf(block, view));
  const only = modesText(block, modes);
  // A border has a corner, a line and a space before the text. The border has at least as much after the text.
  const fits = (columns: number) => columns + 6 <= width;
  const border = (left: string, text: readonly Piece[], right: string, isAtEnd: boolean) => {
    const columns = piecesWidth(text);
    if (!text.some((piece) => piece.text !== "") || !fits(columns))
      return lineOf([{ text: left + line.repeat(width - 2) + right, paint }], width);
    const filler = line.repeat(width - columns - 5);
    const [before, after] = isAtEnd ? [filler, line] : [line, filler];
    return lineOf([{ text: `${left}${before} `, paint }, ...text, { text: ` ${after}${right}`, paint }], width);
  };
  const inner = width - 4;
  const head = fits(piecesWidth(title)) ? [] : flow(titleOf(block, view), inner).lines;
  const foot = fits(textWidth(only)) ? [] : flow([{ text: only, paint: style.cyan }], inner).lines;
  const row = (text: string) => `${paint(side)} ${text} ${paint(side)}`;
  const lines = [
    border(topLeft, title, topRight, false),
    ...[...head, ...content.lines, ...foot].map(row),
    border(bottomLeft, [{ text: only, paint: style.cyan }], bottomRight, true),
  ];
  return { width, lines, growth: { at: lines.length - 1, line: row(" ".repeat(inner)) } };
}

/**
 * Returns the colour of a border. The colour shows the change of the block. Without a change, it shows the worst
 * problem.
 */
function borderPaint({ change, problems }: PreviewBlock, style: Style): Paint {
  if (change) return changePaint(change.kind, style);
  if (problems.some(({ severity }) => severity === "error")) return style.red;
  return problems.length > 0 ? style.yellow : style.dim;
}

/** Draws each tab with the bar of all tabs above it. Blocks outside of the tabs follow at the end. */
function drawTabs(blocks: readonly PreviewBlock[], modes: readonly string[], width: number, view: DrawView): Picture {
  const tabs = blocks.filter(({ type, children }) => type === "tab" || type === "section" || children.length > 0);
  const others = blocks.filter((block) => !tabs.includes(block));
  const pictures = tabs.map((tab, index) => {
    const group = { blocks: tab.children, columns: GRID_COLUMNS, isDashboard: false, modes: tab.modes };
    return above(
      [tabBar(tabs, index, { modes, width, view }), ...detailsOf(tab, width, view), drawGroup(group, width, view)],
      width,
    );
  });
  const rest = drawGroup({ blocks: others, columns: 1, isDashboard: false, modes }, width, view);
  return spaced([...pictures, rest], width);
}

/**
 * Draws the titles of all tabs, with a heavy line below the open tab. The modes of the open tab are in the line, if
 * there is room. If there is no room for all titles, draws only the title of the open tab.
 */
function tabBar(tabs: readonly PreviewBlock[], open: number, { modes, width, view }: Omit<BoxOptions, "box">): Picture {
  const { style, symbols } = view;
  const tab = tabs[open]!;
  const titles = tabs.map((each) => spacedPieces(titleOf(each, view)));
  const widths = titles.map((pieces) => piecesWidth(pieces) + 2);
  const before = widths.slice(0, open).reduce((sum, each) => sum + each, 0);
  const total = widths.reduce((sum, each) => sum + each, 0);
  const only = { text: modesText(tab, modes), paint: style.cyan };
  if (total > width) {
    const position = { text: `tab ${open + 1} of ${tabs.length}`, paint: style.dim };
    const rule = { width, lines: [lineOf([{ text: symbols.heavy.repeat(width) }], width)] };
    return above([flow([...titleOf(tab, view), position, only], width), rule], width);
  }
  const bar = titles.flatMap((pieces, index) => [
    { text: " " },
    ...(index === open ? pieces : pieces.map(({ text }) => ({ text, paint: style.dim }))),
    { text: " " },
  ]);
  const light = (columns: number): Piece => ({ text: symbols.light.repeat(columns), paint: style.dim });
  const opened = [light(before), { text: symbols.heavy.repeat(widths[open]!) }];
  const rest = width - before - widths[open]!;
  const needed = textWidth(only.text) + 3;
  const isMarked = only.text !== "" && needed < rest;
  const ending = isMarked ? [light(rest - needed), { text: " " }, only, { text: " " }, light(1)] : [light(rest)];
  const rule = lineOf([...opened, ...ending], width);
  const bars = { width, lines: [lineOf(bar, width), rule] };
  return isMarked ? bars : above([bars, flow([only], width)], width);
}
