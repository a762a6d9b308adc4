/** `formctl local restore`: replaces the store with a backup. */

import { argument, asText, defineCommand } from "../command.ts";
import { formatCounts } from "./store-view.ts";

export default defineCommand({
  examples: [
    "formctl local restore before-upgrade.db --yes",
    "formctl local restore before-upgrade.db --store ./copy.db",
  ],
  args: { file: argument("FILE", "A file that `formctl local backup` wrote", asText, "path") },
  options: {},
  writes: "store",
  async run(context, { file }) {
    const { location } = context.localStore;
    // Throws before the confirmation if the file is not a usable backup.
    const held = await context.localStore.inspect(file);
    if (context.localStore.exists()) {
      await context.consent({
        question: `Replace the store ${location} with ${file} (${formatCounts(held)})?`,
        lost: ["everything written since the backup"],
        flag: "--yes",
      });
    }
    const { counts, damaged } = await context.localStore.restore(file);
    return { store: location, from: file, counts, damaged: damaged ?? null };
  },
  view({ store, from, counts, damaged }, terminal) {
    terminal.out(`Restored ${store} from ${from}: ${formatCounts(counts)}.\n`);
    if (damaged !== null) terminal.warn(`The previous files could not be read and are kept as ${damaged}.`);
  },
  names: ({ store }) => [store],
  done: ({ store, from }) => ({ text: `${store} was restored from ${from}` }),
  next: () => ["formctl local check"],
});
