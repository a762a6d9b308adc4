/** Prints a plan as text: a block for each resource that changes, then the counts. */

import type { Need, Plan, PlannedResource } from "../../manifests/plan/planned.ts";
import { renderDiff } from "../../terminal/diff.ts";
import { safeLine, visible } from "../../terminal/escape.ts";
import type { Paint, Style } from "../../terminal/style.ts";
import type { Terminal } from "../../terminal/terminal.ts";

const MARKS: Record<PlannedResource["action"], string> = { create: "+", update: "~", delete: "-", none: "=" };
export const VERBS: Record<PlannedResource["action"], string> = {
  create: "create",
  update: "update",
  delete: "delete",
  none: "in sync",
};

/** Prints a plan. @param where the target in words */
export function printPlan(plan: Plan, where: string, terminal: Pick<Terminal, "out" | "style">): void {
  terminal.out(`Plan for ${terminal.style.bold(visible(where))}\n\n`);
  for (const resource of plan.resources) {
    // A resource that is in sync is only counted, unless it has notes.
    if (resource.action === "none" && resource.notes.length === 0) continue;
    terminal.out(`${headline(resource, terminal.style)}\n${bodyOf(resource, terminal.style)}\n`);
  }
  terminal.out(`${terminal.style.bold(summaryText(plan))}\n`);
}

/** Returns the counts as text, such as `3 to create, 1 to change, 0 to delete; 12 in sync`. */
export function summaryText({ resources }: Plan): string {
  const number = (action: PlannedResource["action"]) => resources.filter((each) => each.action === action).length;
  const changes = `${number("create")} to create, ${number("update")} to change, ${number("delete")} to delete`;
  return `${changes}; ${number("none")} in sync`;
}

function headline({ action, kind, address, place }: PlannedResource, style: Style): string {
  const paint: Record<PlannedResource["action"], Paint> = {
    create: style.green,
    update: style.yellow,
    delete: style.red,
    none: style.dim,
  };
  const mark = paint[action](`${MARKS[action]} ${VERBS[action]}`);
  const where = place ? style.dim(`  ${visible(place.file)}:${place.line}`) : "";
  return safeLine(`${mark} ${kind.toLowerCase()} ${style.bold(visible(address))}${where}`);
}

/** Returns the changes, effects, notes and needs of a resource, one per line, indented. */
export function bodyOf({ changes, effects, notes, needs }: PlannedResource, style: Style): string {
  const lines = [
    ...renderDiff(changes, style).split("\n").slice(0, -1),
    ...effects.map((effect) => `${style.cyan("!")} ${visible(effect)}`),
    ...notes.map((note) => `${style.dim("i")} ${visible(note)}`),
    ...needs.flatMap((need) => needLines(need, style)),
  ];
  return lines.map((line) => `    ${safeLine(line)}\n`).join("");
}

function needLines({ consent, what, lost }: Need, style: Style): string[] {
  return [
    `${style.red("?")} ${visible(what)}: requires --${consent}`,
    ...lost.map((each) => `  ${style.red("Permanently deleted:")} ${visible(each)}`),
  ];
}

/** Returns `1 step` or `2 steps`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
