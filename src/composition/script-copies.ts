/** Copies a target for the commands of a rehearsed script: as a file, or on servers of this machine. */

import { copyFileSync } from "node:fs";
import { join } from "node:path";
import type { ScriptCopies, ScriptCopyOptions } from "../commands/command.ts";
import type { Host } from "../base/host.ts";
import type { LocalService } from "../local-service.ts";
import { copyWholeServer, type ServerCopyOptions } from "../rehearsal/whole-server.ts";
import { openLocal } from "./local-store.ts";
import type { OpenLocalTarget } from "./local-target.ts";
import { serveOnLoopback } from "./loopback.ts";
import { openServerCopy } from "./target-copy.ts";

type CopyOptions = Pick<Host, "now"> & { version: string };

/**
 * Copies a local store once, into a file in `folder`. Each served copy is a copy of this file. A missing store is not
 * copied: the script may create the store.
 *
 * @param organization the organization to copy from a PostgreSQL database. Undefined if the database has only one
 *   organization. A store file is copied with all organizations
 * @throws StoreError if the store can't be read
 */
export async function copyStore(
  { copyTo }: Pick<OpenLocalTarget, "copyTo">,
  organization: string | undefined,
  options: CopyOptions & Pick<ScriptCopyOptions, "concurrency"> & { folder: string },
): Promise<ScriptCopies> {
  const { folder, now } = options;
  const store = join(folder, "store.db");
  const { uploads } = await copyTo(store, organization);
  let copies = 0;
  return {
    unknown: uploads > 0 ? ["the contents of uploaded files: the copy has only their records"] : [],
    uncertain: [],
    open: async () => ({ copy: { kind: "local", store }, close: async () => undefined }),
    serve(faults) {
      const path = join(folder, `copy-${++copies}.db`);
      copyFileSync(store, path);
      return serveCopy(openLocal(path, now, { serves: true }), organization, options, faults);
    },
  };
}

/**
 * Reads a server once. Each copy has its records, in memory. The token of a copy is valid for this copy only, and has
 * all permissions.
 *
 * @throws the errors of reading the server
 */
export async function copyServer(options: CopyOptions & ServerCopyOptions): Promise<ScriptCopies> {
  const { seed, ...lacking } = await copyWholeServer(options);
  const serve: ScriptCopies["serve"] = async (faults) =>
    serveCopy(await openServerCopy(seed, options.now), seed.organization.key, options, faults);
  return { ...lacking, open: () => serve(), serve };
}

async function serveCopy(
  local: LocalService,
  named: string | undefined,
  { version, concurrency }: { version: string; concurrency: number },
  { list, onFault }: Parameters<ScriptCopies["serve"]>[0] = { list: [] },
): ReturnType<ScriptCopies["serve"]> {
  const server = await serveOnLoopback(local, {
    version,
    name: "rehearsal",
    organization: named,
    faults: { list, seed: 0, ...(onFault && { onFault }) },
  });
  const { baseUrl, token, organization, endFaults } = server;
  const lastSeq = async () => (await local.log({ organization, limit: 1 }))[0]?.seq ?? 0;
  let seen = await lastSeq();
  return {
    copy: { kind: "remote", baseUrl, token },
    endFaults,
    async takeWrites() {
      const from = seen;
      seen = await lastSeq();
      const entries = await local.log({ organization, limit: Math.max(1, seen - from) });
      return entries.filter(({ seq }) => seq > from).map(({ operation }) => operation);
    },
    async seed() {
      const service = await local.service(organization);
      return (await copyWholeServer({ service, organization: undefined, nameOf: () => undefined, concurrency })).seed;
    },
    async close() {
      await server.stop();
      await local.close();
    },
  };
}
