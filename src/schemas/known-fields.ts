/** What an organization knows beside a draft: the fields that a layout can show, and the scripts that it can bind. */

import type { KnownField } from "./draft-known.ts";
import type { SeedField, SeedOrganization } from "./organization.ts";

/** An organization as its file or a store describes it. */
export type Described = Pick<SeedOrganization, "modules" | "customFields" | "scripts">;

/** Where a layout is shown, as far as it is known. */
export type FieldPlace = { surface?: string | undefined; target?: Readonly<Record<string, unknown>> | undefined };

/** The fields of the layout's object, or the custom fields of its surface and scope. Undefined: there is no such object. */
export function fieldsOf(organization: Described, { surface, target }: FieldPlace): SeedField[] | undefined {
  if (surface === undefined) return undefined;
  if (surface !== "DYNAMIC_OBJECT") {
    const scopeId = target?.["scopeId"] ?? null;
    return organization.customFields.filter((field) => field.surface === surface && field.scopeId === scopeId);
  }
  return objectOf(organization, target?.["moduleKey"], target?.["objectKey"])?.fields;
}

export function objectOf({ modules }: Pick<Described, "modules">, moduleKey: unknown, objectKey: unknown) {
  const module = modules.find(({ key }) => key === moduleKey);
  return module?.objects.find(({ key }) => key === objectKey);
}

/** A field whose id nobody has given is known by its key alone. */
export function toKnownField(field: SeedField): KnownField {
  const { id = "", key, name, type, valueCount = 0, options } = field;
  return { id, key, name, type, isRequired: field.required, hasDefault: field.default != null, valueCount, options };
}

/** What bindings call a script. */
export function scriptNames({ scripts }: Pick<Described, "scripts">): string[] {
  return scripts.flatMap(({ key, id }) => (id === undefined ? [key] : [key, id]));
}
