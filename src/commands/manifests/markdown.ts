/**
 * Formats plans, their results and the status as Markdown, for comments on pull requests and for job summaries. Texts
 * that come from files or a server can't add markup.
 */

import type { LoadedSettings } from "../../config/settings.ts";
import { FormctlError } from "../../error.ts";
import type { Plan, PlannedResource } from "../../manifests/plan/planned.ts";
import { visible } from "../../terminal/escape.ts";
import { plain } from "../../terminal/style.ts";
import type { Applied } from "./apply-document.ts";
import { isTable } from "../output.ts";
import { bodyOf, summaryText, VERBS } from "./plan-view.ts";
import { type RehearsalDocument, rehearsalLines } from "./rehearsal-view.ts";

export const FORMATS = ["text", "markdown"] as const;
export type Format = (typeof FORMATS)[number];

/** @throws USAGE if both `--format` and `-o` select the format of stdout */
export function refuseTwoFormats(format: Format, settings: LoadedSettings): void {
  if (format === "text" || isTable(settings)) return;
  const output = settings.get("output");
  throw new FormctlError("USAGE", `--format ${format} and -o ${output} can't be combined`, "Remove one of them.");
}

/** GitHub accepts at most 65,536 characters in a comment. */
const MAX_CHARACTERS = 60_000;
/** The limit of lines for one resource. The comment on the pull request then has room for other resources. */
const MAX_LINES = 120;
/** The limit of characters for the rehearsal. The comment on the pull request then has room for the changes. */
const MAX_REHEARSAL = 20_000;
/** The characters reserved for the line that counts the omitted resources. */
const RESERVE = 200;

/**
 * Returns a plan as a comment on a pull request: first the counts, then the rehearsal, then folded details. The comment
 * stays within its length limit.
 *
 * @param where the target in words
 * @param rehearsal absent if the plan was not rehearsed
 */
export function planMarkdown(plan: Plan, where: string, rehearsal?: RehearsalDocument): string {
  const shown = plan.resources.filter(({ action, notes }) => action !== "none" || notes.length > 0);
  let text = `### formctl plan for ${code(where)}\n\n**${summaryText(plan)}**\n${rehearsal ? rehearsalMarkdown(rehearsal) : ""}`;
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

/**
 * Returns a table with the result of the rehearsal. The table comes before the details, because refusals matter most.
 */
function rehearsalMarkdown(rehearsal: RehearsalDocument): string {
  const { refusals, effects, unknown } = rehearsalLines(rehearsal);
  const rows = [
    ...refusals.map((line) => ["refusal", line]),
    ...effects.map((line) => ["effect", line]),
    ...unknown.map((line) => ["unknown", line]),
  ];
  let length = 0;
  const shown = rows.filter((cells) => (length += cells.join("").length) <= MAX_REHEARSAL);
  if (rows.length > shown.length) shown.push(["", `… and ${rows.length - shown.length} more`]);
  return tableOf(["Rehearsal", "Finding"], shown);
}

/**
 * Returns the result of an apply: the outcome, a table of the changed and failed resources, and a table of the
 * warnings.
 *
 * @param outcome the outcome and the counts as a sentence
 */
export function appliedMarkdown({ resources, problems }: Applied, outcome: string): string {
  const rows = resources.flatMap(({ address, action, steps, conflict }) => {
    if (action === "none" && !conflict) return [];
    const failure = conflict ?? steps.find(({ error }) => error)?.error;
    const done = steps.filter(({ status }) => status === "done").length;
    return [[VERBS[action], address, `${done} of ${steps.length}`, failure?.message ?? ""]];
  });
  const warnings = problems.map(({ file, line, code: id, message }) => [`${file}:${line}`, id, message]);
  return (
    `### formctl apply\n\n**${code(outcome)}**\n` +
    tableOf(["Action", "Resource", "Steps done", "Error"], rows) +
    tableOf(["Place", "Warning", "Message"], warnings)
  );
}

/** Returns the number of resources in each state. Adds a table of the resources that are not in sync. */
export function statusMarkdown(
  resources: readonly { state: string; address: string; what: string }[],
  where: string,
): string {
  const counts = [...Map.groupBy(resources, ({ state }) => state)].map(([state, all]) => `${all.length} ${state}`);
  const rows = resources
    .filter(({ state }) => state !== "in sync")
    .map(({ state, address, what }) => [state, address, what]);
  return (
    `### formctl status of ${code(where)}\n\n**${counts.join(", ") || "no manifests"}**\n` +
    tableOf(["State", "Manifest", "Differences"], rows)
  );
}

/** Returns a table after an empty line. Returns an empty text if `rows` is empty. */
function tableOf(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  const cell = (text: string) => (text === "" ? "" : code(text));
  return `\n${line(titles)}${line(titles.map(() => "---"))}${rows.map((row) => line(row.map(cell))).join("")}`;
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
 * Returns a fence for a code block with this text. The fence has more backticks than any row of backticks in the text.
 * Otherwise the text could end the code block.
 */
function fenceFor(text: string): string {
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  return "`".repeat(Math.max(3, longest + 1));
}

/**
 * Escapes a name from a file or server. The result mentions no user, contains no link and opens no tag. Markdown
 * characters are escaped too, because they have an effect even between HTML tags.
 */
function code(text: string): string {
  const escaped = visible(text).replace(/[&<>"'\\`*_~[\]|]/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<code>${escaped.replaceAll("\n", " ")}</code>`;
}
