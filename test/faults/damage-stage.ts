/**
 * Creates a store for damage tests. Defines the reads whose answers are checked: contents, configs, metadata, targets,
 * stored responses.
 */

import { openLocalService } from "../../src/engine/local.ts";
import { randomId } from "../../src/engine/ids.ts";
import type { LocalService } from "../../src/local-service.ts";
import type { Form } from "../../src/schemas/form.ts";
import type { Layout, LayoutVersion } from "../../src/schemas/layout.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { makeDemo } from "./loop.ts";

const OBJECTS = ["candidate", "placement"].map((objectKey) => ({ moduleKey: "staffing", objectKey }));
const REPEATED = {
  moduleKey: "staffing",
  objectKey: "candidate",
  body: { name: "Repeated", types: ["VIEW" as const], config: { title: "Repeated" } },
};
const KEY = "damaged-files";

export function openService(path: string): LocalService {
  return openLocalService({
    store: openSqlite(path, { create: false }),
    now: () => new Date("2026-11-22T00:00:00Z"),
    newId: randomId,
  });
}

/** Creates the demo store, with metadata on each layout and a stored response. */
export async function setDamageStage(folder: string, path: string): Promise<void> {
  makeDemo(folder, path);
  const local = openService(path);
  const service = await local.service("northwind");
  for (const { id } of await service.listLayouts({ query: {} }))
    await service.updateLayout({ layoutId: id, body: { metadata: { team: "forms", note: `of ${id}` } } });
  await service.createForm(REPEATED, { idempotencyKey: KEY });
  await local.close();
}

/** A read of a store. It returns the compared part of each record, by the id of the record. */
export type Reading = { name: string; read: () => Promise<Map<string, unknown>> };

const partOfForm = ({ id, objectId, name, isActive, isPublic, publicToken, config, createdAt, updatedAt }: Form) =>
  [id, { id, objectId, name, isActive, isPublic, publicToken, config, createdAt, updatedAt }] as const;
const partOfLayout = ({ id, surface, target, name, metadata, createdAt }: Layout) =>
  [id, { id, surface, target, name, metadata, createdAt }] as const;
/** The status is left out, because the hash of a version does not cover the status. */
const partOfVersion = (version: LayoutVersion) => [version.id, { ...version, status: undefined }] as const;

/** Returns the reads of a store. @param ids the ids that the undamaged store returns */
export async function readings(local: LocalService, ids: Known): Promise<Reading[]> {
  const service = await local.service("northwind");
  return [
    ...OBJECTS.map((object) => ({
      name: `listForms ${object.objectKey}`,
      read: async () => new Map((await service.listForms({ ...object, query: { limit: 100 } })).data.map(partOfForm)),
    })),
    ...ids.forms.map((formId) => ({
      name: `getForm ${formId}`,
      read: async () => new Map([partOfForm(await service.getForm({ ...OBJECTS[0]!, formId }))]),
    })),
    { name: "listLayouts", read: async () => new Map((await service.listLayouts({ query: {} })).map(partOfLayout)) },
    ...ids.layouts.map((layoutId) => ({
      name: `getLayout ${layoutId}`,
      read: async () => new Map([partOfLayout(await service.getLayout({ layoutId }))]),
    })),
    ...ids.versions.map(([layoutId, versionId]) => ({
      name: `getVersion ${versionId}`,
      read: async () => new Map([partOfVersion(await service.getVersion({ layoutId, versionId }))]),
    })),
    {
      name: "stored response",
      read: async () => {
        let isReplayed = false;
        const onReplay = (isReplay: boolean) => void (isReplayed = isReplay);
        const form = await service.createForm(REPEATED, { idempotencyKey: KEY, onReplay });
        return isReplayed ? new Map([["response", form]]) : new Map();
      },
    },
  ];
}

export type Known = { forms: string[]; layouts: string[]; versions: [layoutId: string, versionId: string][] };

export async function knownIds(local: LocalService): Promise<Known> {
  const service = await local.service("northwind");
  const forms = (await service.listForms({ ...OBJECTS[0]!, query: { limit: 100 } })).data.map(({ id }) => id);
  const own = (await service.listLayouts({ query: {} })).map(({ id }) => id);
  const versions: Known["versions"] = [];
  for (const layoutId of own)
    for (const { id } of await service.listVersions({ layoutId })) versions.push([layoutId, id]);
  return { forms, layouts: own, versions };
}
