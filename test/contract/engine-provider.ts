/** Runs the contract suite on the engine, without HTTP. */

import { PERMISSIONS } from "../../src/schemas/words.ts";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { ID_PREFIX, type NewId } from "../../src/engine/ids.ts";
import { openLocalService } from "../../src/engine/local.ts";
import { openSqliteForServing } from "../../src/store/sqlite.ts";
import type { LocalService } from "../../src/local-service.ts";
import type { Store } from "../../src/store/store.ts";
import { uploadFiles } from "../../src/store/uploads.ts";
import { newCanary } from "../canary.ts";
import { temporaryFolder } from "../temporary.ts";
import { seededStore } from "../seeded-store.ts";
import { contractOrganizations } from "./organizations.ts";
import { serviceOf } from "./service-of.ts";
import { type ContractWorld, OUR_EXTENT, type Provider } from "./provider.ts";

const START = "2026-03-02T09:00:00.000Z";

/** The options of the stores that are copied for each test. */
export const SEEDING = { now: () => new Date(START), newId: repeatableIds(repeatableBytes("seed")) };

const seed = seededStore(contractOrganizations, SEEDING);

export const engineOnSqlite: EngineProvider = {
  name: "the engine on SQLite",
  ...OUR_EXTENT,
  isEngine: true,
  async open() {
    const folder = temporaryFolder();
    const path = join(folder.path, "store.db");
    await seed(path);
    return engineWorld([openSqliteForServing(path)], path, async () => folder.remove());
  },
};

/** A world with one or more server processes on its store. */
export type EngineWorld = ContractWorld & { replicas: readonly LocalService[] };
export type EngineProvider = Omit<Provider, "open"> & { open(): Promise<EngineWorld> };

/**
 * A world of the engine on an open store that contains the organizations.
 *
 * @param stores the same store, opened once per process
 * @param path uploaded files are kept next to this path
 * @param remove called after the store is closed
 */
export function engineWorld(stores: readonly Store[], path: string, remove: () => Promise<void>): EngineWorld {
  const clock = standingClock(START);
  const bytes = repeatableBytes("world");
  const replicas = stores.map((store) =>
    openLocalService({
      store,
      files: uploadFiles(path),
      now: () => clock.now,
      newId: repeatableIds(bytes),
      newToken: () => newCanary(bytes()),
    }),
  );
  const local = replicas[0]!;
  return {
    local,
    replicas,
    clock,
    async as(organization, permissions = PERMISSIONS) {
      const { token } = await local.createToken({ organization, name: "contract", permissions, expiresAt: null });
      const caller = await local.authenticate(token);
      if (!caller) throw new Error("a new token does not authenticate");
      return serviceOf(caller);
    },
    async close() {
      for (const replica of replicas) await replica.close();
      await remove();
    },
  };
}

function standingClock(start: string): ContractWorld["clock"] {
  return {
    now: new Date(start),
    advance(milliseconds) {
      this.now = new Date(this.now.getTime() + milliseconds);
    },
  };
}

/**
 * Returns a function that returns 32 bytes. The bytes differ for each call and each purpose. They are the same in each
 * run.
 */
function repeatableBytes(purpose: string): () => Buffer {
  let calls = 0;
  return () => createHash("sha256").update(`${purpose} ${++calls}`).digest();
}

/** Returns ids that look real. Their order has no meaning, so tests of an order by age advance the clock. */
function repeatableIds(bytes: () => Buffer): NewId {
  return (kind) => `${ID_PREFIX[kind]}_${bytes().toString("hex").slice(0, 24)}`;
}
