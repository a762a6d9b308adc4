/** The tables of a store on PostgreSQL, split by organization like in a distributed database. */

import { migrations } from "../../../src/store/migrations.ts";
import { type Table, tables } from "../../../src/store/tables.ts";

/** The tables that are split: their rows are always read with the organization. */
export const SPLIT_TABLES = Object.entries<Table>(tables).flatMap(([name, { isDirectory }]) =>
  isDirectory ? [] : [name],
);

/** Returns the statements that create a schema in which each table has `parts` parts. */
export function splitSchema(parts: number): string[] {
  return migrations
    .flatMap((migration) => migration("postgres"))
    .flatMap((statement) => {
      const table = SPLIT_TABLES.find((name) => statement.startsWith(`CREATE TABLE ${name} `));
      if (table === undefined) return [statement];
      const part = (number: number) =>
        `CREATE TABLE ${table}_${number} PARTITION OF ${table} FOR VALUES WITH (MODULUS ${parts}, REMAINDER ${number})`;
      return [`${statement} PARTITION BY HASH (org_id)`, ...Array.from({ length: parts }, (_, number) => part(number))];
    });
}
