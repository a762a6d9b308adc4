/**
 * `formctl local seed`: adds and updates the records in a file, such as roles. The API has no endpoints for these
 * records.
 */

import type { OrganizationFile as Organization, SeedChange } from "../../schemas/organization.ts";
import { OrganizationFile } from "../../schemas/organization-schema.ts";
import { withProgress } from "../../terminal/progress.ts";
import { printTable } from "../../terminal/table.ts";
import { argument, asText, defineCommand } from "../command.ts";
import { locatedRefusal, readBody } from "../read-input.ts";

export default defineCommand({
  details:
    "Adds and updates records by key and removes nothing. Seeding the same file again changes nothing. Creates the store if it does not exist.",
  examples: ["formctl local seed organization.yaml", "formctl local show -o yaml | formctl local seed -"],
  args: { file: argument("FILE", "YAML or JSON; - is standard input", asText, "file") },
  options: {},
  writes: "store",
  async run(context, { file }) {
    const { document } = await readBody(context, file, OrganizationFile);
    await context.localStore.create();
    const local = await context.local();
    // `seed` parses the value itself, so it gets the unparsed value of the document.
    return locatedRefusal(document, () =>
      withProgress(context.terminal, { label: "Seeding records" }, (progress) =>
        local.seed(document.value as Organization, (done, total) => progress.update(done, undefined, total)),
      ),
    );
  },
  view(changes: SeedChange[], terminal) {
    printTable(
      terminal,
      [
        { title: "Action", value: ({ action }) => action, essential: true },
        { title: "Kind", value: ({ kind }) => kind },
        { title: "In", value: ({ parent }) => parent },
        { title: "Keys", value: ({ keys }) => keys.join(", "), wraps: true, essential: true },
      ],
      grouped(changes),
      "Nothing to do: the store already contains all records.",
    );
  },
  names: (changes: SeedChange[]) => changes.map(({ key }) => key),
  done: (changes: SeedChange[]) => ({ text: `the store was seeded with ${changes.length} changes` }),
});

type Row = Pick<SeedChange, "action" | "kind"> & { parent: string; keys: string[] };

/**
 * Returns one row for each group of changes with the same action, kind and parent. The parent depends on the kind:
 * - an organization: none
 * - a field: the organization and the object
 * - a custom field: the organization and the surface
 * - any other record: the organization
 */
function grouped(changes: readonly SeedChange[]): Row[] {
  const rows = new Map<string, Row>();
  for (const { action, kind, key, organization } of changes) {
    const cut = kind === "field" || kind === "customField" ? key.lastIndexOf("/") : -1;
    const parent = [...(kind === "organization" ? [] : [organization]), ...(cut < 0 ? [] : [key.slice(0, cut)])].join(
      " ",
    );
    const id = JSON.stringify([action, kind, parent]);
    const row = rows.get(id) ?? { action, kind, parent, keys: [] };
    rows.set(id, row);
    row.keys.push(key.slice(cut + 1));
  }
  return [...rows.values()];
}
