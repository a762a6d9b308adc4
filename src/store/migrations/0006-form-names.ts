/** Adds an index for the forms of an object by name. So the search for a name does not read the other forms. */

export const formNames: readonly string[] = ["CREATE INDEX forms_by_name ON forms (object_id, name, created_at, id)"];
