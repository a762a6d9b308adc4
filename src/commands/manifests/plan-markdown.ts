/** A plan as a comment of a pull request: what matters first, the details folded, never longer than a comment may be. */

import type { Plan, PlannedResource } from "../../manifests/plan/planned.ts";
import { visible } from "../../terminal/escape.ts";
import { plain } from "../../terminal/style.ts";
import { summaryOf, summaryText } from "./plan-summary.ts";
import { bodyOf, VERBS } from "./plan-view.ts";

/** A comment on GitHub has at most 65,536 characters. */
const MAX_CHARACTERS = 60_000;
/** One resource must not push the others out. */
const MAX_LINES = 120;
/** Left for the line that counts what was left out. */
const RESERVE = 200;

/** @param where the place in words */
export function planMarkdown(plan: Plan, where: string): string {
  const told = plan.resources.filter(({ action, notes }) => action !== "none" || notes.length > 0);
  let text = `### formctl plan for ${code(where)}\n\n**${summaryText(summaryOf(plan))}**\n`;
  for (const [index, resource] of told.entries()) {
    const details = detailsOf(resource);
    if (text.length + details.length > MAX_CHARACTERS - RESERVE) {
      const left = told.length - index;
      return `${text}\n… and ${left} more ${left === 1 ? "resource" : "resources"}, which did not fit.\n`;
    }
    text += details;
  }
  return text;
}

function detailsOf(resource: PlannedResource): string {
  const { action, address, needs, place } = resource;
  const lines = bodyOf(resource, plain).split("\n").slice(0, -1);
  const shown = lines.slice(0, MAX_LINES).map((line) => line.slice(4));
  if (lines.length > shown.length) shown.push(`… and ${lines.length - shown.length} more lines`);
  const where = place ? ` (${code(`${place.file}:${place.line}`)})` : "";
  const warning =
    needs.length > 0
      ? ` <strong>needs --${[...new Set(needs.map(({ consent }) => consent))].join(", --")}</strong>`
      : "";
  const body = shown.join("\n");
  const fence = fenceFor(body);
  const title = `${VERBS[action]} ${code(address)}${where}${warning}`;
  return `\n<details><summary>${title}</summary>\n\n${fence}diff\n${body}\n${fence}\n\n</details>\n`;
}

/** More backticks than the text has in a row: nothing in it can end the block. */
function fenceFor(text: string): string {
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  return "`".repeat(Math.max(3, longest + 1));
}

/** Nobody is mentioned, nothing linked and no tag opened by a name that a file or a server has given. */
function code(text: string): string {
  const escaped = visible(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<code>${escaped.replaceAll("\n", " ")}</code>`;
}
