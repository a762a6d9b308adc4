/** Checks the entries of a record after reading. Users and other programs can change any record. */

import * as z from "zod/mini";
import { FormctlError } from "../base/error.ts";
import { measureJson } from "../schemas/json-limits.ts";
import { readParsed, type ShapeProblem } from "../schemas/shape.ts";
import type { MigrationEntry, MigrationRecord } from "./record.ts";

// Unknown members are kept, because a newer formctl may have written them.
const Step = z.looseObject({ name: z.string(), answer: z.unknown(), at: z.string() });
const FormerDraft = z.looseObject({ draft: z.unknown(), sha256: z.string(), written: z.string() });
const Replaced = z.looseObject({
  address: z.string(),
  kind: z.enum(["Form", "Layout"]),
  layoutId: z.string(),
  formId: z.exactOptional(z.string()),
  publishedVersionId: z.nullable(z.string()),
  members: z.exactOptional(z.record(z.string(), z.unknown())),
  draft: z.exactOptional(z.unknown()),
  rebased: z.exactOptional(FormerDraft),
  formerDraft: z.exactOptional(FormerDraft),
  sha256: z.exactOptional(z.string()),
  written: z.looseObject({
    sha256: z.exactOptional(z.string()),
    members: z.exactOptional(z.record(z.string(), z.string())),
  }),
  lost: z.exactOptional(z.array(z.string())),
});
const Entry = z.looseObject({
  name: z.string(),
  checksum: z.string(),
  state: z.enum(["running", "done", "baseline", "reverting"]),
  startedAt: z.string(),
  endedAt: z.exactOptional(z.string()),
  by: z.string(),
  holder: z.string(),
  heldUntil: z.exactOptional(z.string()),
  steps: z.array(Step),
  downSteps: z.exactOptional(z.array(Step)),
  replaced: z.array(Replaced),
});

export const Entries = z.array(Entry);

/**
 * Checks and returns the entries of a record that was parsed from JSON. The answer of a step may contain text that the
 * API refuses, such as U+0000. Such text is accepted.
 *
 * @param where the record, for the error
 * @throws MIGRATION_RECORD_DAMAGED
 */
export function readEntries(value: unknown, where: string): MigrationEntry[] {
  const shape = readParsed(Entries, value);
  if (!shape.ok) throw damagedRecord(where, problemText(shape.problems[0]!));
  return value as MigrationEntry[];
}

/**
 * Returns a record as JSON text.
 *
 * @param space the indentation, see JSON.stringify
 * @throws MIGRATION_INVALID if the text exceeds a limit. A record with this text could not be read again
 */
export function recordText(record: unknown, space?: number): string {
  const text = JSON.stringify(record, null, space);
  const { exceeded } = measureJson(text);
  if (exceeded === undefined) return text;
  throw new FormctlError(
    "MIGRATION_INVALID",
    `the record of migrations can't be written: it would have ${exceeded}`,
    "Return shorter answers from steps, or change fewer layouts in one migration. To remove entries of old migrations, delete their files: formctl migrate repair --allow-delete",
  );
}

export function problemText({ path, message }: ShapeProblem): string {
  return path === "" ? `the record ${message}` : `${path} ${message}`;
}

/** Creates the error for a record that formctl can't read. */
export function damagedRecord(where: string, reason: string): FormctlError {
  return new FormctlError(
    "MIGRATION_RECORD_DAMAGED",
    `the record of migrations in ${where} can't be read: ${reason}`,
    "Another program changed it, or a newer formctl wrote it. Restore it, or upgrade formctl.",
  );
}

/** Creates the error for a record that another process has changed since it was read. */
export function recordChanged({ where }: Pick<MigrationRecord, "where">): FormctlError {
  return new FormctlError(
    "MIGRATIONS_CHANGED",
    `another process changed the record of migrations in ${where}`,
    "Show the current state, then run the command again: formctl migrate status",
  );
}

/** Creates the error for a record that another user renamed, emptied or archived. */
export function lostRecord(fact: string, restore?: string): FormctlError {
  const renew =
    "To begin a new record, add --allow-delete to formctl migrate repair, and declare the migrations that ran: formctl migrate baseline NAME";
  return new FormctlError(
    "MIGRATION_RECORD_LOST",
    `the record of migrations is missing: ${fact}`,
    restore === undefined ? renew : `${restore}\n${renew}`,
  );
}
