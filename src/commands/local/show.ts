/** `formctl local show`: prints the organizations with all seeded records. */

import type { OrganizationView } from "../../schemas/organization.ts";
import { fields } from "../../terminal/table.ts";
import { defineCommand } from "../command.ts";
import { plural } from "../../base/plural.ts";

export default defineCommand({
  details:
    "With --organization only that one is shown. The document is an organization file that `formctl local seed` accepts.",
  examples: ["formctl local show", "formctl local show -o json --query 'organizations[].roles[].{id: id, name: name}'"],
  args: {},
  options: {},
  async run(context) {
    return (await context.local()).show(context.organization);
  },
  view({ organizations }: { organizations: OrganizationView[] }, terminal) {
    if (organizations.length === 0) terminal.hint("The store is empty. Add an organization: formctl local seed FILE");
    for (const organization of organizations) {
      terminal.line(`${terminal.style.bold(organization.name)} (${organization.key}, ${organization.id})`);
      const objects = organization.modules.flatMap((module) =>
        module.objects.map(
          (object) =>
            `${module.key}/${object.key}  ${plural(object.fields.length, "field")}${object.kind === "SUBORDINATE" ? `, part of ${object.parent}` : ""}`,
        ),
      );
      const view = [
        ["Objects", objects],
        ["Roles", organization.roles.map(({ name, key, id }) => `${name}  ${key}  ${id}`)],
        ["Members", organization.members.map(({ email, id, roles }) => `${email}  ${id}  ${roles.join(", ")}`)],
        ["Scripts", organization.scripts.map(({ name, key }) => `${name}  ${key}`)],
      ] as const;
      terminal.out(fields(view, terminal));
    }
  },
  names: ({ organizations }: { organizations: OrganizationView[] }) => organizations.map(({ key }) => key),
});
