/**
 * Converts the entries of a record to the content of a draft and back. The entries are compressed and split into parts,
 * because a server limits the size of each config. A section contains one block of text for each part. The draft is
 * valid, but it is never published.
 */

import { gzipSync } from "node:zlib";
import type { Block, DraftContent, Region } from "../schemas/draft.ts";
import { isJsonObject } from "../schemas/json.ts";
import { gunzipLimited, parseLimited } from "../schemas/json-limits.ts";
import { SCHEMA_VERSION } from "../schemas/words.ts";
import { sha256 } from "../base/sha256.ts";
import type { MigrationEntry } from "./record.ts";
import { damagedRecord, readEntries, recordText } from "./record-entries.ts";

/** The number of characters in a part. A config has at most 16 KiB. */
const PART = 12_000;
const FORMAT = 1;
const SECTION = "formctl-migrations";

const REGION: Region = { key: "main", label: "Main", layout: "grid", columns: 12, displayOrder: 0, config: {} };

/** The content of the record's layout without entries. */
export const EMPTY_RECORD: DraftContent = contentOf([]);

/**
 * Returns entries as the content of a draft.
 *
 * @param write identifies the write. If the answer is lost, the writer recognizes its content by `write`
 * @param isNew whether the record is marked as new: see MigrationRecord
 * @throws MIGRATION_INVALID if the entries exceed the limits with which a record is read
 */
export function recordContent(entries: readonly MigrationEntry[], write: string, isNew = false): DraftContent {
  const data = gzipSync(recordText(entries)).toString("base64");
  const parts = Array.from({ length: Math.ceil(data.length / PART) }, (_, index) =>
    data.slice(index * PART, (index + 1) * PART),
  );
  const children = parts.map((part, index) =>
    block(`${SECTION}-${index + 1}`, index, { type: "custom_html", data: part }),
  );
  const head = { format: FORMAT, write, parts: parts.length, sha256: sha256(data), ...(isNew && { isNew }) };
  const section = block(SECTION, 0, { type: "section", label: LABEL, ...head });
  return contentOf([{ ...section, children }]);
}

const LABEL = "The record of formctl migrate. Do not edit, publish or archive this layout.";

function block(
  id: string,
  displayOrder: number,
  { type, ...config }: { type: string } & Record<string, unknown>,
): Block {
  return { id, type, source: "system", regionKey: REGION.key, displayOrder, config };
}

function contentOf(blocks: Block[]): DraftContent {
  return {
    schemaVersion: SCHEMA_VERSION,
    regions: [REGION],
    blocks,
    stagedFieldDefinitions: [],
    scriptBindings: [],
    metadata: null,
  };
}

/**
 * Reads a record. The ids of the blocks are not used, because a server may replace them.
 *
 * @param where the record, for errors
 * @returns undefined for a content without blocks: the record of a new layout is not written yet
 * @throws MIGRATION_RECORD_DAMAGED
 */
export function readRecordContent(
  { blocks }: Pick<DraftContent, "blocks">,
  where: string,
): { entries: MigrationEntry[]; write: string; isNew: boolean } | undefined {
  const [section] = blocks;
  if (!section) return undefined;
  const { format, write, parts, sha256: digest, isNew } = section.config ?? {};
  if (typeof write !== "string" || typeof parts !== "number") throw damagedRecord(where, "it has another content");
  if (format !== FORMAT) throw damagedRecord(where, `it has the format ${String(format)}, and ${FORMAT} is supported`);
  const found = (section.children ?? []).toSorted((a, b) => (a.displayOrder ?? 0) - (b.displayOrder ?? 0));
  const data = found.map(({ config }) => (isJsonObject(config) ? String(config["data"]) : "")).join("");
  if (found.length !== parts || sha256(data) !== digest) throw damagedRecord(where, "a part of it was changed");
  return { entries: readEntries(unpack(data, where), where), write, isNew: isNew === true };
}

function unpack(data: string, where: string): unknown {
  try {
    return parseLimited(gunzipLimited(Buffer.from(data, "base64")));
  } catch (error) {
    throw damagedRecord(where, (error as Error).message);
  }
}
