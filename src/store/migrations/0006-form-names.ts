/** Adds an index for the forms of an object by name, so that a form is found by its name without reading the others. */

export const formNames: readonly string[] = ["CREATE INDEX forms_by_name ON forms (object_id, name, created_at, id)"];
