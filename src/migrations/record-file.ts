/**
 * The record of migrations in a file of the repository, for servers that can't hold a record. The user must commit the
 * file: a checkout without the file does not know which migrations ran.
 */

import { join } from "node:path";
import * as z from "zod/mini";
import { makeMachineFolder } from "../disk/folders.ts";
import { readIfExists, refuseLinks } from "../disk/links.ts";
import { type LockHost, waitForLock } from "../disk/process-lock.ts";
import { clearDrafts, writeWhole } from "../disk/write-file.ts";
import { readDocument } from "../documents/document.ts";
import { invalidDocument } from "../documents/problems.ts";
import { canonicalJson } from "../schemas/json.ts";
import { measureJson } from "../schemas/json-limits.ts";
import { readParsed } from "../schemas/shape.ts";
import { sha256 } from "../base/sha256.ts";
import type { MigrationEntry, MigrationRecord } from "./record.ts";
import { damagedRecord, Entries, problemText, recordChanged, recordText } from "./record-entries.ts";

/** The name of the file in the folder of the migrations. */
export const RECORD_FILE = ".record.json";

/** The entries by `ProjectTarget.key` of their target. `.formctl/lock.json` has the same keys. */
const RecordFile = z.strictObject({
  version: z.literal(1, "must be 1: a newer formctl wrote the file. Upgrade formctl"),
  targets: z.record(z.string(), Entries),
});
type Records = { version: 1; targets: Record<string, readonly MigrationEntry[]> };

export type FileRecordOptions = {
  /** The folder of the migrations. */
  folder: string;
  /** The root of the project. Its folder `.formctl` has the lock of the file. */
  root: string;
  /** The key of the target: see `ProjectTarget.key`. */
  key: string;
  host: LockHost;
};

/**
 * Opens the record. The revision is a digest of the entries. Without entries, `read` returns the revision null, and
 * `write` returns an empty text. `write` accepts null and an empty text as the revision to replace.
 */
export function fileRecord({ folder, root, key, host }: FileRecordOptions): MigrationRecord {
  const path = join(folder, RECORD_FILE);
  const read = async () => {
    const file = await readRecordFile(path);
    const entries = Object.hasOwn(file.targets, key) ? file.targets[key]! : [];
    return { file, entries, revision: revisionOf(entries) };
  };
  return {
    where: path,
    async read() {
      const { entries, revision } = await read();
      return { entries, revision };
    },
    async write(entries, revision) {
      const runs = join(root, ".formctl", "runs");
      await makeMachineFolder(runs);
      const lock = await waitForLock(runs, { name: "migrations", file: path }, host);
      try {
        const current = await read();
        if (current.revision !== (revision || null)) throw recordChanged({ where: path });
        const targets = { ...current.file.targets, [key]: entries };
        await writeWhole(path, fileText({ version: 1, targets }), 0o666);
        await clearDrafts(folder);
        return revisionOf(entries) ?? "";
      } finally {
        await lock.release();
      }
    },
  };
}

function revisionOf(entries: readonly MigrationEntry[]): string | null {
  return entries.length === 0 ? null : sha256(canonicalJson(entries));
}

/**
 * @throws INVALID_FILE with positions
 * @throws MIGRATION_RECORD_DAMAGED if the file exceeds a limit
 * @throws FILE_UNFIT if the file is a link or can't be read
 */
async function readRecordFile(path: string): Promise<Records> {
  await refuseLinks(path);
  const text = await readIfExists(path);
  if (text === undefined) return { version: 1, targets: {} };
  const { exceeded } = measureJson(text);
  if (exceeded !== undefined) throw damagedRecord(path, `it has ${exceeded}`);
  const value = parse(text);
  if (value !== undefined && readParsed(RecordFile, value).ok) return value as Records;
  // Finding positions takes time. Only an invalid file is parsed a second time, with positions.
  const document = readDocument(text, path);
  const shape = readParsed(RecordFile, document.value);
  if (shape.ok) return document.value as Records;
  const problems = shape.problems.map((problem) => ({
    severity: "error" as const,
    code: "MIGRATION_RECORD_INVALID",
    message: `${problemText(problem)}. Restore the file from your repository`,
    path: problem.path,
    file: path,
    ...document.locate(problem.path),
  }));
  throw invalidDocument(path, text, problems);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the text of the file. The targets are sorted, so that diffs show only real changes. */
function fileText({ version, targets }: Records): string {
  const sorted = Object.entries(targets)
    .filter(([, entries]) => entries.length > 0)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `${recordText({ version, targets: Object.fromEntries(sorted) }, 2)}\n`;
}
