/**
 * Renders the problems and changes of a layout. A list at the top has links to the blocks, and each block has badges.
 */

import type { Preview, PreviewBlock, PreviewChange, PreviewProblem, PreviewRegion } from "../model.ts";
import { allBlocks, allParts } from "../walk.ts";
import type { Mode } from "../../schemas/words.ts";
import { attributes, html, type Html } from "./html.ts";
import { plural } from "../../base/plural.ts";
import type { Change } from "../../schemas/content-diff.ts";
import { changeText } from "../../terminal/diff.ts";

const CHANGE_WORDS = { added: "Added", removed: "Removed", moved: "Moved", changed: "Changed" } as const;

/** A part of a layout that has problems or a change. Its path is the target of links. */
type Part = Pick<PreviewBlock | PreviewRegion, "path" | "label" | "problems" | "change">;

export type Counts = { errors: number; warnings: number; changes: number };

/** Returns the number of problems of each severity, and of changes. */
export function countMarks(preview: Preview): Counts {
  return countParts(allParts(preview), preview);
}

type Others = Pick<Preview, "problems" | "changes">;

function countParts(parts: readonly Part[], others: Others = { problems: [], changes: [] }): Counts {
  const problems = [...others.problems, ...parts.flatMap((part) => part.problems)];
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const changes = parts.filter(({ change }) => change !== undefined).length + others.changes.length;
  return { errors, warnings: problems.length - errors, changes };
}

/**
 * Returns the list of all problems. A problem of a block or region is a link to that part.
 *
 * @param prefix the prefix of the ids of the list
 */
export function problemList(preview: Preview, prefix: string): Html | undefined {
  const rows = allParts(preview).flatMap(({ problems, path }) => problems.map((problem) => problemRow(problem, path)));
  const id = `${prefix}-problems`;
  const all = [...preview.problems.map((problem) => problemRow(problem)), ...rows];
  return findings(all, html`<h3 id="${id}">${problemCount(countMarks(preview))}</h3>`, id);
}

/** Returns the list of problems that belong to no layout. */
export function otherProblemList(problems: readonly PreviewProblem[]): Html | undefined {
  const id = "other-problems";
  const count = problemCount(countParts([], { problems, changes: [] }));
  const rows = problems.map((problem) => problemRow(problem));
  return findings(rows, html`<h2 id="${id}">${count}</h2>`, id);
}

function problemCount({ errors, warnings }: Counts): string {
  return [countText(errors, "error"), countText(warnings, "warning")].filter((text) => text !== undefined).join(", ");
}

function problemRow(problem: PreviewProblem, target?: string): Html {
  const { severity, message, code, mode } = problem;
  const text =
    target === undefined
      ? html`<span>${message}</span>`
      : html`<a href="#" data-jump="${target}" ${attributes({ "data-mode": mode })}>${message}</a>`;
  return html`<li>${severityMark(severity)} ${text} <span class="quiet">${location(problem)}${code}</span></li>`;
}

function location({ file, line, column }: PreviewProblem): Html | undefined {
  const place = locationText(file, line, column);
  return place === undefined ? undefined : html`<code>${place}</code> · `;
}

function locationText(file: string | undefined, line: number | undefined, column?: number): string | undefined {
  if (file === undefined) return line === undefined ? undefined : `line ${line}`;
  return [file, line, column].filter((part) => part !== undefined).join(":");
}

/** Returns the list of all changes, with links to the changed blocks and regions. */
export function changeList(preview: Preview, prefix: string): Html | undefined {
  const rows = [
    ...allParts(preview).flatMap(({ change, label, path }) => {
      const link = html`<a href="#" data-jump="${path}">${label}</a>`;
      return change ? [changeRow(change.kind, link, detailsText(change))] : [];
    }),
    ...preview.changes.map(otherChangeRow),
  ];
  const { comparedWith } = preview;
  const count = countText(rows.length, "change");
  const title = comparedWith === undefined ? count : `${count} compared with ${comparedWith}`;
  const id = `${prefix}-changes`;
  return findings(rows, html`<h3 id="${id}">${title}</h3>`, id);
}

/** Returns a change that belongs to no block and no region, in the words of the terminal. */
export function otherChangeRow(change: Change): Html {
  return html`<li>${changeMark(change)} <code>${changeText(change)}</code></li>`;
}

function changeRow(kind: PreviewChange["kind"], name: Html, details: string): Html {
  return html`<li>${changeMark({ kind })} ${name} <span class="quiet">${details}</span></li>`;
}

/** Returns a list with a heading. Undefined if the list is empty. */
export function findings(rows: readonly Html[], heading: Html, id: string): Html | undefined {
  if (rows.length === 0) return undefined;
  return html`<section class="findings" aria-labelledby="${id}">
    ${heading}
    <ul>
      ${rows}
    </ul>
  </section>`;
}

/** Returns `1 change` or `2 changes`. Undefined for 0. */
function countText(count: number, noun: string): string | undefined {
  return count === 0 ? undefined : plural(count, noun);
}

function severityMark(severity: PreviewProblem["severity"]): Html {
  return html`<strong class="mark mark-${severity}">${severity === "error" ? "Error" : "Warning"}</strong>`;
}

/** Returns the details of a change without the word `moved`. The mark of the change already has this word. */
function detailsText({ details }: PreviewChange): string {
  return details.join("; ").replace(/^moved from /, "from ");
}

function changeMark({ kind }: Pick<PreviewChange, "kind">): Html {
  return html`<strong class="mark mark-${kind}">${CHANGE_WORDS[kind]}</strong>`;
}

/** Returns the badge of a change, for the top of its block. */
export function changeBadge(change: PreviewChange | undefined): Html | undefined {
  if (!change) return undefined;
  return html`<p class="badge">${changeMark(change)} <span>${detailsText(change)}</span></p>`;
}

/** Returns the problems of a block in a mode, for the end of the block. `id` is for `aria-describedby`. */
export function problemBadges(problems: readonly PreviewProblem[], mode: Mode, id: string): Html | undefined {
  const shown = problems.filter((problem) => problem.mode === undefined || problem.mode === mode);
  if (shown.length === 0) return undefined;
  const rows = shown.map(({ severity, message, file, line }) => {
    const place = locationText(file, line);
    return html`<li class="problem-${severity}">
      ${severityMark(severity)} ${message}${place === undefined ? undefined : html` <code>${place}</code>`}
    </li>`;
  });
  return html`<ul class="problems" id="${id}">
    ${rows}
  </ul>`;
}

/** Returns badges with the numbers of problems and changes in a tab and its blocks. The page may hide these blocks. */
export function hiddenMarks(block: PreviewBlock): Html {
  return countBadges(countParts(allBlocks([block])));
}

export function countBadges({ errors, warnings, changes }: Counts): Html {
  const badge = (count: number, noun: string, kind: string) => {
    const text = countText(count, noun);
    return text === undefined ? undefined : html` <span class="mark mark-${kind}">${text}</span>`;
  };
  return html`${badge(errors, "error", "error")}${badge(warnings, "warning", "warning")}${badge(changes, "change", "changed")}`;
}
