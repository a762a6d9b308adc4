/** Draws the growth of commands from 1,000 to 100,000 forms as an SVG image, for docs/performance.md. */

import { boundOf, type Figure, isMet } from "./figures.ts";

const ROW = 26;
const TOP = 64;
const BOTTOM = 34;
/** The plot is drawn between the column of names and the column of values. */
const PLOT = { left: 290, right: 650 };
const WIDTH = 840;

// The image has its own background, because an image does not get the theme of its page.
const STYLE = `
  .ground { fill: #ffffff } .text { fill: #1f2328 } .faint { fill: #59636e } .grid { stroke: #d1d9e0 }
  .base { stroke: #59636e } .good { fill: #ddf4e4 } .met { fill: #0969da; stroke: #0969da }
  .missed { fill: #cf222e; stroke: #cf222e }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 } .text { fill: #f0f6fc } .faint { fill: #9198a1 } .grid { stroke: #3d444d }
    .base { stroke: #9198a1 } .good { fill: #12341f } .met { fill: #58a6ff; stroke: #58a6ff }
    .missed { fill: #ff7b72; stroke: #ff7b72 }
  }
  text { font: 13px system-ui, sans-serif } .title { font-size: 15px; font-weight: 600 } .small { font-size: 12px }`;

const TICKS = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128];

const escape = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/**
 * Returns the chart.
 *
 * The ratio of a figure is the time of a command with 100,000 forms in the object, divided by its time with 1,000. The
 * scale is logarithmic. A figure that misses its target is marked by a word and by colour.
 */
export function growthChart(figures: readonly Figure[]): string {
  const ratios = figures.map(({ ratio }) => ratio);
  const least = TICKS.findLast((tick) => tick <= Math.min(0.5, ...ratios)) ?? TICKS[0]!;
  const most = TICKS.find((tick) => tick >= Math.max(2, ...ratios)) ?? TICKS.at(-1)!;
  const x = (ratio: number) => {
    const part = Math.log(Math.min(Math.max(ratio, least), most) / least) / Math.log(most / least);
    return Math.round((PLOT.left + part * (PLOT.right - PLOT.left)) * 10) / 10;
  };
  const bottom = TOP + figures.length * ROW;
  const height = bottom + BOTTOM;
  const bounds = new Set(figures.map((figure) => boundOf(figure)));
  const limits = figures.flatMap(({ target }) => (target !== undefined && "most" in target ? [target.most] : []));
  const limit = bounds.size === 1 && limits.length > 0 ? limits[0] : undefined;

  const text = (at: number, y: number, words: string, kind = "text", anchor = "start") =>
    `<text x="${at}" y="${y}" class="${kind}" text-anchor="${anchor}">${escape(words)}</text>`;
  const upright = (ratio: number, kind: string) =>
    `<line x1="${x(ratio)}" x2="${x(ratio)}" y1="${TOP}" y2="${bottom}" class="${kind}"/>`;
  const ticks = TICKS.filter((tick) => tick >= least && tick <= most);
  const rows = figures.map((figure, index) => {
    const y = TOP + index * ROW + ROW / 2;
    const kind = isMet(figure) ? "met" : "missed";
    const ratio = `${figure.ratio.toFixed(2)} ×, ${figure.value}${kind === "missed" ? ", missed" : ""}`;
    return [
      text(PLOT.left - 12, y + 4, figure.name, "text", "end"),
      `<line x1="${x(1)}" x2="${x(figure.ratio)}" y1="${y}" y2="${y}" class="${kind}" stroke-width="3"/>`,
      `<circle cx="${x(figure.ratio)}" cy="${y}" r="5" class="${kind}"/>`,
      text(PLOT.right + 14, y + 4, ratio),
    ].join("\n");
  });
  const title = "Time of a command with 100,000 forms, compared to 1,000 forms";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${title}">
<style>${STYLE}
</style>
<rect width="${WIDTH}" height="${height}" class="ground"/>
${text(16, 26, title, "text title")}
${text(16, 46, `1 = the same time as with 1,000 forms${limit === undefined ? "" : `; green: the target, at most ${limit}`}`, "faint small")}
${limit === undefined ? "" : `<rect x="${PLOT.left}" y="${TOP}" width="${x(limit) - PLOT.left}" height="${bottom - TOP}" class="good"/>`}
${ticks.map((tick) => upright(tick, tick === 1 ? "base" : "grid")).join("\n")}
${ticks.map((tick) => text(x(tick), bottom + 20, String(tick), "faint small", "middle")).join("\n")}
${rows.join("\n")}
</svg>
`;
}
