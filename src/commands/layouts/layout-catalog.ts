/** Finds the organization that has the fields and scripts of a layout. */

import type { OrganizationCatalog } from "../../schemas/catalog.ts";
import { OrganizationFile } from "../../schemas/organization-schema.ts";
import type { CommandContext } from "../command.ts";
import { findLocalOrganization } from "../local-names.ts";
import { readBody } from "../read-input.ts";

/**
 * Returns the only organization of the organization file. If the file has several, returns the organization of the
 * command. Without a file, returns the result of {@link findLocalOrganization}. Undefined if there is no organization.
 *
 * @throws INVALID_FILE if the file is invalid
 */
export async function findOrganization(
  context: CommandContext,
  file: string | undefined,
): Promise<OrganizationCatalog | undefined> {
  if (file === undefined) return findLocalOrganization(context);
  const { organizations } = (await readBody(context, file, OrganizationFile)).value;
  const { organization: wanted } = context;
  return organizations.length === 1 ? organizations[0] : organizations.find(({ key }) => key === wanted);
}
