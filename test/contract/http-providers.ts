/** Runs the contract suite over HTTP, in one process and over a real socket: client → server → engine. */

import type { Fetch } from "../../src/client/fetch.ts";
import { httpService } from "../../src/client/http-service.ts";
import { undiciFetch } from "../../src/client/undici-fetch.ts";
import { PERMISSIONS } from "../../src/schemas/words.ts";
import { Secret } from "../../src/base/secret.ts";
import type { FullService } from "../../src/service.ts";
import { serviceHandler } from "../../src/composition/serve.ts";
import { listen } from "../../src/server/listen.ts";
import { type Judge, judged, openJudge } from "../server/document.ts";
import { engineOnSqlite, type EngineProvider, type EngineWorld } from "./engine-provider.ts";
import { fetchOf, type Handler } from "./in-process.ts";
import { OUR_EXTENT, type Provider } from "./provider.ts";

/** The connection of a client to a handler. */
type Line = { baseUrl: string; fetch: Fetch; close: () => Promise<void> };

let judge: Promise<Judge> | undefined;

/**
 * Returns a handler that passes requests to the servers of a world in turn. Each answer is checked against the OpenAPI
 * document. An undocumented answer fails the test.
 */
async function judgedHandler({ replicas }: EngineWorld): Promise<Handler> {
  const handlers = replicas.map((replica) => serviceHandler(replica, { host: "127.0.0.1", version: "test" }));
  let requests = 0;
  const inTurn: Handler = (request) => handlers[requests++ % handlers.length]!(request);
  return judged(await (judge ??= openJudge()), inTurn);
}

function overHttp(
  name: string,
  connect: (handler: Handler) => Promise<Line>,
  engine: EngineProvider = engineOnSqlite,
): Provider {
  return {
    name,
    ...OUR_EXTENT,
    async open() {
      const world = await engine.open();
      const { baseUrl, fetch, close } = await connect(await judgedHandler(world));
      return {
        ...world,
        async as(organization, permissions = PERMISSIONS) {
          const { token } = await world.local.createToken({
            organization,
            name: "contract",
            permissions,
            expiresAt: null,
          });
          // The cast is safe: our server answers every member, and the cases check all of them.
          return httpService({
            baseUrl,
            token: new Secret(token),
            fetch,
            deadline: 20_000,
            now: () => new Date(),
            sleep: async () => undefined,
            random: () => 0.5,
          }) as FullService;
        },
        async close() {
          await close();
          await world.close();
        },
      };
    },
  };
}

const inProcess = async (handler: Handler): Promise<Line> => ({
  baseUrl: "http://localhost",
  fetch: fetchOf(handler),
  close: async () => undefined,
});

export const httpInProcess = overHttp("HTTP, in one process", inProcess);

/** Returns a provider with all servers of a world of the engine. The servers answer in turn. */
export function httpInTurn(engine: EngineProvider): Provider {
  return overHttp("HTTP, two servers in turn", inProcess, engine);
}

export const httpOverSocket = overHttp("HTTP, over a socket", async (handler) => {
  const { url, stop } = await listen({ host: "127.0.0.1", port: 0, handler });
  const network = undiciFetch(url, {});
  return {
    baseUrl: url,
    fetch: (target, request) => network.fetch(target, request),
    async close() {
      await network.close();
      await stop();
    },
  };
});
