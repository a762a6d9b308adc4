/** A local service over a store in a temporary file, with one organization, member, role and object. */

import { join } from "node:path";
import { randomId } from "../../src/engine/ids.ts";
import { openLocalService } from "../../src/engine/local.ts";
import type { LocalService } from "../../src/local-service.ts";
import type { FullService } from "../../src/service.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import type { Store, Tx } from "../../src/store/store.ts";
import { uploadFiles } from "../../src/store/uploads.ts";
import { temporaryFolder } from "../temporary.ts";

export const NOTE = { moduleKey: "office", objectKey: "note" };

export type NotesWorld = {
  service: FullService;
  local: LocalService;
  path: string;
  /** The queries sent since the last call. */
  queries: () => string[];
  close: () => Promise<void>;
};

export async function openNotesWorld(): Promise<NotesWorld> {
  const folder = temporaryFolder();
  const path = join(folder.path, "store.db");
  const sent: string[] = [];
  let time = Date.parse("2026-03-02T09:00:00.000Z");
  const local = openLocalService({
    store: listening(openSqlite(path, { create: true }), sent),
    // A second passes with each operation.
    now: () => new Date((time += 1000)),
    newId: randomId,
    files: uploadFiles(path),
  });
  const text = { key: "text", name: "Text", type: "TEXT" as const, required: true };
  const note = { key: "note", name: "Note", fields: [text] };
  const office = { key: "office", name: "Office" };
  const members = [{ email: "ada@office.example", name: "Ada", roles: ["clerk"] }];
  const roles = [{ key: "clerk", name: "Clerk" }];
  const modules = [{ ...office, objects: [note] }];
  await local.seed({ organizations: [{ ...office, roles, members, modules }] });
  return {
    service: await local.service(),
    local,
    path,
    queries: () => sent.splice(0),
    async close() {
      await local.close();
      folder.remove();
    },
  };
}

/** Saves and publishes a layout that shows the note's text. */
export async function publishText(service: FullService, layoutId: string): Promise<void> {
  const { draftVersionId } = await service.saveDraft({
    layoutId,
    body: {
      clientMutationId: "save",
      schemaVersion: 1,
      regions: [{ key: "main", label: "Main", layout: "grid", columns: 12 }],
      blocks: [{ type: "field", source: "dynamic_field", ref: { fieldKey: "text" }, regionKey: "main" }],
    },
  });
  await service.publishLayout({ layoutId, body: { clientMutationId: "publish", draftVersionId } });
}

function listening(store: Store, sent: string[]): Store {
  const listen = (tx: Tx): Tx => ({
    ...tx,
    all: (query) => (sent.push(query.sql), tx.all(query)),
    first: (query) => (sent.push(query.sql), tx.first(query)),
    run: (query) => (sent.push(query.sql), tx.run(query)),
    write: (query) => (sent.push(query.sql), tx.write(query)),
  });
  return {
    read: (work) => store.read((tx) => work(listen(tx))),
    write: (work, orgId) => store.write((tx) => work(listen(tx)), orgId),
    close: () => store.close(),
  };
}
