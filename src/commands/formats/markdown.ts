/**
 * Formats reports as Markdown, for comments on pull requests and for job summaries. Texts that come from files or a
 * server can't add markup.
 */

import { hideTokens } from "../../base/secret.ts";
import { type Located, placeOf } from "../../schemas/diagnostic.ts";
import { visible, visibleLines } from "../../terminal/escape.ts";
import { countDiagnostics } from "../../terminal/diagnostics.ts";
import type { Failure } from "../failure.ts";
import { isCoveredByProblems } from "../print-failure.ts";
import type { Detail, Report, Table } from "./report.ts";

/** GitHub accepts at most 65,536 characters in a comment. */
const MAX_CHARACTERS = 60_000;
/** The limit of lines for one resource. The comment on the pull request then has room for other resources. */
const MAX_LINES = 120;
/** The limit of characters for a table. The comment on the pull request then has room for the changes. */
const MAX_TABLE = 20_000;
/** The characters reserved for the line that counts the omitted resources. */
const RESERVE = 200;

/**
 * Returns a report as Markdown: first the outcome and the tables, then folded details. The text stays within the length
 * limit of a comment.
 */
export function markdownText({ title, summary, problems, suites, tables, details = [] }: Report): string {
  const [command, preposition, subject] = title;
  const about = subject === undefined ? "" : ` ${preposition} ${code(subject)}`;
  const shown = tables ?? [findingsTable(suites)];
  let text =
    `### ${command}${about}\n\n**${strong(summary)}**\n` + shown.map(tableText).join("") + problemsTable(problems);
  for (const [index, each] of details.entries()) {
    const block = detailText(each);
    if (text.length + block.length > MAX_CHARACTERS - RESERVE) {
      const left = details.length - index;
      return `${text}\n… and ${left} more ${left === 1 ? "resource" : "resources"}, which did not fit.\n`;
    }
    text += block;
  }
  return text;
}

/** Returns a table with the findings that have something to report. */
function findingsTable(suites: Report["suites"]): Table {
  const findings = suites.flatMap((suite) => suite.findings.map((finding) => ({ ...finding, suite: suite.name })));
  const reported = findings.filter(({ level, isSkipped }) => level !== "none" || isSkipped);
  const isOne = suites.length <= 1;
  return {
    titles: ["State", ...(isOne ? [] : ["In"]), "Name", "Details"],
    rows: reported.map(({ state, suite, subject = "", message }) => [
      state,
      ...(isOne ? [] : [suite]),
      subject,
      message,
    ]),
  };
}

/** Returns a table of problems in files. */
function problemsTable(problems: readonly Located[]): string {
  const rows = problems.map((problem) => [placeOf(problem), problem.severity, problem.code, problem.message]);
  return tableText({ titles: ["Place", "Severity", "Code", "Message"], rows });
}

/**
 * Returns the failure of a command: the error, the problems in files, and the next step.
 *
 * @param command the command in words, such as `formctl plan for production`
 */
export function failureMarkdown(command: string, failure: Failure): string {
  const { message, problems = [], hint } = failure;
  const outcome = isCoveredByProblems(failure) ? countDiagnostics(problems) : code(message);
  const next = hint === undefined ? "" : `\n${fenced(visibleLines(hint))}`;
  return hideTokens(`### ${code(command)} failed\n\n**${outcome}**\n${problemsTable(problems)}${next}`);
}

/** Returns a table after an empty line, within its limit. Returns an empty text if `rows` is empty. */
function tableText({ titles, rows }: Table): string {
  if (rows.length === 0) return "";
  let length = 0;
  const shown = rows.filter((cells) => (length += cells.join("").length) <= MAX_TABLE);
  if (rows.length > shown.length)
    shown.push([...titles.slice(1).map(() => ""), `… and ${rows.length - shown.length} more`]);
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  const cell = (text: string) => (text === "" ? "" : code(text));
  return `\n${line(titles)}${line(titles.map(() => "---"))}${shown.map((row) => line(row.map(cell))).join("")}`;
}

function detailText({ title: { verb, name, where, warning }, lines }: Detail): string {
  const shown = lines.slice(0, MAX_LINES);
  if (lines.length > shown.length) shown.push(`… and ${lines.length - shown.length} more lines`);
  const place = where === "" ? "" : ` (${code(where)})`;
  const note = warning === "" ? "" : ` <strong>${warning}</strong>`;
  const title = `${verb} ${code(name)}${place}${note}`;
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

/** Returns a text with counts as it is, and any other text as code. */
function strong(text: string): string {
  return /^[a-zA-Z0-9 ,;:]*$/.test(text) ? text : code(text);
}
