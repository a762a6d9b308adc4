/**
 * `formctl rehearse`: runs a script on a copy of the target. Reports the effects of each formctl command on the copy.
 */

import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rehearsalLog, scriptEnvironment, type ScriptRehearsal } from "../config/script-rehearsal.ts";
import { REHEARSAL_VARIABLE, targetText } from "../config/target.ts";
import { FormctlError } from "../base/error.ts";
import type { SeedOrganization } from "../schemas/organization.ts";
import { visible } from "../terminal/escape.ts";
import { startProgress } from "../terminal/progress.ts";
import { readInterpreter, runScript, type ScriptRun } from "./run-script.ts";
import {
  argument,
  asText,
  type CommandContext,
  defineCommand,
  option,
  optionalRest,
  type ScriptCopies,
  wholeNumber,
} from "./command.ts";
import { failureView, formatOption, printReport, refuseTwoFormats, repositoryPaths } from "./formats/format.ts";
import { targetOf } from "./manifests/open-project.ts";
import { readRehearsedCommands } from "./rehearsed-commands.ts";
import {
  failuresExitCode,
  failuresReport,
  failuresSummary,
  failureText,
  parseFailureSet,
  rehearseScriptFailures,
} from "./rehearse-failures.ts";
import { commandText, type Rehearsed, rehearsedReport, summaryText } from "./rehearse-view.ts";
import { readOrganizationFile } from "../state/knowledge.ts";

export default defineCommand({
  details: `FILE is a script of formctl commands for a shell; ARGS are its arguments. The target is copied, the script runs, and each of its
formctl commands works on the copy: nothing is written on the target. The report lists the commands with their exit codes,
writes and refusals, and in a script for bash with their lines. The output of the script goes to stderr, and the exit code is that of
the script. The copy is deleted afterwards.

Only formctl commands are rehearsed. Other programs in the script run as they are: rm deletes files. FORMCTL_BASE_URL and
FORMCTL_TOKEN in the environment of the script are those of the copy, so that curl reaches the copy. Files that formctl commands
write, such as with export --into, are written. Commands for other targets, and commands that change settings or tokens, are refused.
Do not rehearse a script that runs formctl with sudo or from another installation: such commands reach the target.

The copy of a local store lacks only the contents of uploaded files. The copy of a server has what the server shows;
--organization-file adds the rest, such as the fields of objects.`,
  examples: ["formctl rehearse release.sh --yes", "formctl rehearse release.sh --yes -o json -- staffing/candidate 3"],
  args: {
    file: argument("FILE", "The script", asText, "path"),
    args: optionalRest("ARGS", "The arguments of the script, after --", asText, "text"),
  },
  options: {
    failures: option(
      "--failures [which]",
      "Let each write fail, in runs of their own: quick or all (default all)",
      parseFailureSet,
    ),
    concurrency: option(
      "--concurrency <number>",
      "With --failures: maximum number of concurrent runs (default 1)",
      wholeNumber(1, 64),
    ),
    format: formatOption,
    organizationFile: option("--organization-file <file>", "Organization file that lists the fields"),
  },
  writes: "store",
  async run(context, { file, args, organizationFile, failures, concurrency, format = "text" }) {
    refuseTwoFormats(format, context.settings);
    const interpreter = readInterpreter(file, context.cwd);
    const organization = organizationFile === undefined ? undefined : await organizationIn(context, organizationFile);
    const target = targetText(context.target);
    await context.consent({
      question: `Run ${file}? Its formctl commands work on a copy of ${target}; other programs in it run as they are`,
      lost: [],
      flag: "--yes",
    });
    // The copies of failures are served, so the store must exist.
    if (failures !== undefined && context.target.kind === "local") await (await context.local()).ping();
    const pathOf = repositoryPaths(context);
    const folder = realpathSync.native(mkdtempSync(join(tmpdir(), "formctl-rehearsal-")));
    let close = async () => {};
    try {
      const copies = await copyTarget(context, folder, organization);
      if (failures !== undefined) {
        const rehearsed = await rehearseScriptFailures(context, {
          script: file,
          set: failures,
          concurrency: concurrency ?? 1,
          folder,
          copies,
          run: (rehearsal) => run(context, { file, interpreter, args, rehearsal, watches: true }),
        });
        return { rehearsed, format, pathOf };
      }
      const { unknown, uncertain } = copies;
      const opened = await copies.open();
      close = opened.close;
      const { isTargetNamed } = context;
      const rehearsal = { target: context.target, isTargetNamed, copy: opened.copy, folder };
      const exitCode = await run(context, { file, interpreter, args, rehearsal });
      const commands = readRehearsedCommands(folder, uncertain);
      const report: Rehearsed = { script: file, target, exitCode, commands, unknown };
      return { report, format, pathOf };
    } finally {
      await close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  view({ report, rehearsed, format, pathOf }, terminal) {
    if (rehearsed) {
      if (format !== "text") return printReport(failuresReport(rehearsed), format, { pathOf, terminal });
      const widest = Math.max(0, ...rehearsed.runs.map(({ failure }) => failure.length));
      for (const each of rehearsed.runs) terminal.line(failureText(each, widest, terminal.style));
      for (const line of rehearsed.unknown) terminal.hint(`Not in the copy: ${visible(line)}.`);
      return terminal.line(terminal.style.bold(failuresSummary(rehearsed)));
    }
    const { commands, unknown } = report;
    if (format !== "text") {
      printReport(rehearsedReport(report), format, { pathOf, terminal });
      return;
    }
    for (const command of commands) terminal.line(commandText(command, terminal.style));
    for (const line of unknown) terminal.hint(`Not in the copy: ${visible(line)}.`);
    terminal.line(terminal.style.bold(summaryText(report)));
  },
  viewFailure: failureView("formctl rehearse"),
  document: ({ report, rehearsed }) => rehearsed ?? report,
  names: ({ report, rehearsed }) =>
    rehearsed ? rehearsed.runs.map(({ failure }) => failure) : report.commands.map(({ words }) => words.join(" ")),
  done: ({ report, rehearsed }) => ({ text: `${(rehearsed ?? report).script} was run on a copy, which is deleted` }),
  exitCode: ({ report, rehearsed }) => (rehearsed ? failuresExitCode(rehearsed) : report.exitCode),
});

/**
 * @throws INVALID_FILE if the file is invalid
 * @throws INVALID_VALUE if the file has several organizations
 */
async function organizationIn(context: CommandContext, path: string): Promise<SeedOrganization> {
  const { organizations } = (await readOrganizationFile(context, path)).content;
  const [only, ...others] = organizations;
  if (only && others.length === 0) return only;
  throw new FormctlError(
    "INVALID_VALUE",
    `${path} has ${organizations.length} organizations, and the server shows only one`,
    "Specify a file with the organization of the server.",
  );
}

/** Copies the target, and shows the progress. */
async function copyTarget(
  context: CommandContext,
  folder: string,
  organization: SeedOrganization | undefined,
): Promise<ScriptCopies> {
  const target = targetOf(context);
  const line = startProgress(context.terminal, { label: "Copying the target" });
  try {
    const { nameOf } = context.target.kind === "local" ? { nameOf: () => undefined } : await target.references();
    const onProgress = (done: number, total: number) => line.update(done, undefined, total);
    return await context.copyTarget(folder, { organization, nameOf, concurrency: target.concurrency, onProgress });
  } finally {
    line.stop();
  }
}

/** Runs the script. @returns its exit code */
function run(
  context: CommandContext,
  {
    rehearsal,
    watches = false,
    ...script
  }: Pick<ScriptRun, "file" | "interpreter" | "args"> & { rehearsal: ScriptRehearsal; watches?: boolean },
): Promise<number> {
  const { cwd, env, ending } = context;
  const path = join(rehearsal.folder, "rehearsal.json");
  writeFileSync(path, JSON.stringify(rehearsal), { mode: 0o600 });
  return runScript({
    ...script,
    cwd,
    env: scriptEnvironment(env, rehearsal),
    always: { [REHEARSAL_VARIABLE]: path },
    folder: rehearsal.folder,
    lineVariable: "FORMCTL_REHEARSAL_LINE",
    ...(watches && { watched: { programs: ["curl", "wget"], log: rehearsalLog(rehearsal.folder) } }),
    ending,
  });
}
