/** The migrations of a store in their order. Both databases have the same versions. */

import { type Database, ddl, triggerDdl } from "./ddl.ts";
import { tables } from "./tables.ts";
import { triggers } from "./triggers.ts";

/**
 * Returns the statements of a migration.
 *
 * @param functionSchema see `triggerDdl`
 */
export type Migration = (database: Database, functionSchema?: string) => readonly string[];

const firstSchema: Migration = (database, functionSchema) => [
  ...Object.keys(tables).flatMap((table) => ddl(table as keyof typeof tables, database)),
  ...triggers.flatMap((trigger) => triggerDdl(trigger, database, functionSchema)),
];

/**
 * A released migration never changes. So before tables.ts or triggers.ts changes after a release, the statements of the
 * first migration become text, and another migration makes the change.
 */
export const migrations: readonly Migration[] = [firstSchema];

/** The version of a schema on which all migrations have run. */
export const SCHEMA_VERSION = migrations.length;
