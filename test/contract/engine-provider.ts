/** The contract suite on the engine itself, without HTTP in between. */

import { PERMISSIONS } from "../../src/schemas/words.ts";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { ID_PREFIX, type NewId } from "../../src/engine/ids.ts";
import { openLocalService } from "../../src/engine/local.ts";
import { openSqliteForServing } from "../../src/store/sqlite.ts";
import { uploadFiles } from "../../src/store/uploads.ts";
import { newCanary } from "../canary.ts";
import { temporaryFolder } from "../temporary.ts";
import { seededStore } from "../seeded-store.ts";
import { contractOrganizations } from "./organizations.ts";
import { serviceOf } from "./service-of.ts";
import { type ContractWorld, OUR_EXTENT, type Provider } from "./provider.ts";

const START = "2026-03-02T09:00:00.000Z";

const seed = seededStore(contractOrganizations, {
  now: () => new Date(START),
  newId: repeatableIds(repeatableBytes("seed")),
});

export const engineOnSqlite: Provider = { name: "the engine on SQLite", ...OUR_EXTENT, open };

async function open(): Promise<ContractWorld> {
  const folder = temporaryFolder();
  const path = join(folder.path, "store.db");
  await seed(path);
  const clock = standingClock(START);
  const bytes = repeatableBytes("world");
  const local = openLocalService({
    store: openSqliteForServing(path),
    files: uploadFiles(path),
    now: () => clock.now,
    newId: repeatableIds(bytes),
    newToken: () => newCanary(bytes()),
  });
  return {
    local,
    clock,
    async as(organization, permissions = PERMISSIONS) {
      const { token } = await local.createToken({ organization, name: "contract", permissions, expiresAt: null });
      const caller = await local.authenticate(token);
      if (!caller) throw new Error("a new token does not authenticate");
      return serviceOf(caller);
    },
    async close() {
      await local.close();
      folder.remove();
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

/** 32 bytes, other ones at each call and for each purpose, and the same ones in each run. */
function repeatableBytes(purpose: string): () => Buffer {
  let calls = 0;
  return () => createHash("sha256").update(`${purpose} ${++calls}`).digest();
}

/** Ids that look like the real ones. Their order means nothing, as in life: tests that list by age advance the clock. */
function repeatableIds(bytes: () => Buffer): NewId {
  return (kind) => `${ID_PREFIX[kind]}_${bytes().toString("hex").slice(0, 24)}`;
}
