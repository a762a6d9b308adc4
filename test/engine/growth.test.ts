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
  for (let day = 0; day < 63; day++) {
    now += DAY_MS;
    const content = { schemaVersion: 1, regions: [], blocks: [], metadata: { day } };
    await service.saveDraft({ layoutId, body: { clientMutationId: `save-${day}`, ...content } });
  }
  // The 64th write deletes what has expired.
  expect(await count("layout_versions")).toBe(1);
  // A response of exactly seven days ago is still stored.
  expect(await count("mutations")).toBe(8);
  expect(await count("layout_contents")).toBe(8);
  expect(await checkStore(store)).toEqual([]);
});

it("keeps the audit rows of 400 days, and their numbers", async () => {
  const { local, service } = await openFabrikam();
  const form = await service.createForm({ ...desk, body: { name: "Intake", types: ["CREATE"] } });
  for (let month = 0; month < 47; month++) {
    now += 30 * DAY_MS;
    await service.updateForm({ ...desk, formId: form.id, body: { name: `Intake ${month}` } });
  }
  const log = await local.log({ limit: 1000 });
  expect(log.map(({ seq }) => seq)).toEqual(Array.from({ length: 14 }, (_, index) => 48 - index));
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
  // These writes have no mutation id. The last one is the 16th.
  for (let index = 0; index < 14; index++)
    await service.updateForm({ ...desk, formId, body: { name: `Later ${index}` } });
  expect([await count("mutations"), await count("audit")]).toEqual([0, 14]);
  expect(await checkStore(store)).toEqual([]);
});

it("uses an id again after its response has expired, before that is deleted with others", async () => {
  const { service } = await openFabrikam();
  const { viewLayoutId: layoutId } = await service.createForm({ ...desk, body: { name: "Intake", types: ["CREATE"] } });
  const save = (day: number) =>
    service.saveDraft({
      layoutId,
      body: { clientMutationId: "save", schemaVersion: 1, regions: [], blocks: [], metadata: { day } },
    });
  await save(1);
  now += 8 * DAY_MS;
  expect((await save(2)).draftVersion.metadata).toEqual({ day: 2 });
  expect(await count("mutations")).toBe(1);
  expect(await checkStore(store)).toEqual([]);
});

it("deletes a long expired log over several writes", async () => {
  const { service } = await openFabrikam();
  const form = await service.createForm({ ...desk, body: { name: "Intake", types: ["CREATE"] } });
  const rename = (name: string) => service.updateForm({ ...desk, formId: form.id, body: { name } });
  for (let index = 0; index < 399; index++) await rename(`Intake ${index}`);
  now += 500 * DAY_MS;
  const lengths: number[] = [];
  for (let index = 0; index < 32; index++) {
    await rename(`Later ${index}`);
    if (index % 16 === 15) lengths.push((await count("audit")) ?? 0);
  }
  // 400 rows expired. 320 of them are deleted with the 416th write, the others with the 432nd.
  expect(lengths).toEqual([96, 32]);
});
