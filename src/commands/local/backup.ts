/** `formctl local backup`: the store as it is now, in a file of its own. */

import { FormctlError } from "../../error.ts";
import { argument, defineCommand } from "../command.ts";
import { formatCounts } from "./store-counts.ts";

export default defineCommand({
  about: "Copy the store into a file",
  details: "A consistent copy, also while other commands write. An existing file is never overwritten.",
  examples: ["formctl local backup before-upgrade.db"],
  args: { file: argument("FILE", "The file to write") },
  options: {},
  writes: "store",
  async run(context, { file }) {
    if (!file.trim())
      throw new FormctlError(
        "USAGE",
        "the copy needs a name",
        "Name the file to write: formctl local backup before-upgrade.db",
      );
    return context.localStore.backup(file);
  },
  view({ path, bytes, counts }, terminal) {
    terminal.out(`Copied the store into ${path} (${bytes} bytes): ${formatCounts(counts)}.\n`);
    if (counts.uploads > 0) terminal.warn("Uploaded files themselves are not in the copy, only their records.");
  },
  names: ({ path }) => [path],
  done: ({ path }) => ({ text: `the store is copied into ${path}` }),
});
