/** A server, a fault-injecting proxy, and a client that uses the proxy. */

import { onTestFinished } from "vitest";
import { httpService } from "../../src/client/http-service.ts";
import { undiciFetch } from "../../src/client/undici-fetch.ts";
import { PERMISSIONS } from "../../src/schemas/words.ts";
import { Secret } from "../../src/base/secret.ts";
import { serviceHandler } from "../../src/composition/serve.ts";
import { listen } from "../../src/server/listen.ts";
import type { Violation } from "../../src/local-service.ts";
import type { Service } from "../../src/service.ts";
import { engineOnSqlite } from "../contract/engine-provider.ts";
import { blindService } from "./blind-service.ts";
import { type ChaosProxy, startProxy } from "./chaos-proxy.ts";
import { type Fault, randomFault } from "./faults.ts";
import { type Random, seeded } from "../../src/base/seeded-random.ts";
import type { Report, Stage } from "./write-script.ts";

export type ChaosScene = Stage & { proxy: ChaosProxy; openClient: () => Service; blind: Service; token: string };

const FAULT_RATE = 0.35;
/** The maximum number of scenes that run concurrently. A scene mostly waits. */
const LANES = 12;
/** The minimum number of runs of a scene. The first requests of all scenes compete, and more of them time out. */
const RUNS_PER_SCENE = 4;

export type Played = {
  reports: (Report & { seed: number })[];
  requests: number;
  faults: number;
  /** The violated invariants of the stores after all runs. */
  violations: Violation[];
};

/** Runs a script once for each seed. The seed determines the faults. */
export async function playSeeds(
  seeds: readonly number[],
  play: (scene: ChaosScene, seed: number) => Promise<Report[]>,
): Promise<Played> {
  const waiting = [...seeds];
  const played: Played = { reports: [], requests: 0, faults: 0, violations: [] };
  const lane = async () => {
    let random: Random = seeded(0);
    const scene = await openChaos(() => (random.next() < FAULT_RATE ? randomFault(random) : { kind: "none" }));
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      random = seeded(seed);
      // Each run has a client of its own: after a 429 with a long wait, a client sends nothing until its end.
      for (const report of await play({ ...scene, client: scene.openClient() }, seed))
        played.reports.push({ ...report, seed });
    }
    played.requests += scene.proxy.counts.requests;
    played.faults += scene.proxy.counts.faults;
    played.violations.push(...(await scene.local.check()));
  };
  await Promise.all(Array.from({ length: Math.min(LANES, Math.ceil(seeds.length / RUNS_PER_SCENE)) }, lane));
  return played;
}

/** The timeout of a request in milliseconds. A dripping answer takes longer. */
const DEADLINE = 2_000;

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
  const openClient = () =>
    httpService({
      baseUrl: proxy.url,
      token: new Secret(token),
      fetch: network.fetch,
      deadline: DEADLINE,
      now: () => new Date(),
      sleep: async () => undefined,
      random: () => 0.0137,
    });
  return {
    proxy,
    token,
    local: world.local,
    idle: () => proxy.idle(),
    direct: await world.as("northwind"),
    blind: blindService(proxy.url, token, network.fetch, DEADLINE),
    openClient,
    client: openClient(),
  };
}
