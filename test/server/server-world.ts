/** A server for one test, without a socket. Every answer is compared with the OpenAPI document. */

import { onTestFinished } from "vitest";
import { type Permission, PERMISSIONS } from "../../src/schemas/words.ts";
import { serviceHandler } from "../../src/composition/serve.ts";
import type { RequestLogEntry } from "../../src/server/request-log.ts";
import { searchOutput } from "../canary.ts";
import { engineOnSqlite } from "../contract/engine-provider.ts";
import type { ContractWorld } from "../contract/provider.ts";
import { type Judge, judged, openJudge } from "./document.ts";

export type ServerWorld = ContractWorld & {
  send: (request: Request) => Promise<Response>;
  token: (organization: string, permissions?: readonly Permission[], expiresAt?: string) => Promise<string>;
  log: RequestLogEntry[];
};

let judge: Promise<Judge> | undefined;

export async function openServerWorld(): Promise<ServerWorld> {
  const world = await engineOnSqlite.open();
  const log: RequestLogEntry[] = [];
  onTestFinished(async () => {
    searchOutput("the log of a server", { stdout: JSON.stringify(log), stderr: "" });
    await world.close();
  });
  const handler = serviceHandler(world.local, {
    host: "127.0.0.1",
    version: "test",
    log: (entry) => void log.push(entry),
  });
  return {
    ...world,
    log,
    send: judged(await (judge ??= openJudge()), handler),
    async token(organization, permissions = PERMISSIONS, expiresAt) {
      const made = { organization, name: "test", permissions, expiresAt: expiresAt ?? null };
      return (await world.local.createToken(made)).token;
    },
  };
}
