/** Prints the commands of a rehearsed script with their effects. */

import { plural } from "../base/plural.ts";
import { quoted } from "../base/shell-quote.ts";
import { visible } from "../terminal/escape.ts";
import type { Style } from "../terminal/style.ts";
import type { RehearsedCommand, RehearsedWrite } from "./rehearsed-commands.ts";

/** Returns the command line, and below it the writes and the error. */
export function commandText({ line, words, exitCode, writes, error }: RehearsedCommand, style: Style): string {
  const where = line === null ? "" : `${visible(line)}  `;
  const text = visible(["formctl", ...words.map((word) => quoted(word))].join(" "));
  const lines = [`${style.dim(where)}${style.bold(text)}`];
  for (const write of writes) lines.push(`  ${writeText(write, style)}`);
  if (error) lines.push(`  ${style.red("error:")} ${visible(error.message)}`);
  if (exitCode === null) lines.push(`  ${style.yellow("was killed, or did not end before the script")}`);
  else if (exitCode !== 0) lines.push(`  exit code ${exitCode}`);
  return `${lines.join("\n")}\n`;
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
export function summaryText({
  exitCode,
  commands,
}: {
  exitCode: number;
  commands: readonly RehearsedCommand[];
}): string {
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
