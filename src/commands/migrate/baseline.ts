/** `formctl migrate baseline`: declares migrations as done without running them. */

import { baseline } from "../../migrations/baseline.ts";
import { plural } from "../../base/plural.ts";
import { visible } from "../../terminal/escape.ts";
import { argument, asText, defineCommand } from "../command.ts";
import { migrationsOf } from "./open-migrations.ts";

export default defineCommand({
  details: `For a target that already has the effects of its first migrations, such as a new environment that was copied from another
one. The migration NAME and all pending ones before it are recorded as done. No migration is executed.`,
  examples: [
    "formctl migrate baseline 20261122-1000-replace-pay-rate --yes",
    "formctl migrate baseline 20261122-1000-replace-pay-rate --dry-run",
  ],
  args: { name: argument("NAME", "The last migration to declare, without extension", asText, "migration") },
  options: {},
  writes: true,
  describesDryRun: true,
  async run(context, { name }) {
    const { declared, where } = await baseline(migrationsOf(context), {
      name,
      dryRun: context.dryRun,
      confirm: async (names, record) => {
        const question = `Declare ${plural(names.length, "migration")} as done in ${record} without running: ${names.join(", ")}?`;
        await context.consent({ question, lost: [], flag: "--yes" });
      },
    });
    return { declared, record: where, dryRun: context.dryRun };
  },
  view({ declared, record, dryRun }, terminal) {
    if (declared.length === 0) return terminal.line("Nothing to declare: all of them are recorded.");
    const verb = dryRun ? "Would declare" : "Declared";
    terminal.line(`${verb} as done in ${visible(record)}:\n${declared.map((name) => `  ${name}`).join("\n")}`);
  },
  names: ({ declared }) => declared,
  next: () => ["formctl migrate status"],
});
