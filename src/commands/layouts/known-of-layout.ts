/** What is known beside a draft before it is sent: the page that it is for, and in local mode the fields and scripts. */

import { SURFACES } from "../../schemas/words.ts";
import type { Known, KnownField } from "../../schemas/draft-known.ts";
import type { FieldView, OrganizationView } from "../../schemas/organization.ts";
import type { CommandContext } from "../command.ts";
import { findLocalOrganization } from "../local-organization.ts";
import { type LayoutPlace, objectOf } from "./layout-place.ts";

export async function findKnown(context: CommandContext, place: LayoutPlace): Promise<Known> {
  const organization = await findLocalOrganization(context);
  const surface = SURFACES.find((one) => one === place.surface);
  const fields = organization && fieldsOf(organization, place);
  return {
    ...(surface && { surface }),
    ...(place.modes && { modes: place.modes }),
    ...(fields && { fields: fields.map(toKnownField) }),
    ...(organization && { scripts: organization.scripts.flatMap(({ key, id }) => [key, id]) }),
  };
}

/** The fields that a layout can show: those of its object, or the custom fields of its surface and scope. */
export function fieldsOf(organization: OrganizationView, place: LayoutPlace): FieldView[] | undefined {
  const { surface, target } = place;
  if (surface === undefined) return undefined;
  if (surface !== "DYNAMIC_OBJECT") {
    const scopeId = target?.["scopeId"] ?? null;
    return organization.customFields.filter((field) => field.surface === surface && field.scopeId === scopeId);
  }
  const wanted = objectOf(place);
  const module = organization.modules.find(({ key }) => key === wanted?.moduleKey);
  return module?.objects.find(({ key }) => key === wanted?.objectKey)?.fields;
}

function toKnownField(field: FieldView): KnownField {
  const { id, key, name, type, valueCount, options } = field;
  return { id, key, name, type, isRequired: field.required, hasDefault: field.default != null, valueCount, options };
}
