/** `formctl validate`: checks manifests without a request to a server. */

import { FormctlError } from "../../error.ts";
import { visible } from "../../terminal/escape.ts";
import { defineCommand, flag, option, optionalRest } from "../command.ts";
import { isTable } from "../output.ts";
import { projectOf } from "./open-project.ts";
import { asGithub, asJunit, asSarif, asText, type Validated } from "./validate-formats.ts";

const FORMATS = ["text", "github", "sarif", "junit"] as const;
type Format = (typeof FORMATS)[number];

export default defineCommand({
  details: `PATH is a file or a folder, which is read with its subfolders; - is standard input. Without one, the folder is the one that the
project file sets as manifests. One run reports every problem of every file with its line. Checks that require the fields
of an object use --organization-file, an organization file among the manifests, or the local store in use. The exit code
is 3 if there are errors or no manifests.

See also: formctl help manifests`,
  examples: [
    "formctl validate examples/northwind/manifests",
    "formctl validate examples/northwind/manifests --organization-file examples/northwind/organization.yaml",
    "formctl validate examples/northwind/manifests --format sarif",
  ],
  args: { paths: optionalRest("PATH", "Files and folders of manifests") },
  options: {
    strict: flag("--strict", "Treat warnings as errors"),
    format: option("--format <format>", `Output format: ${FORMATS.join(", ")}`, parseFormat),
    organizationFile: option("--organization-file <file>", "Organization file that lists the fields"),
  },
  async run(context, { paths, strict, format = "text", organizationFile }) {
    if (format !== "text" && !isTable(context.settings)) {
      throw new FormctlError(
        "USAGE",
        `--format ${format} and -o ${context.settings.get("output")} can't be combined`,
        "Remove one of them, or use -o table.",
      );
    }
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
    return { validated, format };
  },
  view({ validated, format }, terminal) {
    const print: Record<Format, () => string> = {
      text: () => asText(validated, terminal),
      github: () => asGithub(validated),
      sarif: () => asSarif(validated),
      junit: () => asJunit(validated),
    };
    terminal.out(print[format](), { mayCommand: format === "github" });
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

function parseFormat(text: string): Format {
  const found = FORMATS.find((format) => format === text);
  if (found) return found;
  throw new FormctlError("USAGE", `must be one of ${FORMATS.join(", ")}, not "${text}"`);
}
