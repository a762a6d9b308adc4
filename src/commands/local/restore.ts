/** `formctl local restore`: the store becomes what a backup holds. */

import { argument, defineCommand } from "../command.ts";

export default defineCommand({
  about: "Replace the store by a backup",
  examples: ["formctl local restore before-upgrade.db --yes"],
  args: { file: argument("FILE", "A file that `formctl local backup` has written") },
  options: {},
  async run(context, { file }) {
    const { location } = context.localStore;
    if (context.localStore.exists()) {
      await context.consent({
        question: `Replace the store ${location} by ${file}?`,
        lost: ["everything that was written since the backup was made"],
        flags: ["--yes"],
      });
    }
    await context.localStore.restore(file);
    return { store: location, from: file };
  },
  view({ store, from }, terminal) {
    terminal.out(`${store} now holds what ${from} holds.\n`);
  },
  names: ({ store }) => [store],
  next: () => ["formctl local check"],
});
