/** What is known beside a draft before it is sent: the page that it is for, and in local mode the fields and scripts. */

import { SURFACES } from "../../schemas/words.ts";
import { type Known, fieldsOf, scriptNames, toKnownField } from "../../schemas/draft-known.ts";
import type { CommandContext } from "../command.ts";
import { findLocalOrganization } from "../local-organization.ts";
import type { LayoutPlace } from "./layout-place.ts";

export async function findKnown(context: CommandContext, place: LayoutPlace): Promise<Known> {
  const organization = await findLocalOrganization(context);
  const surface = SURFACES.find((one) => one === place.surface);
  const fields = organization && fieldsOf(organization, place);
  return {
    ...(surface && { surface }),
    ...(place.modes && { modes: place.modes }),
    ...(fields && { fields: fields.map(toKnownField) }),
    ...(organization && { scripts: scriptNames(organization) }),
  };
}
