/** `formctl export`: what exists, as manifests: on stdout, or into a folder that may hold some already. */

import { FormctlError } from "../../error.ts";
import type { Exported } from "../../manifests/export/export.ts";
import type { FileOutcome } from "../../manifests/export/file-outcome.ts";
import { documentsOf, streamOf } from "../../manifests/export/manifest-text.ts";
import { readExported } from "../../manifests/export/read-exported.ts";
import { sayableOf } from "../../manifests/export/sayable.ts";
import { objectText } from "../../manifests/address.ts";
import type { Writes } from "../../manifests/export/write.ts";
import { visible } from "../../terminal/escape.ts";
import { startProgress } from "../../terminal/progress.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { defineCommand, flag, option, optionalRest, wholeNumber } from "../command.ts";
import { choose, objectsOf, parseNamed } from "./chosen.ts";
import { exportInto, type IntoOptions, openFolder } from "./export-into.ts";
import { usualConcurrency } from "./prepare-plan.ts";
import { findReferences } from "./references.ts";

type Result = {
  exported: readonly Exported[];
  /** What was left out, and of what. */
  notes: readonly string[];
  /** Undefined: on stdout. */
  written: (Pick<Writes, "outcomes" | "gone"> & { dryRun: boolean }) | undefined;
};

export default defineCommand({
  about: "Write what exists as manifests",
  details: `NAME is MODULE/OBJECT, for all forms of an object, MODULE/OBJECT/FORM, or the id of a layout; a layout that a form owns is
exported with its form. The same state gives the same bytes.

With --into, new manifests become files of the folder, and in those that it holds already only the lines of what has changed
there are changed: comments, blank lines, the order of members, anchors and \${NAME} stay. A member that a manifest leaves out
stays out. What was changed in the file and there, each in another way, is left as it is and reported: the exit code is 6 then.
So is what differs where neither .formctl/lock.json nor the stamp in the layout tells who has changed it; --overwrite takes what
is there. The file of a form that is not there any more is reported, and left.`,
  examples: [
    "formctl export staffing/candidate",
    'formctl export "staffing/candidate/Candidate profile" --into manifests',
  ],
  args: { names: optionalRest("NAME", "MODULE/OBJECT, MODULE/OBJECT/FORM, or the id of a layout") },
  options: {
    into: option("--into <folder>", "Write files into this folder"),
    allLayouts: flag("--all-layouts", "Every layout that no form owns, too"),
    overwrite: flag("--overwrite", "Take what is there where nothing tells who has changed what"),
    concurrency: option("--concurrency <number>", "How many requests may be under way at once", wholeNumber(1, 64)),
  },
  writes: true,
  foretells: true,
  async run(context, { names, into, allLayouts, overwrite, concurrency = usualConcurrency(context) }): Promise<Result> {
    const named = names.map(parseNamed);
    if (named.length === 0 && !allLayouts) {
      throw new FormctlError(
        "USAGE",
        "what is to be exported? Nothing was named",
        "Name objects, forms or layouts, or --all-layouts.",
      );
    }
    const opened = into === undefined ? undefined : await openFolder(context, into);
    const references = await findReferences(context);
    const service = await context.service();
    const progress = startProgress(context.terminal, { label: "Reading what exists" });
    let exported: Exported[];
    try {
      const onProgress = (done: number, total: number) => progress.update(done, undefined, total);
      const { nameOf } = references;
      const chosen = await choose(service, named, allLayouts);
      exported = await readExported(chosen, { service, nameOf, concurrency, onProgress });
    } finally {
      progress.stop();
    }
    const { sayable, leftOut } = sayableOf(exported);
    exported = sayable;
    const notes = exported.flatMap(({ address, notes: own }) => own.map((note) => `${address}: ${note}`));
    notes.push(...[...leftOut].map(([address, reason]) => `${address}: ${reason}`));
    tell(context.terminal, notes);
    if (!opened) return { exported, notes, written: undefined };

    const whole = new Set(objectsOf(named).map(objectText));
    const isWhole: IntoOptions["isWhole"] = (manifest) =>
      !leftOut.has(manifest.address) &&
      (manifest.kind === "Form" ? whole.has(objectText(manifest.object)) : allLayouts);
    const writes = await exportInto(context, opened, { exported, references, concurrency, overwrite, isWhole });
    tell(context.terminal, writes.notes);
    return { exported, notes: [...notes, ...writes.notes], written: { ...writes, dryRun: context.dryRun } };
  },
  view(result, terminal) {
    const { exported, written } = result;
    if (exported.length === 0) terminal.hint("There is nothing to export.");
    if (!written) return terminal.out(streamOf(exported));
    for (const outcome of written.outcomes) printOutcome(outcome, terminal, written.dryRun);
    for (const { address, path } of written.gone) {
      terminal.warn(`${visible(address)} is not there any more: ${visible(path)} is left as it is`);
    }
    if (exitCodeOf(written) !== 0) {
      terminal.hint(
        "What was left is for you to decide: put it right in the file and export again, or apply the file.",
      );
    }
    if (written.dryRun) terminal.hint("Nothing was written.");
  },
  document({ exported, notes, written }) {
    if (!written) return documentsOf(exported);
    return {
      exitCode: exitCodeOf(written),
      dryRun: written.dryRun,
      files: written.outcomes.map(({ path, status, lines, conflicts }) => ({ path, status, lines, conflicts })),
      gone: written.gone,
      notes,
    };
  },
  names: ({ exported }) => exported.map(({ address }) => address),
  exitCode: ({ written }) => (written ? exitCodeOf(written) : 0),
});

/** On stderr whatever the format: the answer itself can't say what it lacks. */
function tell(terminal: Terminal, notes: readonly string[]): void {
  for (const note of notes) terminal.warn(visible(note));
}

function exitCodeOf({ outcomes }: Pick<Writes, "outcomes">): 0 | 6 {
  return outcomes.some(({ status }) => status === "conflict") ? 6 : 0;
}

function printOutcome({ path, status, lines, conflicts }: FileOutcome, terminal: Terminal, dryRun: boolean): void {
  const many = `${lines} line${lines === 1 ? "" : "s"}`;
  const count = status === "updated" || (status === "conflict" && lines > 0) ? ` (${many})` : "";
  const would = dryRun && (status === "written" || status === "updated") ? "would be " : "";
  terminal.out(`${(would + status).padEnd(9)}  ${visible(path)}${count}\n`);
  for (const conflict of conflicts) {
    const what = conflict.path === "" ? conflict.message : `${conflict.path} ${conflict.message}`;
    terminal.out(`           ${visible(what)}\n`);
  }
}
