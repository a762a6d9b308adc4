/** The documentation of a field of a file, which becomes part of its JSON Schema. */

export type FieldDoc = {
  /** What the field means, including the limits that JSON Schema can't express. */
  about: string;
  /** A value that the schema accepts. */
  example: unknown;
  /** The value that applies without the field, if the schema has no default. */
  default?: unknown;
  /** The schema does not declare the field, because its parent accepts any members with any values. */
  isUndeclared?: true;
};

/** The fields of one type, by path: for example `grid.colSpan`. Items of a list have the path of the list. */
export type FieldDocs = Readonly<Record<string, FieldDoc>>;

export const doc = (about: string, example: unknown, defaultValue?: unknown): FieldDoc => ({
  about,
  example,
  ...(defaultValue !== undefined && { default: defaultValue }),
});
