/** Draws the output of a terminal as an SVG image. */

import { stripVTControlCharacters } from "node:util";
import { textWidth } from "../../src/terminal/width.ts";

const LINE = 18;
const COLUMN = 7.8;
const MARGIN = 16;

const STYLE = `
  .ground { fill: #0d1117 } text { fill: #d1d7e0; font: 13px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }
  .c1 { font-weight: 600 } .c2 { fill: #9198a1 } .c31 { fill: #ff7b72 } .c32 { fill: #3fb950 } .c33 { fill: #d29922 } .c36 { fill: #39c5cf }
`;

/** @param bytes what the terminal received: text, line ends, and the colours of `src/terminal/style.ts` */
export function terminalPicture(bytes: string, about: string): string {
  const lines = bytes.replaceAll("\r\n", "\n").trimEnd().split("\n");
  const columns = lines.map((line) => textWidth(stripVTControlCharacters(line)));
  const width = Math.ceil(Math.max(...columns) * COLUMN) + 2 * MARGIN;
  const height = lines.length * LINE + 2 * MARGIN;
  const texts = lines.flatMap((line, index) => {
    // The length keeps the columns in place if the font has another width.
    const length = (columns[index]! * COLUMN).toFixed(1);
    const y = MARGIN + (index + 0.75) * LINE;
    return line === "" ? [] : [`<text x="${MARGIN}" y="${y}" textLength="${length}">${coloured(line)}</text>\n`];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${about}">
<style>${STYLE}</style>
<rect width="${width}" height="${height}" rx="8" class="ground"/>
${texts.join("")}</svg>
`;
}

/** Turns the escape sequences of a line into spans. */
function coloured(line: string): string {
  const classes = new Set<string>();
  const [start = "", ...parts] = line.split("\u001B[");
  const spans = parts.map((part) => {
    const [, code = "", text = ""] = /^(\d+)m(.*)$/.exec(part) ?? [];
    if (code === "22") for (const weight of ["c1", "c2"]) classes.delete(weight);
    else if (code === "39") for (const colour of ["c31", "c32", "c33", "c36"]) classes.delete(colour);
    else classes.add(`c${code}`);
    return span(text, [...classes]);
  });
  return span(start, []) + spans.join("");
}

function span(text: string, classes: readonly string[]): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return text === "" || classes.length === 0 ? escaped : `<tspan class="${classes.join(" ")}">${escaped}</tspan>`;
}
