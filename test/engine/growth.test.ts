/** Checks that a store doesn't grow with the total number of past writes. Its size depends on the rate of writes. */

import { join } from "node:path";
import sql, { raw } from "sql-template-tag";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { randomId } from "../../src/engine/ids.ts";
import { openLocalService } from "../../src/engine/local.ts";
import { checkStore } from "../../src/store/invariants.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { temporaryFolders } from "../temporary.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const desk = { moduleKey: "office", objectKey: "desk" };
const fabrikam = {
  key: "fabrikam",
  name: "Fabrikam",
  modules: [{ key: "office", name: "Office", objects: [{ key: "desk", name: "Desk" }] }],
};

const newFolder = temporaryFolders();
let store: Store;
let now: number;
beforeEach(() => {
  now = Date.parse("2026-03-02T09:00:00Z");
});

async function openFabrikam() {
  store = openSqlite(join(newFolder(), "store.db"), { create: true });
  const local = openLocalService({ store, now: () => new Date(now), newId: randomId });
  onTestFinished(() => local.close());
  await local.seed({ organizations: [fabrikam] });
  return { local, service: await local.service() };
}

function count(table: string): Promise<number | undefined> {
  return store.read(async (tx) => {
    const found = await tx.first<{ rows: number }>(sql`SELECT CAST(COUNT(*) AS INTEGER) AS rows FROM ${raw(table)}`);
    return found?.rows;
  });
}

it("keeps one draft of a layout, and the stored responses and contents of a week", async () => {
  const { service } = await openFabrikam();
  const { viewLayoutId: layoutId } = await service.createForm({ ...desk, body: { name: "Intake", types: ["CREATE"] } });
  for (let day = 0; day < 60; day++) {
    now += DAY_MS;
    const content = { schemaVersion: 1, regions: [], blocks: [], metadata: { day } };
    await service.saveDraft({ layoutId, body: { clientMutationId: `save-${day}`, ...content } });
  }
  expect(await count("layout_versions")).toBe(1);
  // A response of exactly seven days ago is still stored.
  expect(await count("mutations")).toBe(8);
  expect(await count("layout_contents")).toBe(8);
  expect(await checkStore(store)).toEqual([]);
});

it("keeps the audit rows of 400 days, and their numbers", async () => {
  const { local, service } = await openFabrikam();
  const form = await service.createForm({ ...desk, body: { name: "Intake", types: ["CREATE"] } });
  for (let month = 0; month < 40; month++) {
    now += 30 * DAY_MS;
    await service.updateForm({ ...desk, formId: form.id, body: { name: `Intake ${month}` } });
  }
  const log = await local.log({ limit: 1000 });
  expect(log.map(({ seq }) => seq)).toEqual(Array.from({ length: 14 }, (_, index) => 41 - index));
  expect(log.every(({ at }) => Date.parse(at) >= now - 400 * DAY_MS)).toBe(true);
});

it("deletes stored responses before their audit rows", async () => {
  const { service } = await openFabrikam();
  const { id: formId, viewLayoutId: layoutId } = await service.createForm({
    ...desk,
    body: { name: "Intake", types: ["CREATE"] },
  });
  const content = { schemaVersion: 1 as const, regions: [], blocks: [] };
  await service.saveDraft({ layoutId, body: { clientMutationId: "save", ...content } });
  now += 401 * DAY_MS;
  // This write has no mutation id.
  await service.updateForm({ ...desk, formId, body: { name: "Later" } });
  expect([await count("mutations"), await count("audit")]).toEqual([0, 1]);
  expect(await checkStore(store)).toEqual([]);
});

it("deletes a long expired log over several writes", async () => {
  const { local, service } = await openFabrikam();
  const form = await service.createForm({ ...desk, body: { name: "Intake", types: ["CREATE"] } });
  const rename = (name: string) => service.updateForm({ ...desk, formId: form.id, body: { name } });
  for (let index = 0; index < 49; index++) await rename(`Intake ${index}`);
  now += 500 * DAY_MS;
  const lengths: number[] = [];
  for (let index = 0; index < 4; index++) {
    await rename(`Later ${index}`);
    lengths.push((await local.log({ limit: 1000 })).length);
  }
  expect(lengths).toEqual([31, 12, 3, 4]);
});
