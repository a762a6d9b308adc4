/** Prints the commands of a rehearsed script with their effects. */

import { plural } from "../base/plural.ts";
import { quoted } from "../base/shell-quote.ts";
import { visible } from "../terminal/escape.ts";
import { plain, type Style } from "../terminal/style.ts";
import type { Finding, Report } from "./formats/report.ts";
import type { RehearsedCommand, RehearsedWrite } from "./rehearsed-commands.ts";

export type Rehearsed = {
  script: string;
  target: string;
  /** The exit code of the script. */
  exitCode: number;
  commands: RehearsedCommand[];
  unknown: readonly string[];
};

/** Returns the command line, and below it the writes and the error. */
export function commandText({ line, words, exitCode, writes, error }: RehearsedCommand, style: Style): string {
  const where = line === null ? "" : `${visible(line)}  `;
  const text = visible(["formctl", ...words.map((word) => quoted(word))].join(" "));
  const lines = [`${style.dim(where)}${style.bold(text)}`];
  for (const write of writes) lines.push(`  ${writeText(write, style)}`);
  if (error) lines.push(`  ${style.red("error:")} ${visible(error.message)}`);
  if (exitCode === null) lines.push(`  ${style.yellow("was killed, or did not end before the script")}`);
  else if (exitCode !== 0) lines.push(`  exit code ${exitCode}`);
  return lines.join("\n");
}

function writeText({ method, path, outcome, status, code, isCertain }: RehearsedWrite, style: Style): string {
  const request = `${method} ${visible(path)}`;
  if (outcome === "done") return `${style.green("+")} ${request}`;
  const reason = [status, code].filter((part) => part !== undefined).join(" ");
  const shown = reason === "" ? "" : ` (${visible(reason)})`;
  if (outcome === "unknown") return `${style.yellow("?")} ${request}: the outcome is unknown${shown}`;
  if (isCertain) return `${style.red("-")} ${request}: refused${shown}`;
  return `${style.yellow("?")} ${request}: refused by the copy${shown}, and the target may accept it`;
}

/** Returns `The script would end with exit code 0: 3 commands, 2 writes, 1 refusal.` */
export function summaryText({ exitCode, commands }: Rehearsed): string {
  const writes = commands.flatMap((command) => command.writes);
  const count = (outcome: RehearsedWrite["outcome"]) => writes.filter((write) => write.outcome === outcome).length;
  const counts = [
    plural(commands.length, "command"),
    plural(count("done"), "write"),
    ...(count("refused") > 0 ? [plural(count("refused"), "refusal")] : []),
    ...(count("unknown") > 0 ? [plural(count("unknown"), "unknown outcome")] : []),
  ];
  return `The script would end with exit code ${exitCode}: ${counts.join(", ")}.`;
}

/** Returns the report: each command of the script. A command with an exit code other than 0 is a failed test. */
export function rehearsedReport(rehearsed: Rehearsed): Report {
  const { script, target, exitCode, commands, unknown } = rehearsed;
  const findings = commands.map((command): Finding => {
    const { words, writes, error } = command;
    const fails = command.exitCode !== 0;
    const end = fails && command.exitCode !== null ? [`exit code ${command.exitCode}`] : [];
    const facts = [
      ...end,
      ...writes.map((write) => writeText(write, plain)),
      ...(error ? [`error: ${error.message}`] : []),
    ];
    const isUncertain = writes.some(({ outcome, isCertain }) => outcome === "unknown" || !isCertain);
    return {
      subject: ["formctl", ...words.map((word) => quoted(word))].join(" "),
      state: command.exitCode === null ? "did not end" : fails ? "failed" : "done",
      level: fails ? "error" : isUncertain ? "warning" : writes.length > 0 ? "note" : "none",
      fails,
      message: facts.join("; "),
      ...placeOf(command),
    };
  });
  const omitted = unknown.map((line): Finding => {
    return { subject: target, state: "not in the copy", level: "note", fails: false, message: line };
  });
  return {
    title: ["formctl rehearse", "on", target],
    summary: summaryText(rehearsed),
    exitCode,
    problems: [],
    suites: [{ name: script, findings: [...findings, ...omitted] }],
  };
}

function placeOf({ line }: RehearsedCommand): { place?: { file: string; line: number } } {
  const [, file, number] = /^(.+):(\d+)$/.exec(line ?? "") ?? [];
  return file === undefined ? {} : { place: { file, line: Number(number) } };
}
