/** `formctl local backup`: the store as it is now, in a file of its own. */

import { argument, defineCommand } from "../command.ts";

export default defineCommand({
  about: "Copy the store into a file",
  details: "A consistent copy, also while other commands write. An existing file is never overwritten.",
  examples: ["formctl local backup before-upgrade.db"],
  args: { file: argument("FILE", "The file to write") },
  options: {},
  async run(context, { file }) {
    return context.localStore.backup(file);
  },
  view({ path, bytes }, terminal) {
    terminal.out(`Copied the store into ${path} (${bytes} bytes).\n`);
  },
  names: ({ path }) => [path],
});
