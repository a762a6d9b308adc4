/** A server, a proxy that means harm in front of it, and a client behind that. */

import { onTestFinished } from "vitest";
import { httpService } from "../../src/client/http-service.ts";
import { undiciFetch } from "../../src/client/undici-fetch.ts";
import { PERMISSIONS } from "../../src/schemas/words.ts";
import { Secret } from "../../src/schemas/secret.ts";
import { serviceHandler } from "../../src/serve.ts";
import { listen } from "../../src/server/listen.ts";
import type { Service } from "../../src/service.ts";
import { engineOnSqlite } from "../contract/engine-provider.ts";
import { blindService } from "./blind-service.ts";
import { type ChaosProxy, startProxy } from "./chaos-proxy.ts";
import type { Fault } from "./faults.ts";
import type { Stage } from "./write-script.ts";

export type ChaosScene = Stage & { proxy: ChaosProxy; blind: Service; token: string };

/** A dripping answer takes longer than this. */
const DEADLINE = 400;

export async function openChaos(next: (request: Buffer) => Fault): Promise<ChaosScene> {
  const world = await engineOnSqlite.open();
  const handler = serviceHandler(world.local, { host: "127.0.0.1", version: "test" });
  const server = await listen({ host: "127.0.0.1", port: 0, handler });
  const proxy = await startProxy(server.url, next);
  const network = undiciFetch(proxy.url, {});
  onTestFinished(async () => {
    await network.close();
    await proxy.close();
    await server.stop();
    await world.close();
  });
  const request = { organization: "northwind", name: "chaos", permissions: PERMISSIONS, expiresAt: null };
  const { token } = await world.local.createToken(request);
  return {
    proxy,
    token,
    local: world.local,
    idle: () => proxy.idle(),
    direct: await world.as("northwind"),
    blind: blindService(proxy.url, token, network.fetch, DEADLINE),
    client: httpService({
      baseUrl: proxy.url,
      token: new Secret(token),
      fetch: network.fetch,
      deadline: DEADLINE,
      now: () => new Date(),
      sleep: async () => undefined,
      random: () => 0.0137,
    }),
  };
}
