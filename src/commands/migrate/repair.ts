/** `formctl migrate repair`: corrects the record of migrations where it differs from the files. */

import type { FormctlError } from "../../base/error.ts";
import { type Repair, repair } from "../../migrations/repair.ts";
import { plural } from "../../base/plural.ts";
import { visible } from "../../terminal/escape.ts";
import { asText, type CommandContext, defineCommand, flag, optionalRest } from "../command.ts";
import { migrationsOf } from "./open-migrations.ts";

export default defineCommand({
  details: `Without NAME, the command repairs all migrations that differ from the record:

- An edited file: the record gets its checksum. The migration does not run again.
- A missing file: the entry is deleted, together with what formctl migrate down needs. Requires --allow-delete.

If another user renamed, emptied or archived the layout with the record, the command names how to restore it. With
--allow-delete, it begins a new record, in which all migrations are pending. Then declare the migrations that ran, with
formctl migrate baseline NAME. The same holds for a server without a record: until one is begun, a run creates no form or
layout whose name exists.

With the NAME of a migration that another process holds, its lease ends now, and the next run continues it. Do this only
if that process no longer runs: two processes would run the migration. The command changes only the record.`,
  examples: ["formctl migrate repair --dry-run", "formctl migrate repair --yes --allow-delete"],
  args: { names: optionalRest("NAME", "Migrations to repair, without extension", asText, "migration") },
  options: {
    allowDelete: flag(
      "--allow-delete",
      "Confirm that entries of missing files are deleted, or that a missing record is replaced",
    ),
  },
  writes: true,
  describesDryRun: true,
  async run(context, { names }) {
    const { repairs, where, isRenewed } = await repair(migrationsOf(context), {
      names,
      dryRun: context.dryRun,
      confirm: (planned, record) => confirm(context, planned, record),
      confirmRenewal: (lost) => confirmRenewal(context, lost),
    });
    const listed = repairs.map(({ name, action }) => ({ name, action }));
    return { repairs: listed, isRenewed, record: where, dryRun: context.dryRun };
  },
  view({ repairs, isRenewed, record, dryRun }, terminal) {
    if (isRenewed) {
      terminal.line(`${dryRun ? "Would begin" : "Began"} a new record in ${visible(record)}.`);
      return;
    }
    if (repairs.length === 0) return terminal.line("Nothing to repair.");
    terminal.line(`${dryRun ? "Would change" : "Changed"} ${visible(record)}:`);
    for (const { name, action } of repairs)
      terminal.line(`  ${visible(name)}: ${effectOf(action, dryRun ? "will be" : "is")}`);
  },
  names: ({ repairs }) => repairs.map(({ name }) => name),
  next: () => ["formctl migrate status"],
});

/** @param be whether the repair is planned or done */
function effectOf(action: Repair["action"], be: "will be" | "is"): string {
  if (action === "accept") return `the edited file ${be} accepted and does not run again`;
  return action === "forget" ? `its entry ${be} deleted` : `its lease ${be} ended, and the next run continues it`;
}

async function confirm(context: CommandContext, repairs: readonly Repair[], record: string): Promise<void> {
  const isDeletion = ({ action }: Repair) => action === "forget";
  const others = repairs.filter((each) => !isDeletion(each));
  const deletions = repairs.filter(isDeletion);
  if (others.length > 0) {
    const effects = others.map(({ name, action }) => `${name} (${effectOf(action, "will be")})`);
    await context.consent({ question: `Change ${record}: ${effects.join(", ")}?`, lost: [], flag: "--yes" });
  }
  if (deletions.length > 0) {
    await context.consent({
      question: `Delete ${plural(deletions.length, "migration")} without a file from ${record}?`,
      lost: deletions.map(lossOf),
      flag: "--allow-delete",
    });
  }
}

async function confirmRenewal(context: CommandContext, { message, hint = "" }: FormctlError): Promise<void> {
  context.terminal.warn(visible(message));
  context.terminal.hint(visible(hint));
  await context.consent({
    question: "Begin a new record of migrations, in which those that are not recorded are pending?",
    lost: ["the record of the migrations that ran before"],
    flag: "--allow-delete",
  });
}

function lossOf({ name, entry }: Repair): string {
  const down = [
    ...(entry.replaced.length > 0 ? [`what it replaced in ${plural(entry.replaced.length, "resource")}`] : []),
    ...(entry.steps.length > 0 ? [`the answers of ${plural(entry.steps.length, "step")}`] : []),
  ];
  return `the record that ${name} ran${down.length === 0 ? "" : `, with ${down.join(" and ")}`}`;
}
