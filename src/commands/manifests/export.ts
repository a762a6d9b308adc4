/** `formctl export`: exports forms and layouts as manifests, to stdout or into a folder. */

import { isPageAddress, type ObjectKey } from "../../lists/addresses.ts";
import { FormctlError } from "../../base/error.ts";
import { documentsOf, streamOf } from "../../export/exported.ts";
import type { FileOutcome, ExportRequest, ExportResult } from "../../project/project.ts";
import { mayBeShortId } from "../../base/short-ids.ts";
import { visible } from "../../terminal/escape.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { completeAny, completing } from "../address-arguments.ts";
import { type LayoutAddress, parseLayout, parseObject, type ShortAddress } from "../addresses.ts";
import { type Argument, defineCommand, flag, option, optionalRest } from "../command.ts";
import { concurrencyOption } from "../concurrency.ts";
import { wholeLayoutId } from "../lookups.ts";
import { projectOf } from "./open-project.ts";
import { plural } from "../../base/plural.ts";

const namesArgument: Argument<(ObjectKey | LayoutAddress)[]> = completing(
  optionalRest("NAME", "MODULE/OBJECT, MODULE/OBJECT/FORM, or a layout id", parseName, "object"),
  completeAny,
);

export default defineCommand({
  details: `NAME is MODULE/OBJECT for all forms of an object, MODULE/OBJECT/FORM, or the id of a layout. The layout of a form is exported
with its form. Equal states export equal bytes.

--all exports everything that the target shows: all forms, and every layout that no form owns. A server that does not list
layouts shows no objects either: what the lock in .formctl and the manifests of the project name is then exported, and a
warning states what was not read.

With --into, new manifests become files in the folder. In existing files only the lines that differ are edited: comments, blank
lines, the order of members, anchors and \${NAME} stay. Members that a manifest leaves out stay out. What changed both in the
file and on the target is left and reported as a conflict: the exit code is then 6. The same applies to differences where
neither the lock in .formctl nor the stamp in the layout shows which side changed; --overwrite takes the state of the target.
Files of deleted forms are reported and left.`,
  examples: [
    "formctl export staffing/candidate",
    "formctl export --all --into forms",
    'formctl export "staffing/candidate/Candidate profile" --into forms',
  ],
  args: { names: namesArgument },
  options: {
    into: option("--into <folder>", "Write files into this folder"),
    all: flag("--all", "Export all forms, and every layout that no form owns"),
    allLayouts: flag("--all-layouts", "Also export every layout that no form owns"),
    overwrite: flag("--overwrite", "Take the state of the target where it is unknown which side changed"),
    concurrency: concurrencyOption,
  },
  atLeastOneOf: [["names", "all", "allLayouts"]],
  writes: true,
  describesDryRun: true,
  async run(context, { names, into, all, allLayouts, overwrite, concurrency }) {
    const { dryRun } = context;
    if (all && names.length > 0)
      throw new FormctlError("USAGE", "NAME and --all can't be combined", "Remove one of them.");
    const chosen = chosenBy(names);
    const layouts = await Promise.all(
      chosen.layouts.map(async (id) => (mayBeShortId(id) ? wholeLayoutId(await context.service(), id) : id)),
    );
    const request = { ...chosen, layouts, into, all, allLayouts, overwrite, dryRun };
    return { result: await projectOf(context, { concurrency }).export(request), dryRun };
  },
  view({ result: { exported, written }, dryRun }, terminal) {
    if (exported.length === 0) terminal.hint("Nothing to export.");
    if (!written) {
      for (const text of streamOf(exported)) terminal.out(text);
      return;
    }
    for (const outcome of written.files) printOutcome(outcome, terminal, dryRun);
    for (const { address, path } of written.missing) {
      terminal.warn(`${visible(address)} no longer exists; ${visible(path)} was left unchanged`);
    }
    if (exitCodeOf(written) !== 0) {
      terminal.hint("To resolve a conflict, correct the file and export again, or apply the file.");
    }
    if (dryRun) terminal.hint("Nothing was written.");
  },
  document({ result: { exported, notes, written }, dryRun }) {
    if (!written) return documentsOf(exported);
    return {
      exitCode: exitCodeOf(written),
      dryRun,
      files: written.files.map(({ path, status, lines, conflicts }) => ({ path, status, lines, conflicts })),
      gone: written.missing,
      notes,
    };
  },
  names: ({ result }) => result.exported.map(({ address }) => address),
  exitCode: ({ result: { written } }) => (written ? exitCodeOf(written) : 0),
});

function parseName(text: string): ObjectKey | LayoutAddress | ShortAddress {
  return text.split("/").length === 2 && !isPageAddress(text) ? parseObject(text) : parseLayout(text);
}

function chosenBy(
  names: readonly (ObjectKey | LayoutAddress)[],
): Required<Pick<ExportRequest, "objects" | "forms" | "layouts">> {
  return {
    objects: names.flatMap((name) => ("layoutId" in name || "form" in name ? [] : [name])),
    forms: names.filter((name) => "form" in name),
    layouts: names.flatMap((name) => ("layoutId" in name ? [name.layoutId] : [])),
  };
}

function exitCodeOf({ files }: NonNullable<ExportResult["written"]>): 0 | 6 {
  return files.some(({ status }) => status === "conflict") ? 6 : 0;
}

function printOutcome({ path, status, lines, conflicts }: FileOutcome, terminal: Terminal, dryRun: boolean): void {
  const hasLines = status === "updated" || (status === "conflict" && lines > 0);
  const would = dryRun && (status === "written" || status === "updated") ? "would be " : "";
  const changed = hasLines ? ` (${plural(lines, "line")})` : "";
  terminal.line(`${(would + status).padEnd(9)}  ${visible(path)}${changed}`);
  for (const conflict of conflicts) {
    const what = conflict.path === "" ? conflict.message : `${conflict.path} ${conflict.message}`;
    terminal.line(`           ${visible(what)}`);
  }
}
