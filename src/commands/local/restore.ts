/** `formctl local restore`: replaces the store with a backup. */

import { resolve } from "node:path";
import { withProgress } from "../../terminal/progress.ts";
import { argument, asText, defineCommand } from "../command.ts";
import { formatCounts, isLarge } from "./store-view.ts";

export default defineCommand({
  examples: [
    "formctl local restore before-upgrade.db --yes",
    "formctl local restore before-upgrade.db --store ./copy.db",
  ],
  args: { file: argument("FILE", "A file that `formctl local backup` wrote", asText, "path") },
  options: {},
  writes: "store",
  async run(context, { file }) {
    const { localStore, terminal } = context;
    const { location } = localStore;
    const isLong = isLarge(resolve(context.cwd, file));
    // Throws for an unusable backup before the user is asked to confirm.
    const held = await withProgress(terminal, { label: "Checking the backup", isLong }, () => localStore.inspect(file));
    if (localStore.exists()) {
      await context.consent({
        question: `Replace the store ${location} with ${file} (${formatCounts(held)})?`,
        lost: ["everything written since the backup"],
        flag: "--yes",
      });
    }
    const { counts, damaged } = await withProgress(terminal, { label: "Restoring the store", isLong }, () =>
      localStore.restore(file),
    );
    return { store: location, from: file, counts, damaged: damaged ?? null };
  },
  view({ store, from, counts, damaged }, terminal) {
    terminal.line(`Restored ${store} from ${from}: ${formatCounts(counts)}.`);
    if (damaged !== null) terminal.warn(`The previous files could not be read and are kept as ${damaged}.`);
  },
  names: ({ store }) => [store],
  done: ({ store, from }) => ({ text: `${store} was restored from ${from}` }),
  next: () => ["formctl local check"],
});
