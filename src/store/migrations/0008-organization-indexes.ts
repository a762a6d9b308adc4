/**
 * Adds the organization to the indexes of forms. Each query names its organization, so that without it in the index
 * SQLite reads the row of every form that it counts.
 */

export const organizationIndexes: readonly string[] = [
  "DROP INDEX forms_by_object",
  "CREATE INDEX forms_by_object ON forms (object_id, created_at, id, org_id)",
  "DROP INDEX forms_by_name",
  "CREATE INDEX forms_by_name ON forms (object_id, name, created_at, id, org_id)",
];
