/** Migrations that a test defines. Their output is not redirected, and their errors have no location. */

import { FormctlError } from "../../src/base/error.ts";
import type { Migration } from "../../src/migrations/definition.ts";
import type { LoadedMigration } from "../../src/migrations/loaded.ts";

export function definedMigration(migration: Migration): LoadedMigration {
  return {
    migration,
    file: "the migration",
    call: (_member, work) => work(),
    refuse: (member, message, hint) => new FormctlError("MIGRATION_INVALID", `${member}: ${message}`, hint),
  };
}
