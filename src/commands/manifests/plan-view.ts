/** Prints a plan as text: a block for each resource that changes, then the counts. */

import { WILL_BE_DELETED } from "../../base/losses.ts";
import type { Plan, PlannedResource } from "../../plan/planned.ts";
import { renderDiff } from "../../terminal/diff.ts";
import { safeLine, visible } from "../../terminal/escape.ts";
import type { Paint, Style } from "../../terminal/style.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { textWidth, wrap } from "../../terminal/width.ts";

const MARKS: Record<PlannedResource["action"], string> = { create: "+", update: "~", delete: "-", none: "=" };
export const VERBS: Record<PlannedResource["action"], string> = {
  create: "create",
  update: "update",
  delete: "delete",
  none: "in sync",
};

/** Prints a plan. @param where the target in words */
export function printPlan(
  plan: Plan,
  where: string,
  terminal: Pick<Terminal, "out" | "line" | "style" | "width">,
): void {
  terminal.line(`Plan for ${terminal.style.bold(visible(where))}\n`);
  printResources(plan, terminal);
  terminal.line(terminal.style.bold(summaryText(plan)));
}

/** Prints the resources that change, and the resources with notes. */
export function printResources(
  { resources }: Plan,
  terminal: Pick<Terminal, "out" | "line" | "style" | "width">,
): void {
  for (const resource of resources) {
    if (resource.action === "none" && resource.notes.length === 0) continue;
    terminal.out(
      `${headline(resource, terminal.style, terminal.width)}\n${bodyOf(resource, terminal.style, terminal.width)}\n`,
    );
  }
}

/** Returns the counts as text, such as `3 to create, 1 to change, 0 to delete; 12 in sync`. */
export function summaryText({ resources }: Plan): string {
  const number = (action: PlannedResource["action"]) => resources.filter((each) => each.action === action).length;
  const changes = `${number("create")} to create, ${number("update")} to change, ${number("delete")} to delete`;
  return `${changes}; ${number("none")} in sync`;
}

/** Returns the action and the address. The place in the manifests is in the next line if it does not fit. */
function headline({ action, kind, address, place }: PlannedResource, style: Style, width: number): string {
  const paint: Record<PlannedResource["action"], Paint> = {
    create: style.green,
    update: style.yellow,
    delete: style.red,
    none: style.dim,
  };
  const mark = paint[action](`${MARKS[action]} ${VERBS[action]}`);
  const what = safeLine(`${mark} ${kind.toLowerCase()} ${style.bold(visible(address))}`);
  if (!place) return what;
  const where = `${visible(place.file)}:${place.line}`;
  const words = `${MARKS[action]} ${VERBS[action]} ${kind.toLowerCase()} ${visible(address)}  ${where}`;
  const isWide = textWidth(words) > width;
  return isWide
    ? `${what}\n${" ".repeat(INDENT)}${style.dim(safeLine(where))}`
    : what + style.dim(safeLine(`  ${where}`));
}

const INDENT = 4;

/**
 * Returns the changes, effects, notes and needs (required confirmations) of a resource as indented lines. A long
 * effect, note or need wraps between words. A change is one line of any length.
 *
 * @param changeLines the lines of the changes, if they differ from those of a terminal
 */
export function bodyOf(
  { changes, effects, notes, needs }: Pick<PlannedResource, "changes" | "effects" | "notes" | "needs">,
  style: Style,
  width = Infinity,
  changeLines = renderDiff(changes, style).split("\n").slice(0, -1),
): string {
  // The mark before a text takes two columns.
  const marked = (mark: string, text: string) =>
    wrap(visible(text), Math.max(width - INDENT - 2, MIN_TEXT)).map((line, at) => `${at === 0 ? mark : " "} ${line}`);
  const lines = [
    ...changeLines,
    ...effects.flatMap((effect) => marked(style.cyan("!"), effect)),
    ...notes.flatMap((note) => marked(style.dim("i"), note)),
    ...needs.flatMap(({ consent, what, lost }) => [
      ...marked(style.red("?"), `${what}: requires --${consent}`),
      ...lost.flatMap((each) =>
        marked(" ", `${WILL_BE_DELETED} ${each}`).map((line) =>
          line.replace(WILL_BE_DELETED, (words) => style.red(words)),
        ),
      ),
    ]),
  ];
  return lines.map((line) => `${" ".repeat(INDENT)}${safeLine(line)}\n`).join("");
}

/** The minimum width of a wrapped text. */
const MIN_TEXT = 20;
