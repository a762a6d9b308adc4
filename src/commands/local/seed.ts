/** `formctl local seed`: what the API has no endpoint for, from a file. */

import { OrganizationFile, type SeedChange } from "../../schemas/organization.ts";
import { printTable } from "../../terminal/table.ts";
import { argument, defineCommand } from "../command.ts";
import { locatedRefusal, readBody } from "../read-body.ts";

export default defineCommand({
  about: "Add organizations, objects, roles and members from a file",
  details:
    "Adds and updates by key, and removes nothing: running it again changes nothing. Makes the store if there is none.",
  examples: [
    "formctl local seed examples/northwind/organization.yaml",
    "formctl local show -o yaml | formctl local seed -",
  ],
  args: { file: argument("FILE", "YAML or JSON; - is standard input") },
  options: {},
  writes: "store",
  async run(context, { file }) {
    const { document } = await readBody(context, file, OrganizationFile);
    await context.localStore.create();
    const local = await context.local();
    // What the schema accepts is checked again by the store: it takes the file as it is written.
    return locatedRefusal(document, () => local.seed(document.value as OrganizationFile));
  },
  view(changes: SeedChange[], terminal) {
    printTable(
      terminal,
      [
        { title: "Action", value: ({ action }) => action },
        { title: "Kind", value: ({ kind }) => kind },
        { title: "In", value: ({ place }) => place },
        { title: "Keys", value: ({ keys }) => keys.join(", "), shrink: true },
      ],
      together(changes),
      "Nothing to do: the store holds all of it.",
    );
  },
  names: (changes: SeedChange[]) => changes.map(({ key }) => key),
  done: (changes: SeedChange[]) => ({ text: `the store holds the file, with ${changes.length} changes` }),
});

type Row = Pick<SeedChange, "action" | "kind"> & { place: string; keys: string[] };

/** A row for all that was done in the same way at the same place: a field's place is its object. */
function together(changes: readonly SeedChange[]): Row[] {
  const rows = new Map<string, Row>();
  for (const { action, kind, key, organization } of changes) {
    const cut = kind === "field" || kind === "customField" ? key.lastIndexOf("/") : -1;
    const place = [...(kind === "organization" ? [] : [organization]), ...(cut < 0 ? [] : [key.slice(0, cut)])].join(
      " ",
    );
    const id = JSON.stringify([action, kind, place]);
    const row = rows.get(id) ?? { action, kind, place, keys: [] };
    rows.set(id, row);
    row.keys.push(key.slice(cut + 1));
  }
  return [...rows.values()];
}
