/** `formctl local restore`: the store becomes what a backup holds. */

import { argument, defineCommand } from "../command.ts";
import { formatCounts } from "./store-counts.ts";

export default defineCommand({
  about: "Replace the store by a backup",
  examples: ["formctl local restore before-upgrade.db --yes"],
  args: { file: argument("FILE", "A file that `formctl local backup` has written") },
  options: {},
  writes: "store",
  async run(context, { file }) {
    const { location } = context.localStore;
    // Nobody is asked about what can't be done.
    const held = await context.localStore.inspect(file);
    if (context.localStore.exists()) {
      await context.consent({
        question: `Replace the store ${location} by ${file} (${formatCounts(held)})?`,
        lost: ["everything that was written since the backup was made"],
        flag: "--yes",
      });
    }
    const { counts, damaged } = await context.localStore.restore(file);
    return { store: location, from: file, counts, damaged: damaged ?? null };
  },
  view({ store, from, counts, damaged }, terminal) {
    terminal.out(`${store} now holds what ${from} holds: ${formatCounts(counts)}.\n`);
    if (damaged !== null) terminal.warn(`The previous files, which could not be read, are kept as ${damaged}.`);
  },
  names: ({ store }) => [store],
  done: ({ store, from }) => ({ text: `${store} holds what ${from} holds` }),
  next: () => ["formctl local check"],
});
