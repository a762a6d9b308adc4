/** What is known beside a draft itself: the page it is for, the fields and scripts that exist. */

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
  /** How many records have a value. */
  valueCount: number;
  options: string[];
};

/** An absent member is not known: the checks that need it do not run. */
export type Known = {
  surface?: Surface;
  /** The modes that the layout serves. */
  modes?: readonly ModeWord[];
  /** The fields of the object, or the custom fields of another surface and scope. */
  fields?: readonly KnownField[];
  /** Keys and ids of the scripts that are registered. */
  scripts?: readonly string[];
};

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
