/** `formctl local backup`: copies the store into a file. */

import { dirname, resolve } from "node:path";
import { refuseLeadingOut } from "../../disk/links.ts";
import { FormctlError } from "../../base/error.ts";
import { argument, defineCommand } from "../command.ts";
import { withProgress } from "../../terminal/progress.ts";
import { formatCounts, isLarge } from "./store-view.ts";

export default defineCommand({
  details: "The copy is consistent even while other commands write. An existing file is never overwritten.",
  examples: ["formctl local backup before-upgrade.db", "formctl local backup before-upgrade.db -o json --query bytes"],
  args: { file: argument("FILE", "The file to write") },
  options: {},
  writes: "store",
  async run(context, { file }) {
    if (!file.trim())
      throw new FormctlError(
        "USAGE",
        "FILE is empty",
        "Specify the file to write: formctl local backup before-upgrade.db",
      );
    const { localStore, terminal, cwd, settings } = context;
    refuseLeadingOut(dirname(resolve(cwd, file)), settings.root);
    const options = { label: "Copying the store", isLong: isLarge(localStore.location) };
    return withProgress(terminal, options, () => localStore.backup(file));
  },
  view({ path, bytes, counts }, terminal) {
    terminal.line(`Copied the store into ${path} (${bytes} bytes): ${formatCounts(counts)}.`);
    if (counts.uploads > 0) terminal.warn("The copy contains the records of uploaded files, but not the files.");
  },
  names: ({ path }) => [path],
  done: ({ path }) => ({ text: `the store was copied into ${path}` }),
});
