/** Prints the result of `doctor --contract`. */

import type { ContractChanges, ContractFinding } from "../schemas/contract/judge.ts";
import type { OperationName } from "../schemas/operations.ts";
import { visible } from "../terminal/escape.ts";
import type { Style } from "../terminal/style.ts";
import type { NotLookedAt } from "./contract-reads.ts";

export type Contract = {
  exitCode: 0 | 1 | 2;
  /** The server or the recording. */
  source: string;
  findings: ContractFinding[];
  /** The operations with an answer. */
  lookedAt: OperationName[];
  notLookedAt: NotLookedAt[];
  /** The changes since the saved shapes. */
  changes?: ContractChanges;
};

/** The groups of findings with their titles. */
const GROUPS = [
  ["canBreak", "Can break formctl"],
  ["new", "New"],
  ["harmless", "Harmless"],
] as const;

export function contractText(contract: Contract, style: Style): string {
  const { findings, lookedAt, notLookedAt, changes } = contract;
  const blocks = [
    ...GROUPS.map(([group, title]) => ({ title, lines: linesOf(findings.filter((one) => one.group === group)) })),
    { title: "Not looked at", lines: notLookedAt.map(({ operation, reason }) => `${operation}: ${reason}`) },
    { title: "Added since the file was saved", lines: linesOf(changes?.added ?? []) },
    { title: "Removed since the file was saved", lines: linesOf(changes?.removed ?? []) },
  ].filter(({ lines }) => lines.length > 0);
  return [
    ...blocks.flatMap(({ title, lines }) => [style.bold(title), ...lines.map((line) => `  ${visible(line)}`), ""]),
    `${lookedAt.length} operations looked at, ${findings.length} differences.${changesText(changes)}`,
  ].join("\n");
}

/** Returns a line for each difference. The members of one record that differ equally share a line. */
function linesOf(findings: readonly ContractFinding[]): string[] {
  const split = findings.map(({ path, ...finding }) => {
    const at = path.lastIndexOf(".") + 1;
    return { ...finding, record: path.slice(0, at), member: path.slice(at) };
  });
  const equal = Map.groupBy(split, ({ operation, record, difference, effect }) =>
    JSON.stringify([operation, record, difference, effect]),
  );
  return [...equal.values()].map((all) => {
    const members = all.map(({ member }) => member).join(", ");
    const path = `${all[0]!.record}${all.length === 1 ? members : `{${members}}`}`;
    return `${sentenceOf({ ...all[0]!, path })}: ${all[0]!.effect}`;
  });
}

function changesText(changes: ContractChanges | undefined): string {
  if (changes === undefined) return "";
  const count = changes.added.length + changes.removed.length;
  return count === 0 ? " Nothing changed." : ` ${count} changed.`;
}

/** Returns a difference with its path, such as `listForms data[].lockedBy: unknown member (string)`. */
export function sentenceOf({ operation, path, difference }: ContractFinding): string {
  return `${[operation, path].filter(Boolean).join(" ")}: ${difference}`;
}
