/** `formctl validate`: checks manifests without a request to a server. */

import { resolve } from "node:path";
import { requireWritable, writeWhole } from "../../disk/write-file.ts";
import { FormctlError } from "../../base/error.ts";
import { plural } from "../../base/plural.ts";
import type { ValidateResult } from "../../project/project.ts";
import { countDiagnostics, renderEach } from "../../terminal/diagnostics.ts";
import { visible } from "../../terminal/escape.ts";
import { plain } from "../../terminal/style.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { defineCommand, flag, list, option } from "../command.ts";
import {
  failureView,
  type Format,
  formatsOption,
  refuseTwoFormats,
  reportText,
  repositoryPaths,
} from "../formats/format.ts";
import type { PathOf, Report } from "../formats/report.ts";
import { projectOf } from "./open-project.ts";
import { pathsArgument } from "./arguments.ts";

export default defineCommand({
  details: `PATH is a file or a folder, which is read with its subfolders; - is standard input. Without one, the folder is the one that the
project file sets as manifests. One run reports every problem of every file with its line. Checks that require the fields
of an object use --organization-file, an organization file among the manifests, or the local store in use. The exit code
is 3 if there are errors or no manifests.

--out writes the result into a file, in the format of the --format before it. Both may be repeated; --out - is stdout.

See also: formctl help manifests`,
  examples: [
    "formctl validate forms",
    "formctl validate forms --organization-file organization.yaml",
    "formctl validate forms --format github --out - --format sarif --out formctl.sarif",
  ],
  args: { paths: pathsArgument("Files and folders of manifests") },
  options: {
    strict: flag("--strict", "Treat warnings as errors"),
    format: formatsOption,
    out: list("--out <file>", "Write the result into this file; repeatable with --format"),
    organizationFile: option("--organization-file <file>", "Organization file that lists the fields"),
  },
  async run(context, { paths, strict, format: formats, out, organizationFile }) {
    const { stdout, files } = outputsOf(formats, out);
    refuseTwoFormats(stdout, context.settings);
    for (const { path } of files) await requireWritable(resolve(context.cwd, path), context.settings.root);
    const result = await projectOf(context, { organizationFile }).validate({ paths });
    const isValid = strict ? result.problems.length === 0 : result.isValid;
    const validated: Validated = { ...result, exitCode: isValid ? 0 : 3, strict, pathOf: repositoryPaths(context) };
    for (const { path, format } of files)
      await writeWhole(resolve(context.cwd, path), textOf(validated, format, FILE_VIEW), 0o644);
    return { validated, stdout };
  },
  view({ validated, stdout }, terminal) {
    terminal.out(textOf(validated, stdout, terminal), { mayCommand: stdout === "github" });
    for (const check of validated.notRun) terminal.hint(`Not checked: ${visible(check)}.`);
  },
  viewFailure(failure, { format: formats, out }, context) {
    const only = formats.length === 1 ? formats[0] : undefined;
    const format = out.length === 0 ? only : formats[out.indexOf("-")];
    failureView("formctl validate")(failure, { format }, context);
  },
  document: ({ validated: { exitCode, files, manifests, problems, notRun } }) => ({
    exitCode,
    files,
    manifests,
    problems,
    notRun,
  }),
  names: ({ validated }) => validated.manifests.map(({ address }) => address),
  exitCode: ({ validated }) => validated.exitCode,
});

/** The view for a file: without colors, and with lines of any length. */
const FILE_VIEW = { style: plain, width: Infinity };

type Validated = ValidateResult & { exitCode: 0 | 3; strict: boolean; pathOf: PathOf };

/** Returns the result in a format. As text: each problem with its line and a caret, then the counts. */
function textOf(validated: Validated, format: Format, { style, width }: Pick<Terminal, "style" | "width">): string {
  const { manifests, files, problems, sources, exitCode, strict, pathOf } = validated;
  const summary = `${plural(manifests.length, "manifest")} in ${plural(files.length, "file")}: ${countDiagnostics(problems)}`;
  if (format === "text") return `${renderEach(problems, sources, style, width)}${summary}\n`;
  const report: Report = { title: ["formctl validate"], summary, exitCode, strict, problems, files, suites: [] };
  return reportText(report, format, pathOf);
}

type Outputs = { stdout: Format; files: { path: string; format: Format }[] };

/**
 * Pairs each `--out` with the `--format` at the same position.
 *
 * @throws USAGE if the numbers differ, or two results have the same file
 */
function outputsOf(formats: readonly Format[], paths: readonly string[]): Outputs {
  if (paths.length === 0 && formats.length <= 1) return { stdout: formats[0] ?? "text", files: [] };
  if (formats.length !== paths.length) {
    throw new FormctlError(
      "USAGE",
      `${formats.length} --format and ${paths.length} --out: each format requires a file`,
      "Specify --out after each --format; --out - is stdout: --format github --out - --format sarif --out formctl.sarif",
    );
  }
  const repeated = paths.find((path, index) => paths.indexOf(path) !== index);
  if (repeated !== undefined)
    throw new FormctlError("USAGE", `two results can't be written to "${repeated}"`, "Specify different files.");
  const all = formats.map((format, index) => ({ path: paths[index]!, format }));
  return {
    stdout: all.find(({ path }) => path === "-")?.format ?? "text",
    files: all.filter(({ path }) => path !== "-"),
  };
}
