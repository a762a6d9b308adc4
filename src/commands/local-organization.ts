/** What the API does not list and a local store knows: the fields, roles and members of the organization. */

import { hasCode } from "../error.ts";
import type { OrganizationView } from "../schemas/organization.ts";
import type { CommandContext } from "./command.ts";

/** The organization that the command works in; undefined where its service is not a local store. */
export async function findLocalOrganization(
  context: Pick<CommandContext, "local" | "organization">,
): Promise<OrganizationView | undefined> {
  const { local, organization } = context;
  let organizations: OrganizationView[];
  try {
    ({ organizations } = await (await local()).show());
  } catch (error) {
    if (hasCode(error, "USAGE")) return undefined;
    throw error;
  }
  if (organization === undefined) return organizations.length === 1 ? organizations[0] : undefined;
  return organizations.find(({ key }) => key === organization);
}
