/** `formctl local reset`: an empty store. */

import { defineCommand } from "../command.ts";

export default defineCommand({
  about: "Delete everything in the store",
  examples: ["formctl local reset --yes"],
  args: {},
  options: {},
  writes: "store",
  async run(context) {
    const { location } = context.localStore;
    if (!context.localStore.exists()) return { store: location, reset: false, damaged: null };
    await context.consent({
      question: `Delete everything in ${location}?`,
      lost: ["every organization with its forms, layouts, versions, tokens and uploaded files"],
      flag: "--yes",
    });
    const { damaged } = await context.localStore.reset();
    return { store: location, reset: true, damaged: damaged ?? null };
  },
  view({ store, reset, damaged }, terminal) {
    if (damaged !== null) terminal.warn(`The previous files, which could not be read, are kept as ${damaged}.`);
    terminal.out(reset ? `${store} is empty now.\n` : `There is no store at ${store}: nothing to reset.\n`);
  },
  names: ({ store }) => [store],
  done: ({ store }) => ({ text: `${store} is empty` }),
  next: () => ["formctl local init --demo"],
});
