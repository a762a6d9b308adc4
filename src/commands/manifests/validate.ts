/** `formctl validate`: checks manifests without a request to a server. */

import { resolve } from "node:path";
import { requireWritable, writeWhole } from "../../disk/write-file.ts";
import { FormctlError } from "../../base/error.ts";
import { visible } from "../../terminal/escape.ts";
import { plain } from "../../terminal/style.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { defineCommand, flag, list, oneOf, option } from "../command.ts";
import { isTable } from "../output.ts";
import { projectOf } from "./open-project.ts";
import { pathsArgument } from "./arguments.ts";
import { asGithub, asJunit, asSarif, asText, type Validated } from "./validate-formats.ts";

const FORMATS = ["text", "github", "sarif", "junit"] as const;
type Format = (typeof FORMATS)[number];

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
    format: list(
      "--format <format>",
      `Output format: ${FORMATS.join(", ")}; repeatable with --out`,
      oneOf(FORMATS),
      FORMATS,
    ),
    out: list("--out <file>", "Write the result into this file; repeatable with --format"),
    organizationFile: option("--organization-file <file>", "Organization file that lists the fields"),
  },
  async run(context, { paths, strict, format: formats, out, organizationFile }) {
    const { stdout, files } = outputsOf(formats, out);
    if (stdout !== "text" && !isTable(context.settings)) {
      throw new FormctlError(
        "USAGE",
        `--format ${stdout} and -o ${context.settings.get("output")} can't be combined`,
        "Remove one of them, or use -o table.",
      );
    }
    for (const { path } of files) await requireWritable(resolve(context.cwd, path), context.settings.root);
    const result = await projectOf(context, { organizationFile }).validate({ paths });
    const isValid = strict ? result.problems.length === 0 : result.isValid;
    const { cwd, env } = context;
    const validated: Validated = {
      ...result,
      exitCode: isValid ? 0 : 3,
      strict,
      cwd,
      base: env["GITHUB_WORKSPACE"] || cwd,
    };
    for (const { path, format } of files)
      await writeWhole(resolve(cwd, path), textOf(validated, format, FILE_VIEW), 0o644);
    return { validated, stdout };
  },
  view({ validated, stdout }, terminal) {
    terminal.out(textOf(validated, stdout, terminal), { mayCommand: stdout === "github" });
    for (const check of validated.notRun) terminal.hint(`Not checked: ${visible(check)}.`);
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

function textOf(validated: Validated, format: Format, view: Pick<Terminal, "style" | "width">): string {
  const text: Record<Format, () => string> = {
    text: () => asText(validated, view),
    github: () => asGithub(validated),
    sarif: () => asSarif(validated),
    junit: () => asJunit(validated),
  };
  return text[format]();
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
