/** The knowledge that draft checks use: surface, modes, fields and scripts. */

import type { ModeWord } from "./words.ts";
import type { Surface } from "./layout.ts";
import type { SeedField, SeedOrganization } from "./organization.ts";

export type KnownField = {
  id: string;
  key: string;
  name: string;
  type: string;
  isRequired: boolean;
  hasDefault: boolean;
  /** The number of records with a value. */
  valueCount: number;
  options: string[];
};

/** An absent member is unknown: the checks that need it do not run. */
export type Known = {
  surface?: Surface;
  /** The modes of the layout. */
  modes?: readonly ModeWord[];
  /** The fields of the object, or the custom fields of another surface and scope. */
  fields?: readonly KnownField[];
  /** The keys and ids of registered scripts. */
  scripts?: readonly string[];
};

/** An organization as described by its file or by a store. */
export type Described = Pick<SeedOrganization, "modules" | "customFields" | "scripts">;

/** The surface and target of a layout, as far as known. */
export type FieldPlace = { surface?: string | undefined; target?: Readonly<Record<string, unknown>> | undefined };

/** The fields of the layout's object, or the custom fields of its surface and scope. Undefined for an unknown object. */
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

/** A field without an id is known only by its key. */
export function toKnownField(field: SeedField): KnownField {
  const { id = "", key, name, type, valueCount = 0, options } = field;
  return { id, key, name, type, isRequired: field.required, hasDefault: field.default != null, valueCount, options };
}

/** The names by which bindings refer to scripts. */
export function scriptNames({ scripts }: Pick<Described, "scripts">): string[] {
  return scripts.flatMap(({ key, id }) => (id === undefined ? [key] : [key, id]));
}
