/** Serves a store on this machine, for programs of this machine: for rehearsals of failures, and for tests of programs. */

import type { LocalService } from "../local-service.ts";
import type { ServeRequest } from "../commands/command.ts";
import { type Permission, PERMISSIONS } from "../schemas/words.ts";
import { serve } from "./serve.ts";

export type LoopbackOptions = {
  /** The version of the program, for the API document. */
  version: string;
  /** The name of the token in the store. */
  name: string;
  /** The key of the organization of the token. Undefined for the only organization of the store. */
  organization?: string | undefined;
  /** The permissions of the token. Default: all. */
  permissions?: readonly Permission[];
  /** Default: a free port. */
  port?: number;
  faults: NonNullable<ServeRequest["faults"]>;
};

export type LoopbackServer = {
  baseUrl: string;
  token: string;
  /** The key of the organization of the token. */
  organization: string;
  /** Ends the faults: later requests have none. */
  endFaults: () => void;
  stop: () => Promise<void>;
};

/**
 * Starts the server, and creates a token for it.
 *
 * @throws ORGANIZATION_UNCLEAR
 * @throws the error of the socket, such as EADDRINUSE
 */
export async function serveOnLoopback(local: LocalService, options: LoopbackOptions): Promise<LoopbackServer> {
  const { version, name, organization: named, permissions = [...PERMISSIONS], port = 0, faults } = options;
  const { token, organization } = await local.createToken({
    ...(named !== undefined && { organization: named }),
    name,
    permissions,
    expiresAt: null,
  });
  const { url, endFaults, stop } = await serve(local, { host: "127.0.0.1", port, version, write: () => {}, faults });
  return { baseUrl: url, token, organization, endFaults, stop };
}
