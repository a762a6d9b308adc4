/**
 * Collects the known facts about a layout: its surface and modes, the fields of its object, and the scripts of its
 * organization that its script bindings may name.
 */

import {
  fieldsOf,
  type LayoutCatalog,
  type OrganizationCatalog,
  scriptNames,
  toCatalogField,
} from "../../schemas/catalog.ts";
import { OrganizationFile } from "../../schemas/organization.ts";
import { SURFACES } from "../../schemas/words.ts";
import type { CommandContext } from "../command.ts";
import { findLocalOrganization } from "../local-names.ts";
import { readBody } from "../read-input.ts";
import type { LayoutSummary } from "./layout-summary.ts";

/** @param organization undefined if the fields and scripts are unknown */
export function catalogOf(summary: LayoutSummary, organization: OrganizationCatalog | undefined): LayoutCatalog {
  const surface = SURFACES.find((one) => one === summary.surface);
  const fields = organization && fieldsOf(organization, summary);
  return {
    ...(surface && { surface }),
    ...(summary.modes && { modes: summary.modes }),
    ...(fields && { fields: fields.map(toCatalogField) }),
    ...(organization && { scripts: scriptNames(organization) }),
  };
}

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
