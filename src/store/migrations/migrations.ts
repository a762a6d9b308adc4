/** The ordered steps from an empty database to the present schema. A step that has been released never changes. */

import { initial } from "./0001-initial.ts";
import { idempotencyKeys } from "./0002-idempotency-keys.ts";
import { layoutContents } from "./0003-layout-contents.ts";
import { recordHashes } from "./0004-record-hashes.ts";
import type { Dialect } from "./dialect.ts";

export const migrations: readonly ((dialect: Dialect) => string[])[] = [
  initial,
  idempotencyKeys,
  layoutContents,
  recordHashes,
];

/** The schema version of a database on which every step has run. */
export const SCHEMA_VERSION = migrations.length;
