/** A record of migrations that a user wrote without formctl, as the content of a draft. */

import { gzipSync } from "node:zlib";
import { MIGRATION_RECORD } from "../../src/lists/layouts.ts";
import { recordContent } from "../../src/migrations/record-content.ts";
import type { DraftContent } from "../../src/schemas/draft.ts";
import type { Service } from "../../src/service.ts";
import { sha256 } from "../../src/base/sha256.ts";

const PART = 12_000;

/** Returns the content of a draft. @param entries the JSON text of the entries, or the compressed text */
export function forgedContent(entries: string | Uint8Array): DraftContent {
  const content = recordContent([], "forged");
  const [section] = content.blocks;
  const data = Buffer.from(typeof entries === "string" ? gzipSync(entries) : entries).toString("base64");
  const parts = data.match(new RegExp(`.{1,${PART}}`, "g")) ?? [];
  const children = parts.map((part, index) => ({
    ...section!.children![0]!,
    id: `part-${index}`,
    displayOrder: index,
    config: { data: part },
  }));
  const config = { ...section!.config, parts: parts.length, sha256: sha256(data) };
  return { ...content, blocks: [{ ...section!, config, children }] };
}

/** Saves forged entries as the record of a server. Creates the layout if there is none. */
export async function forgeRecord(service: Service, text: string): Promise<void> {
  const layouts = await service.listLayouts({});
  const found = layouts.find(({ name }) => name === MIGRATION_RECORD.name);
  const body = { ...MIGRATION_RECORD, supportedModes: ["VIEW" as const], target: {} };
  const { id: layoutId } = found ?? (await service.createLayout({ body }));
  const draft = { ...forgedContent(text), schemaVersion: 1 as const, clientMutationId: crypto.randomUUID() };
  await service.saveDraft({ layoutId, body: draft });
}
