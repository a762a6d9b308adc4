/** `formctl local reset`: empties the store. */

import { defineCommand } from "../command.ts";

export default defineCommand({
  examples: ["formctl local reset --yes", "formctl local reset --store ./test.db --yes"],
  args: {},
  options: {},
  writes: "store",
  async run(context) {
    const { location } = context.localStore;
    context.localStore.requireFile();
    if (!context.localStore.exists()) return { store: location, reset: false, damaged: null };
    await context.consent({
      question: `Delete everything in ${location}?`,
      lost: ["all organizations with their forms, layouts, versions, tokens and uploaded files"],
      flag: "--yes",
    });
    const { damaged } = await context.localStore.reset();
    return { store: location, reset: true, damaged: damaged ?? null };
  },
  view({ store, reset, damaged }, terminal) {
    if (damaged !== null) terminal.warn(`The previous files could not be read and are kept as ${damaged}.`);
    terminal.line(reset ? `Emptied ${store}.` : `The store ${store} does not exist: nothing to reset.`);
  },
  names: ({ store }) => [store],
  done: ({ store }) => ({ text: `${store} was emptied` }),
  next: () => ["formctl local init --demo"],
});
