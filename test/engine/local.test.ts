/** A local service on a missing store, on an empty store, and on a store with one organization. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { randomId } from "../../src/engine/ids.ts";
import { type LocalOptions, openLocalService } from "../../src/engine/local.ts";
import type { LocalService } from "../../src/local-service.ts";
import { lazyStore } from "../../src/store/lazy-store.ts";
import { PERMISSIONS } from "../../src/schemas/words.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { uploadFiles } from "../../src/store/uploads.ts";
import { serviceOf } from "../contract/service-of.ts";
import { temporaryFolders } from "../temporary.ts";

const fabrikam = {
  key: "fabrikam",
  name: "Fabrikam",
  modules: [{ key: "office", name: "Office", objects: [{ key: "desk", name: "Desk" }] }],
};
const desk = { moduleKey: "office", objectKey: "desk" };
const intake = { name: "Intake", types: ["CREATE" as const], isPublic: true };
const bytes = new TextEncoder().encode("bytes");

const newFolder = temporaryFolders();
let folder: string;
let local: LocalService;
beforeEach(() => {
  folder = newFolder();
});
afterEach(async () => {
  await local.close();
});

function open(options: { create: boolean } & Pick<LocalOptions, "files">): LocalService {
  const { create, ...rest } = options;
  const store = lazyStore(() => openSqlite(join(folder, "store.db"), { create }));
  local = openLocalService({ store, now: () => new Date("2026-03-02T09:00:00Z"), newId: randomId, ...rest });
  return local;
}

describe("a local service", () => {
  it("counts how often its store has run transactions again", async () => {
    open({ create: true });
    expect(local.retries()).toBe(0);
    await local.close();
    const store = { ...lazyStore(() => openSqlite(join(folder, "store.db"), { create: true })), retries: () => 3 };
    local = openLocalService({ store, now: () => new Date(), newId: randomId });
    expect(local.retries()).toBe(3);
  });

  it("lists currencies without a store, and creates none", async () => {
    const service = await open({ create: false }).service();
    expect(await service.listCurrencies({})).toContainEqual({ code: "EUR", name: "Euro" });
    await expect(service.listForms(desk)).rejects.toMatchObject({ code: "STORE_MISSING" });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("explains how to add an organization if there is none", async () => {
    const service = await open({ create: true }).service();
    await expect(service.listForms(desk)).rejects.toMatchObject({
      code: "ORGANIZATION_UNCLEAR",
      message: "the local store has no organization",
      hint: expect.stringContaining("formctl local seed FILE"),
    });
    expect(await local.show()).toEqual({ organizations: [] });
    expect(await local.listTokens()).toEqual([]);
  });

  it("uses the only organization if none is specified", async () => {
    const service = await open({ create: true }).service();
    await local.seed({ organizations: [fabrikam] });
    const form = await service.createForm({ ...desk, body: intake });
    expect(form.organizationId).toBe((await local.show()).organizations[0]!.id);
    const { organization } = await local.createToken({ name: "ci", permissions: [], expiresAt: null });
    expect(organization).toBe("fabrikam");
  });

  it("reports whether a response is a replay", async () => {
    const reported: boolean[] = [];
    open({ create: true });
    await local.seed({ organizations: [fabrikam] });
    const { token } = await local.createToken({ name: "ci", permissions: [...PERMISSIONS], expiresAt: null });
    const service = serviceOf((await local.authenticate(token))!, { onReplay: (isReplay) => reported.push(isReplay) });
    const body = {
      clientMutationId: "once",
      surface: "ORGANIZATION" as const,
      supportedModes: ["VIEW" as const],
      target: {},
      name: "Page",
    };
    const first = await service.createLayout({ body });
    expect(reported).toEqual([false]);
    expect(await service.createLayout({ body })).toEqual(first);
    expect(reported).toEqual([false, true]);
  });
});

describe("uploaded files", () => {
  const uploads = () => readdirSync(join(folder, "store.db.uploads"));

  it("are removed together with their form (R83)", async () => {
    const service = await open({ create: true, files: uploadFiles(join(folder, "store.db")) }).service();
    await local.seed({ organizations: [fabrikam] });
    const { id: formId } = await service.createForm({ ...desk, body: intake });
    const added = await local.addUpload({ formId, fileName: "cv.txt", bytes });
    await local.addUpload({ formId, fileName: "cv.txt", bytes });
    expect(uploads()).toHaveLength(2);
    expect(uploads()).toContain(added.id);
    await service.deleteForm({ ...desk, formId });
    expect(uploads()).toEqual([]);
  });

  it("are removed if their form is deleted while they are written", async () => {
    const files = uploadFiles(join(folder, "store.db"));
    const service = await open({
      create: true,
      files: {
        ...files,
        async save(id, content) {
          await service.deleteForm({ ...desk, formId });
          return files.save(id, content);
        },
      },
    }).service();
    await local.seed({ organizations: [fabrikam] });
    const { id: formId } = await service.createForm({ ...desk, body: intake });
    await expect(local.addUpload({ formId, fileName: "cv.txt", bytes })).rejects.toMatchObject({ status: 404 });
    expect(uploads()).toEqual([]);
  });

  it("are refused by a store without files", async () => {
    const service = await open({ create: true }).service();
    await local.seed({ organizations: [fabrikam] });
    const { id: formId } = await service.createForm({ ...desk, body: intake });
    await expect(local.addUpload({ formId, fileName: "cv.txt", bytes })).rejects.toMatchObject({
      code: "STORE_UNUSABLE",
    });
  });
});
