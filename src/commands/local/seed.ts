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
        { title: "Key", value: ({ key }) => key },
        { title: "Organization", value: ({ organization }) => organization },
      ],
      changes,
      "Nothing to do: the store holds all of it.",
    );
  },
  names: (changes: SeedChange[]) => changes.map(({ key }) => key),
});
