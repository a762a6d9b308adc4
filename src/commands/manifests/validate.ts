/** `formctl validate`: everything that is wrong with manifests, without asking a server. */

import { FormctlError } from "../../error.ts";
import { option, optionalRest, defineCommand, flag } from "../command.ts";
import { loadManifests } from "./load-manifests.ts";
import { asGithub } from "./validate-formats/github.ts";
import { asJunit } from "./validate-formats/junit.ts";
import { asSarif } from "./validate-formats/sarif.ts";
import { asText } from "./validate-formats/text.ts";
import type { Validated } from "./validate-formats/validated.ts";

const FORMATS = ["text", "github", "sarif", "junit"] as const;
type Format = (typeof FORMATS)[number];

export default defineCommand({
  about: "Check manifests without a server",
  details: `PATH is a file or a folder, which is read whole; - is standard input. Without one, the folder that the project file names
as manifests is read. Every problem of every file is told in one run, with its line. Checks that need the fields of an
object run where they are known: from --organization-file, from an organization file among the manifests, or from the
local store in use. The exit code is 3 where anything is wrong, or where there is nothing to check.

See also: formctl help manifests`,
  examples: [
    "formctl validate examples/northwind/manifests",
    "formctl validate examples/northwind/manifests --organization-file examples/northwind/organization.yaml",
    "formctl validate examples/northwind/manifests --format sarif",
  ],
  args: { paths: optionalRest("PATH", "Files and folders of manifests") },
  options: {
    strict: flag("--strict", "Warnings fail too"),
    format: option("--format <format>", `How problems are told: ${FORMATS.join(", ")}`, parseFormat),
    organizationFile: option("--organization-file <file>", "Organization file that says which fields there are"),
  },
  async run(context, { paths, strict, format = "text", organizationFile }) {
    const output = context.settings.get("output");
    if (format !== "text" && output !== "table") {
      throw new FormctlError(
        "USAGE",
        `--format ${format} and -o ${output} contradict each other`,
        "Leave one of them out, or say -o table.",
      );
    }
    const { set, problems, notRun } = await loadManifests(context, paths, { organizationFile, dropsContents: true });
    const isWrong = strict ? problems.length > 0 : problems.some(({ severity }) => severity === "error");
    const validated: Validated = {
      exitCode: isWrong ? 3 : 0,
      files: set.files,
      manifests: set.manifests.map(({ address, kind, file }) => ({ address, kind, file })),
      problems,
      notRun,
      sources: set.sources,
      strict,
      cwd: context.cwd,
      base: context.env["GITHUB_WORKSPACE"] || context.cwd,
    };
    return { validated, format };
  },
  view({ validated, format }, terminal) {
    const print: Record<Format, () => string> = {
      text: () => asText(validated, terminal.style),
      github: () => asGithub(validated),
      sarif: () => asSarif(validated),
      junit: () => asJunit(validated),
    };
    terminal.out(print[format](), { mayCommand: format === "github" });
    for (const check of validated.notRun) terminal.hint(`Not checked: ${check}.`);
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
