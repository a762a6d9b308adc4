/** `formctl local copy`: copies a whole store into another file or database. */

import { resolve } from "node:path";
import { requireStore } from "../../config/setting-rows.ts";
import { refuseLeadingOut } from "../../disk/links.ts";
import { withProgress } from "../../terminal/progress.ts";
import { isStoreUrl, storeLocation } from "../../base/database-url.ts";
import { argument, asText, defineCommand } from "../command.ts";
import { formatCounts } from "./store-view.ts";

export default defineCommand({
  details:
    "FROM and TO are files, or databases such as postgres://USER@HOST/DATABASE, with the password in PGPASSWORD or ~/.pgpass.\n" +
    "TO must have no records. A file is created if it does not exist; a database must exist (createdb). Other commands may use FROM meanwhile: the copy is a consistent snapshot. The copied records are compared with the original ones by their hashes before anything is committed.",
  examples: [
    "formctl local copy forms.db postgres://formctl@db.example.com/formctl",
    "formctl local copy forms.db archive.db",
  ],
  args: {
    from: argument("FROM", "The store to copy: a file, or the URL of a database", asText, "path"),
    to: argument("TO", "An empty or new store: a file, or the URL of a database", asText, "path"),
  },
  options: {},
  writes: "store",
  async run(context, { from, to }) {
    const { cwd, terminal, settings } = context;
    for (const store of [from, to]) {
      requireStore(store);
      if (!isStoreUrl(store)) refuseLeadingOut(resolve(cwd, store), settings.root);
    }
    const address = (store: string) => (isStoreUrl(store) ? store : resolve(cwd, store));
    const counts = await withProgress(terminal, { label: "Copying and comparing records", isLong: true }, (progress) =>
      context.copyStore({ from: address(from), into: address(to) }, (done, total) =>
        progress.update(done, undefined, total),
      ),
    );
    return { from: storeLocation(cwd, from), to: storeLocation(cwd, to), counts };
  },
  view({ from, to, counts }, terminal) {
    terminal.line(`Copied ${from} into ${to}: ${formatCounts(counts)}.`);
    if (counts.uploads > 0) terminal.warn("The copy contains the records of uploaded files, but not the files.");
  },
  names: ({ to }) => [to],
  done: ({ from, to }) => ({ text: `${from} was copied into ${to}` }),
});
