/**
 * Formats a plan as a comment on a pull request: first the counts, then folded details, within the length limit of a
 * comment.
 */

import type { Plan, PlannedResource } from "../../manifests/plan/planned.ts";
import { visible } from "../../terminal/escape.ts";
import { plain } from "../../terminal/style.ts";
import { bodyOf, summaryText, VERBS } from "./plan-view.ts";

/** GitHub accepts at most 65,536 characters in a comment. */
const MAX_CHARACTERS = 60_000;
/** The limit for one resource, so that the comment also has room for other resources. */
const MAX_LINES = 120;
/** The characters reserved for the line that counts the omitted resources. */
const RESERVE = 200;

/** Returns the comment. @param where the target in words */
export function planMarkdown(plan: Plan, where: string): string {
  const shown = plan.resources.filter(({ action, notes }) => action !== "none" || notes.length > 0);
  let text = `### formctl plan for ${code(where)}\n\n**${summaryText(plan)}**\n`;
  for (const [index, resource] of shown.entries()) {
    const details = detailsOf(resource);
    if (text.length + details.length > MAX_CHARACTERS - RESERVE) {
      const left = shown.length - index;
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
  const flags = [...new Set(needs.map(({ consent }) => consent))].join(", --");
  const warning = needs.length > 0 ? ` <strong>requires --${flags}</strong>` : "";
  const body = shown.join("\n");
  const fence = fenceFor(body);
  const title = `${VERBS[action]} ${code(address)}${where}${warning}`;
  return `\n<details><summary>${title}</summary>\n\n${fence}diff\n${body}\n${fence}\n\n</details>\n`;
}

/**
 * Returns a fence with more backticks than the text has in a row, so that nothing in the text can end the code block.
 */
function fenceFor(text: string): string {
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  return "`".repeat(Math.max(3, longest + 1));
}

/** Escapes a name from a file or server, so that it mentions no user, contains no link and opens no tag. */
function code(text: string): string {
  const escaped = visible(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<code>${escaped.replaceAll("\n", " ")}</code>`;
}
