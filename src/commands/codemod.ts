/** `formctl codemod`: applies a migration to manifests and layout files. */

import { relative } from "node:path";
import { FormctlError } from "../base/error.ts";
import { type ChangedFile, type Codemod, planCodemod, writeCodemod } from "../migrations/codemod.ts";
import { loadTransform } from "../migrations/load-transform.ts";
import { plural } from "../base/plural.ts";
import { quoted } from "../base/shell-quote.ts";
import { renderDiff } from "../terminal/diff.ts";
import { visible } from "../terminal/escape.ts";
import { argument, asText, type CommandContext, defineCommand, flag } from "./command.ts";
import { pathsArgument } from "./manifests/arguments.ts";

type Result = Codemod & {
  migration: string;
  outcome: "changed" | "would change" | "unchanged";
  isDryRun: boolean;
  isCheck: boolean;
};

export default defineCommand({
  details: `NAME is a migration in the folder of the migrations, or a part of its name that no other one has. Its functions layout and form
get the contents of the manifests that its match selects, and the files get what they return. Only the lines of changed values
change: comments, blank lines, the order of members, anchors and \${NAME} stay. A block that moves to another list takes its
comments along. A comment that is lost is reported first. A renamed form gets renamedFrom, so that an apply renames it on the target.

The target is not used. To change it too, run the migration (formctl migrate run), or apply the changed manifests.

If a change can't be made in a file, for example because the value contains \${NAME}, its line is reported and no file is changed.
The exit code is then 6. With --check, it is 2 if a file would change.`,
  examples: [
    "formctl codemod replace-pay-rate forms --dry-run",
    "formctl codemod 20261122-1000-replace-pay-rate forms --yes",
  ],
  args: {
    name: argument("NAME", "A migration, by its name or a part of it", asText, "migration"),
    paths: pathsArgument("Files and folders of manifests"),
  },
  options: { check: flag("--check", "Change nothing, and exit with 2 if a file would change") },
  writes: true,
  describesDryRun: true,
  async run(context, { name, paths, check }): Promise<Result> {
    const { cwd, env, settings, dryRun } = context;
    const { root, migrations: folder, variables } = settings;
    if (paths.includes("-")) {
      throw new FormctlError("USAGE", "standard input can't be changed", "Specify files or folders.");
    }
    const chosen = paths.length > 0 ? paths : [relative(cwd, settings.manifests ?? root) || "."];
    const loaded = await loadTransform({ migration: name, root, cwd, folder, library: context.library });
    const request = { transform: loaded.transform, paths: chosen, cwd, root, env, variables };
    const codemod = planCodemod(request);
    const result = { ...codemod, migration: loaded.name, isDryRun: dryRun, isCheck: check };
    if (codemod.files.length === 0) return { ...result, outcome: "unchanged" };
    if (dryRun || check) return { ...result, outcome: "would change" };
    await confirm(context, codemod);
    await writeCodemod(codemod.files, context.settings.root);
    return { ...result, outcome: "changed" };
  },
  view(result, terminal) {
    const { files, outcome, isDryRun, isCheck, manifests, matched } = result;
    for (const file of files) {
      terminal.line(fileLine(file, outcome));
      if (isDryRun) terminal.out(renderDiff(file.changes, terminal.style).replaceAll(/^(?=.)/gm, "    "));
      // If the files were changed, `confirm` has already printed these warnings.
      if (outcome === "would change") for (const line of lostLines(file)) terminal.warn(line);
    }
    const of = `The migration matches ${matched} of ${plural(manifests, "manifest")}`;
    if (files.length === 0) terminal.line(`Nothing to change. ${of}.`);
    else if (isDryRun || isCheck) terminal.hint(`${of}. Nothing was written.`);
  },
  document: ({ files, outcome, migration, isDryRun, isCheck, manifests, matched }) => ({
    exitCode: exitCodeOf({ files, isCheck }),
    migration,
    outcome,
    dryRun: isDryRun,
    manifests,
    matched,
    files: files.map(({ name, lines, addresses, changes, lostComments }) => ({
      path: name,
      lines,
      addresses,
      changes,
      lostComments,
    })),
  }),
  names: ({ files }) => files.map(({ name }) => name),
  next: ({ outcome }, { paths }) =>
    outcome === "changed" ? [["formctl validate", ...paths.map((path) => quoted(path))].join(" ")] : [],
  exitCode: (result) => exitCodeOf(result),
});

function exitCodeOf({ files, isCheck }: Pick<Result, "files" | "isCheck">): 0 | 2 {
  return isCheck && files.length > 0 ? 2 : 0;
}

async function confirm(context: CommandContext, { files }: Codemod): Promise<void> {
  const { terminal } = context;
  if (context.prompter) for (const file of files) terminal.hint(fileLine(file, "would change"));
  for (const file of files) for (const line of lostLines(file)) terminal.warn(line);
  await context.consent({ question: `Change ${plural(files.length, "file")}?`, lost: [], flag: "--yes" });
}

function fileLine({ name, lines }: ChangedFile, outcome: Result["outcome"]): string {
  return `${outcome.padEnd(12)}  ${visible(name)} (${plural(lines, "line")})`;
}

function lostLines({ name, lostComments }: ChangedFile): string[] {
  return lostComments.map(
    ({ line, text }) => `${visible(`${name}:${line}`)}: this comment will be lost: ${visible(text)}`,
  );
}
