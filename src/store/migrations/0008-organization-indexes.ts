/**
 * Adds the organization to the index of forms by name. Each query names its organization. With this index, SQLite
 * counts the forms of an object without reading their rows.
 */

export const organizationIndexes: readonly string[] = [
  "DROP INDEX forms_by_name",
  "CREATE INDEX forms_by_name ON forms (object_id, name, created_at, id, org_id)",
];
