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
  const line = (finding: ContractFinding) => `  ${visible(sentenceOf(finding))}`;
  const sections = GROUPS.map(([group, title]) => ({
    title,
    lines: findings.filter((finding) => finding.group === group).map((one) => `${line(one)}: ${one.effect}`),
  }));
  const blocks = [
    ...sections,
    { title: "Not looked at", lines: notLookedAt.map(({ operation, reason }) => `  ${operation}: ${reason}`) },
    { title: "Added since", lines: (changes?.added ?? []).map(line) },
    { title: "Removed since", lines: (changes?.removed ?? []).map(line) },
  ].filter(({ lines }) => lines.length > 0);
  return [
    ...blocks.map(({ title, lines }) => [style.bold(title), ...lines, ""].join("\n")),
    `${lookedAt.length} operations looked at, ${findings.length} differences.${unchangedText(changes)}`,
  ].join("\n");
}

function unchangedText(changes: ContractChanges | undefined): string {
  if (changes === undefined) return "";
  const count = changes.added.length + changes.removed.length;
  return count === 0 ? " Nothing changed." : ` ${count} changed.`;
}

/** Returns a difference with its path, such as `listForms data[].lockedBy: unknown member (string)`. */
export function sentenceOf({ operation, path, difference }: ContractFinding): string {
  return `${[operation, path].filter(Boolean).join(" ")}: ${difference}`;
}
