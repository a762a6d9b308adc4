/**
 * A second migration, which only tests have. It gives each form a color and each field a note, and writes the hash of
 * each field. On SQLite, it rebuilds the table of forms.
 */

import { ddl } from "../../src/store/ddl.ts";
import type * as Migrations from "../../src/store/migrations.ts";
import { hashedColumns } from "../../src/store/record-hash.ts";
import { columnsOf } from "../../src/store/tables.ts";

/** Adds the migration to the module src/store/migrations.ts, for `vi.mock`. */
export async function withInvented(original: () => Promise<typeof Migrations>): Promise<typeof Migrations> {
  const { migrations } = await original();
  const all: readonly Migrations.Migration[] = [...migrations, invented];
  return { migrations: all, SCHEMA_VERSION: all.length };
}

const invented: Migrations.Migration = (database) => {
  const color = "color TEXT NOT NULL DEFAULT 'gray'";
  const note = "ALTER TABLE fields ADD COLUMN note TEXT NOT NULL DEFAULT ''";
  if (database === "postgres") return [`ALTER TABLE forms ADD COLUMN ${color}`, note];
  const [table, ...indexes] = ddl("forms", "sqlite");
  return [
    table!
      .replace("CREATE TABLE forms", "CREATE TABLE forms_new")
      .replace("  PRIMARY KEY", `  ${color},\n  PRIMARY KEY`),
    `INSERT INTO forms_new SELECT ${columnsOf("forms").join(", ")}, 'gray' FROM forms`,
    "DROP TABLE forms",
    "ALTER TABLE forms_new RENAME TO forms",
    ...indexes,
    note,
    `UPDATE fields SET record_hash = record_hash(${hashedColumns("fields")})`,
  ];
};
