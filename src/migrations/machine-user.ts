/** Names the user and the machine that run migrations, for the record and for messages. */

import type { Host } from "../base/host.ts";

/** Returns a text such as `ana@build-7`. */
export async function machineUser({ env, processes }: Pick<Host, "env" | "processes">): Promise<string> {
  const { USER, LOGNAME, USERNAME } = env;
  const { self } = await processes();
  return `${USER || LOGNAME || USERNAME || "unknown"}@${self.host}`;
}
