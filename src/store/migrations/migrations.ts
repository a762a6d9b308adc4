/** The migrations in their order, each as SQL statements. A released migration never changes. */

import { initial } from "./0001-initial.ts";
import { idempotencyKeys } from "./0002-idempotency-keys.ts";
import { layoutContents } from "./0003-layout-contents.ts";
import { recordHashes } from "./0004-record-hashes.ts";
import { migrationRecord } from "./0005-migration-record.ts";
import { formNames } from "./0006-form-names.ts";
import { organizationKeys } from "./0007-organization-keys.ts";
import { organizationIndexes } from "./0008-organization-indexes.ts";

export const migrations: readonly (readonly string[])[] = [
  initial,
  idempotencyKeys,
  layoutContents,
  recordHashes,
  migrationRecord,
  formNames,
  organizationKeys,
  organizationIndexes,
];

/** The schema version of a database on which all migrations have run. */
export const SCHEMA_VERSION = migrations.length;
