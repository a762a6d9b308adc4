/** Defines the catalog of a layout: its surface, modes, fields and scripts. The checks of a draft use the catalog. */

import { type ModeWord, SURFACES } from "./words.ts";
import type { Surface } from "./layout.ts";
import type { SeedField, SeedOrganization } from "./organization.ts";

export type CatalogField = {
  id: string;
  key: string;
  name: string;
  type: string;
  isRequired: boolean;
  hasDefault: boolean;
  /** The number of records with a value. */
  valueCount: number;
  options: string[];
  /** The currency of a CURRENCY field, such as `EUR`. */
  currency?: string;
};

/** What is known about a layout. An absent member is unknown, and checks that need this member do not run. */
export type LayoutCatalog = {
  surface?: Surface;
  modes?: readonly ModeWord[];
  /** For DYNAMIC_OBJECT, the fields of the object. For any other surface, the custom fields of surface and scope. */
  fields?: readonly CatalogField[];
  /** The keys and ids of registered scripts. */
  scripts?: readonly string[];
};

/** The part of an organization that catalogs are created from. The organization comes from a file or a store. */
export type OrganizationCatalog = Pick<SeedOrganization, "modules" | "customFields" | "scripts">;

/** The surface and target of a layout. */
export type FieldScope = { surface?: string | undefined; target?: Readonly<Record<string, unknown>> | undefined };

/**
 * For DYNAMIC_OBJECT, returns the fields of the object. For any other surface, returns the custom fields of surface and
 * scope. Returns undefined if the surface or the object is unknown.
 */
export function fieldsOf(organization: OrganizationCatalog, { surface, target }: FieldScope): SeedField[] | undefined {
  if (surface === undefined) return undefined;
  if (surface !== "DYNAMIC_OBJECT") {
    const scopeId = target?.["scopeId"] ?? null;
    return organization.customFields.filter((field) => field.surface === surface && field.scopeId === scopeId);
  }
  return objectOf(organization, target?.["moduleKey"], target?.["objectKey"])?.fields;
}

export function objectOf({ modules }: Pick<OrganizationCatalog, "modules">, moduleKey: unknown, objectKey: unknown) {
  const module = modules.find(({ key }) => key === moduleKey);
  return module?.objects.find(({ key }) => key === objectKey);
}

/**
 * Returns the known facts about a layout: its surface and modes, the fields of its object, and the scripts of its
 * organization that its script bindings may name.
 *
 * @param organization undefined if the fields and scripts are unknown
 */
export function catalogOf(
  layout: FieldScope & { modes?: readonly ModeWord[] | undefined },
  organization: OrganizationCatalog | undefined,
): LayoutCatalog {
  const surface = SURFACES.find((one) => one === layout.surface);
  const fields = organization && fieldsOf(organization, layout);
  return {
    ...(surface && { surface }),
    ...(layout.modes && { modes: layout.modes }),
    ...(fields && { fields: fields.map(toCatalogField) }),
    ...(organization && { scripts: scriptNames(organization) }),
  };
}

/** Converts a field of an organization. The id is empty if the organization file specifies none. */
export function toCatalogField(field: SeedField): CatalogField {
  const { id = "", key, name, type, valueCount = 0, options, config } = field;
  return {
    id,
    key,
    name,
    type,
    isRequired: field.required,
    hasDefault: field.default != null,
    valueCount,
    options,
    ...currencyIn(config),
  };
}

/** Returns the currency in the config of a field, as a member of {@link CatalogField}. */
export function currencyIn(config: Readonly<Record<string, unknown>>): Pick<CatalogField, "currency"> {
  const { currency } = config;
  return typeof currency === "string" ? { currency } : {};
}

/** Returns the names by which bindings refer to scripts: keys and ids. */
export function scriptNames({ scripts }: Pick<OrganizationCatalog, "scripts">): string[] {
  return scripts.flatMap(({ key, id }) => (id === undefined ? [key] : [key, id]));
}
