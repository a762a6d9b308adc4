/** The option `--format` of the commands that report problems, differences, plans or steps. */

import { relative, resolve, sep } from "node:path";
import type { LoadedSettings } from "../../config/settings.ts";
import { targetText } from "../../config/target.ts";
import { FormctlError } from "../../base/error.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { type CommandContext, list, oneOf, option, type Parse } from "../command.ts";
import type { Failure } from "../failure.ts";
import { OUTPUT_FORMATS } from "../global-flags.ts";
import { isTable } from "../output.ts";
import { failureReport, githubText, junitText, sarifText } from "./ci.ts";
import { failureMarkdown, markdownText } from "./markdown.ts";
import type { PathOf, Report } from "./report.ts";

const FORMATS = ["text", "markdown", "github", "sarif", "junit"] as const;
export type Format = (typeof FORMATS)[number];

const FLAGS = "--format <format>";
const ABOUT = `Output format: ${FORMATS.join(", ")}`;

const parseFormat: Parse<Format> = (text) => {
  try {
    return oneOf(FORMATS)(text);
  } catch (error) {
    if (!(error instanceof FormctlError) || !OUTPUT_FORMATS.some((format) => format === text)) throw error;
    throw new FormctlError("USAGE", error.message, `For ${text}, use -o ${text}.`);
  }
};

export const formatOption = option(FLAGS, ABOUT, parseFormat, FORMATS);
/** For a command that also writes each format into a file. */
export const formatsOption = list(FLAGS, `${ABOUT}; repeatable with --out`, parseFormat, FORMATS);

/** @throws USAGE if both `--format` and `-o` select the format of stdout */
export function refuseTwoFormats(format: Format, settings: LoadedSettings): void {
  if (format === "text" || isTable(settings)) return;
  const output = settings.get("output");
  throw new FormctlError(
    "USAGE",
    `--format ${format} and -o ${output} can't be combined`,
    "Remove one of them, or use -o table.",
  );
}

/**
 * Returns paths as CI services read them: with `/` on every system, and relative to the root of the repository, or else
 * to the working directory.
 */
export function repositoryPaths({ cwd, env }: Pick<CommandContext, "cwd" | "env">): PathOf {
  const base = env["GITHUB_WORKSPACE"] || cwd;
  return (file) => (file.startsWith("<") ? file : relative(base, resolve(cwd, file)).split(sep).join("/") || ".");
}

/** Returns the text of a report. */
export function reportText(report: Report, format: Exclude<Format, "text">, pathOf: PathOf): string {
  const texts = { markdown: markdownText, github: githubText, sarif: sarifText, junit: junitText };
  return texts[format](report, pathOf);
}

/** Prints a report on stdout. */
export function printReport(
  report: Report,
  format: Exclude<Format, "text">,
  { pathOf, terminal }: { pathOf: PathOf; terminal: Terminal },
): void {
  terminal.out(reportText(report, format, pathOf), { mayCommand: format === "github" });
}

type FailedInput = { format: Format | undefined; to?: string | undefined };

/**
 * Returns a function that prints the failure of a command on stdout, unless the format is text. It replaces the
 * document of an earlier run that succeeded.
 *
 * @param command the command in words, such as `formctl plan`
 * @param options.isTwoTargets whether the option `--to` names the target
 */
export function failureView(command: string, { isTwoTargets = false } = {}) {
  return (failure: Failure, { format = "text", to }: FailedInput, context: CommandContext): void => {
    if (format === "text") return;
    const { terminal, target } = context;
    const where = (isTwoTargets ? to : undefined) ?? targetText(target);
    if (format === "markdown") return terminal.out(failureMarkdown(`${command} for ${where}`, failure));
    printReport(failureReport([command, "for", where], failure), format, {
      pathOf: repositoryPaths(context),
      terminal,
    });
  };
}
