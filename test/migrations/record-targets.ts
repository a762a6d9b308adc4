/** Opens the record of migrations on each kind of target, for the contract of records. */

import { join } from "node:path";
import type { Fetch } from "../../src/client/fetch.ts";
import { httpService } from "../../src/client/http-service.ts";
import { undiciFetch } from "../../src/client/undici-fetch.ts";
import { type ProjectTarget, serverTarget, storeTarget } from "../../src/state/target.ts";
import { openRecord } from "../../src/migrations/open-record.ts";
import type { MigrationEntry, MigrationRecord } from "../../src/migrations/record.ts";
import { fileRecord } from "../../src/migrations/record-file.ts";
import { Secret } from "../../src/base/secret.ts";
import { serviceHandler } from "../../src/composition/serve.ts";
import { listen } from "../../src/server/listen.ts";
import type { LocalService } from "../../src/local-service.ts";
import type { Service } from "../../src/service.ts";
import { systemProcesses } from "../../src/composition/system-process.ts";
import { documentedServer } from "../contract/documented-server.ts";
import { engineOnSqlite } from "../contract/engine-provider.ts";
import { fetchOf, type Handler } from "../contract/in-process.ts";
import { liveServer } from "../contract/live-server.ts";
import { serverOf } from "../contract/server-table.ts";
import { temporaryFolder } from "../temporary.ts";

/** A target with a new, empty record. */
export type RecordWorld = {
  /** Opens the record with a state of its own, like another process. */
  open(): Promise<MigrationRecord>;
  local: LocalService;
  /** The service of the target, for a user with all permissions. */
  service: Service;
  /** The folder of the migrations. */
  folder: string;
  warnings: string[];
  close(): Promise<void>;
};

export type RecordTarget = {
  name: string;
  /** Where the record is stored. */
  holds: "store" | "layout" | "file";
  open(): Promise<RecordWorld>;
};

const ORGANIZATION = "northwind";
const processes = systemProcesses();
const host = {
  processes: async () => processes,
  sleep: async (ms: number) => new Promise<void>((end) => setTimeout(end, ms)),
};

/** @param opens opens the record: `openRecord`, or a function that always chooses the file */
async function openWorld(
  connect: (local: LocalService) => Promise<Connection>,
  opens = openRecord,
): Promise<RecordWorld> {
  const world = await engineOnSqlite.open();
  const project = temporaryFolder();
  const folder = join(project.path, "migrations");
  const warnings: string[] = [];
  const { target, service, close } = await connect(world.local);
  return {
    open: () =>
      opens({ target, folder, root: project.path, host, onWarning: ({ message }) => void warnings.push(message) }),
    local: world.local,
    service,
    folder,
    warnings,
    async close() {
      await close();
      await world.close();
      project.remove();
    },
  };
}

type Connection = { target: ProjectTarget; service: Service; close: () => Promise<void> };

async function toStore(local: LocalService): Promise<Connection> {
  const target = storeTarget({ store: "store.db", local, organization: ORGANIZATION });
  return { target, service: await target.service(), close: async () => undefined };
}

/** @param change replaces the handler of the server */
export function toServer(change: (handler: Handler) => Handler = (handler) => handler) {
  return async (local: LocalService): Promise<Connection> => {
    const handler = change(serviceHandler(local, { host: "127.0.0.1", version: "test" }));
    return connection(local, "http://localhost", fetchOf(handler), async () => undefined);
  };
}

async function toServe(local: LocalService): Promise<Connection> {
  const handler = serviceHandler(local, { host: "127.0.0.1", version: "test" });
  const { url, stop } = await listen({ host: "127.0.0.1", port: 0, handler });
  const network = undiciFetch(url, {});
  return connection(
    local,
    url,
    (to, request) => network.fetch(to, request),
    async () => {
      await network.close();
      await stop();
    },
  );
}

async function connection(
  local: LocalService,
  baseUrl: string,
  fetch: Fetch,
  close: () => Promise<void>,
): Promise<Connection> {
  const permissions = ["api.view_layouts.read", "api.view_layouts.manage"] as const;
  const { token } = await local.createToken({ organization: ORGANIZATION, name: "ci", permissions, expiresAt: null });
  const service = httpService({
    baseUrl,
    token: new Secret(token),
    fetch,
    deadline: 20_000,
    now: () => new Date(),
    sleep: async () => undefined,
    random: () => 0.5,
  });
  return { target: serverTarget({ baseUrl, service }), service, close };
}

const behind = (table: typeof liveServer.table) => (handler: Handler) => serverOf(table(), handler);

export const store: RecordTarget = { name: "a local store", holds: "store", open: () => openWorld(toStore) };
export const serve: RecordTarget = { name: "formctl serve", holds: "layout", open: () => openWorld(toServe) };
export const live: RecordTarget = {
  name: liveServer.name,
  holds: "layout",
  open: () => openWorld(toServer(behind(liveServer.table))),
};
export const documented: RecordTarget = {
  name: documentedServer.name,
  holds: "file",
  open: () => openWorld(toServer(behind(documentedServer.table))),
};
export const file: RecordTarget = {
  name: "a file",
  holds: "file",
  open: () =>
    openWorld(toServer(), async ({ target, ...options }) => fileRecord({ ...options, key: await target.key() })),
};

export const everyTarget: readonly RecordTarget[] = [store, serve, live, documented, file];

/** Opens a world on a server whose handler `change` replaces. */
export function openChangedServer(change: (handler: Handler) => Handler): Promise<RecordWorld> {
  return openWorld(toServer(change));
}

export function entry(name: string, members: Partial<MigrationEntry> = {}): MigrationEntry {
  return {
    name,
    checksum: "0".repeat(64),
    state: "done",
    startedAt: "2026-11-22T10:00:00.000Z",
    endedAt: "2026-11-22T10:00:01.000Z",
    by: "ana@build-7",
    holder: "build-7 /srv/forms",
    steps: [],
    replaced: [],
    ...members,
  };
}
