/**
 * Formats plans, their results and the status as Markdown, for comments on pull requests and for job summaries. Texts
 * that come from files or a server can't add markup.
 */

import type { LoadedSettings } from "../../config/settings.ts";
import { targetText } from "../../config/target.ts";
import { FormctlError } from "../../base/error.ts";
import { hideTokens } from "../../base/secret.ts";
import type { PlannedResource } from "../../plan/planned.ts";
import { type Located, placeOf } from "../../schemas/diagnostic.ts";
import { visible, visibleLines } from "../../terminal/escape.ts";
import { countDiagnostics } from "../../terminal/diagnostics.ts";
import { diffLines } from "../../terminal/diff.ts";
import { plain } from "../../terminal/style.ts";
import type { Failure } from "../failure.ts";
import type { PlanResult } from "../../project/project.ts";
import type { CommandContext } from "../command.ts";
import type { Applied } from "./apply-document.ts";
import { isTable } from "../output.ts";
import { isCoveredByProblems } from "../print-failure.ts";
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
/** The limit of characters for a table. The comment on the pull request then has room for the changes. */
const MAX_TABLE = 20_000;
/** The characters reserved for the line that counts the omitted resources. */
const RESERVE = 200;

/**
 * Returns a plan as a comment on a pull request: first the counts, the warnings and the rehearsal, then folded details.
 * The comment stays within its length limit.
 *
 * @param where the target in words
 * @param rehearsal absent if the plan was not rehearsed
 */
export function planMarkdown(
  { plan, problems }: Pick<PlanResult, "plan" | "problems">,
  where: string,
  rehearsal?: RehearsalDocument,
): string {
  const shown = plan.resources.filter(({ action, notes }) => action !== "none" || notes.length > 0);
  let text =
    `### formctl plan for ${code(where)}\n\n**${summaryText(plan)}**\n` +
    problemsTable(problems) +
    (rehearsal ? rehearsalTable(rehearsal) : "");
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
function rehearsalTable(rehearsal: RehearsalDocument): string {
  const { refusals, effects, unknown } = rehearsalLines(rehearsal);
  const rows = [
    ...refusals.map((line) => ["refusal", line]),
    ...effects.map((line) => ["effect", line]),
    ...unknown.map((line) => ["unknown", line]),
  ];
  return tableOf(["Rehearsal", "Finding"], rows);
}

/** Returns a table of problems in files. */
function problemsTable(problems: readonly Located[]): string {
  const rows = problems.map((problem) => [placeOf(problem), problem.severity, problem.code, problem.message]);
  return tableOf(["Place", "Severity", "Code", "Message"], rows);
}

/**
 * Returns the failure of a command: the error, the problems in files, and the next step. It replaces the document of an
 * earlier run that succeeded.
 *
 * @param command the command in words, such as `formctl plan for production`
 */
function failureMarkdown(command: string, failure: Failure): string {
  const { message, problems = [], hint } = failure;
  const outcome = isCoveredByProblems(failure) ? countDiagnostics(problems) : code(message);
  const next = hint === undefined ? "" : `\n${fenced(visibleLines(hint))}`;
  return hideTokens(`### ${code(command)} failed\n\n**${outcome}**\n${problemsTable(problems)}${next}`);
}

type FailedInput = { format: Format | undefined; to?: string };

/** Prints the failure of a command if its format is Markdown. */
export function viewMarkdownFailure(command: string) {
  return (failure: Failure, { format, to }: FailedInput, { terminal, target }: CommandContext): void => {
    if (format === "markdown") terminal.out(failureMarkdown(`${command} for ${to ?? targetText(target)}`, failure));
  };
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
  return (
    `### formctl apply\n\n**${code(outcome)}**\n` +
    tableOf(["Action", "Resource", "Steps done", "Error"], rows) +
    problemsTable(problems)
  );
}

/** Returns the number of resources in each state. Adds tables of the resources that are not in sync, and of the problems. */
export function statusMarkdown(
  resources: readonly { state: string; address: string; what: string }[],
  problems: readonly Located[],
  where: string,
): string {
  const counts = [...Map.groupBy(resources, ({ state }) => state)].map(([state, all]) => `${all.length} ${state}`);
  const rows = resources
    .filter(({ state }) => state !== "in sync")
    .map(({ state, address, what }) => [state, address, what]);
  return (
    `### formctl status of ${code(where)}\n\n**${counts.join(", ") || "no manifests"}**\n` +
    tableOf(["State", "Manifest", "Differences"], rows) +
    problemsTable(problems)
  );
}

/** Returns a table after an empty line, within its limit. Returns an empty text if `rows` is empty. */
function tableOf(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  let length = 0;
  const shown = rows.filter((cells) => (length += cells.join("").length) <= MAX_TABLE);
  if (rows.length > shown.length)
    shown.push([...titles.slice(1).map(() => ""), `… and ${rows.length - shown.length} more`]);
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  const cell = (text: string) => (text === "" ? "" : code(text));
  return `\n${line(titles)}${line(titles.map(() => "---"))}${shown.map((row) => line(row.map(cell))).join("")}`;
}

function detailsOf(resource: PlannedResource): string {
  const { action, address, needs, place } = resource;
  const lines = bodyOf(resource, plain, Infinity, diffLines(resource.changes)).split("\n").slice(0, -1);
  const shown = lines.slice(0, MAX_LINES).map((line) => line.slice(4));
  if (lines.length > shown.length) shown.push(`… and ${lines.length - shown.length} more lines`);
  const where = place ? ` (${code(`${place.file}:${place.line}`)})` : "";
  const flags = [...new Set(needs.map(({ consent }) => consent))].join(", --");
  const warning = needs.length > 0 ? ` <strong>requires --${flags}</strong>` : "";
  const title = `${VERBS[action]} ${code(address)}${where}${warning}`;
  return `\n<details><summary>${title}</summary>\n\n${fenced(shown.join("\n"), "diff")}\n</details>\n`;
}

/**
 * Returns a code block. Its fence has more backticks than any row of backticks in the text. Otherwise the text could end
 * the code block.
 */
function fenced(text: string, language = ""): string {
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}${language}\n${text}\n${fence}\n`;
}

/**
 * Escapes a name from a file or server. The result mentions no user, contains no link and opens no tag. Markdown
 * characters are escaped too, because they have an effect even between HTML tags.
 */
function code(text: string): string {
  const escaped = visible(text).replace(/[&<>"'\\`*_~[\]|]/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<code>${escaped.replaceAll("\n", " ")}</code>`;
}
