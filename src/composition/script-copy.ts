/** Opens a copy of the target for the commands of a rehearsed script. */

import { join } from "node:path";
import type { OpenLocalTarget } from "./local-target.ts";
import type { ScriptCopy } from "../commands/command.ts";
import { copyWholeServer, type ServerCopyOptions } from "../rehearsal/whole-server.ts";
import { PERMISSIONS } from "../schemas/words.ts";
import { serve } from "./serve.ts";
import { openServerCopy } from "./target-copy.ts";

/**
 * Copies a local store into a file in `folder`. A missing store is not copied: the script may create the store.
 *
 * @param organizationKey the organization to copy from a PostgreSQL database. Undefined if the database has only one
 *   organization. A store file is copied with all organizations
 * @throws StoreError if the store can't be read
 */
export async function copyStore(
  { copyTo }: Pick<OpenLocalTarget, "copyTo">,
  folder: string,
  organizationKey: string | undefined,
): Promise<ScriptCopy> {
  const store = join(folder, "store.db");
  const { uploads } = await copyTo(store, organizationKey);
  return {
    copy: { kind: "local", store },
    unknown: missingUploads(uploads),
    uncertain: [],
    close: async () => undefined,
  };
}

/** Returns what the copy of a store file lacks. */
export function missingUploads(uploads: number): string[] {
  return uploads > 0 ? ["the contents of uploaded files: the copy has only their records"] : [];
}

/**
 * Reads a server into a store in memory. Serves this store on this machine until `close` is called. The token in the
 * result is valid for the copy only, and has all permissions.
 *
 * @throws the errors of reading the server
 */
export async function copyServer({
  version,
  now,
  ...options
}: ServerCopyOptions & { version: string; now: () => Date }): Promise<ScriptCopy> {
  const { seed, ...lacking } = await copyWholeServer(options);
  const local = await openServerCopy(seed, now);
  const request = {
    organization: seed.organization.key,
    name: "rehearsal",
    permissions: [...PERMISSIONS],
    expiresAt: null,
  };
  const { token } = await local.createToken(request);
  const listening = await serve(local, { host: "127.0.0.1", port: 0, version, write: () => undefined });
  return {
    copy: { kind: "remote", baseUrl: listening.url, token },
    ...lacking,
    async close() {
      await listening.stop();
      await local.close();
    },
  };
}
