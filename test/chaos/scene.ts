/** A server with faults behind a network with faults, and clients of it. */

import { onTestFinished } from "vitest";
import { httpService } from "../../src/client/http-service.ts";
import { undiciFetch } from "../../src/client/undici-fetch.ts";
import { PERMISSIONS } from "../../src/schemas/words.ts";
import { Secret } from "../../src/base/secret.ts";
import type { Violation } from "../../src/local-service.ts";
import type { Service } from "../../src/service.ts";
import { engineOnSqlite } from "../contract/engine-provider.ts";
import { blindService } from "./blind-service.ts";
import { type ChaosServer, startChaos } from "./chaos-server.ts";
import { randomChaos } from "./faults.ts";
import { seeded } from "../../src/base/seeded-random.ts";
import type { Report, Stage } from "./write-script.ts";

export type ChaosScene = Stage & { server: ChaosServer; openClient: () => Service; blind: Service; token: string };

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
    const scene = await openChaos();
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      scene.server.set(randomChaos(seeded(seed), FAULT_RATE));
      // Each run has a client of its own: after a 429 with a long wait, a client sends nothing until its end.
      for (const report of await play({ ...scene, client: scene.openClient() }, seed))
        played.reports.push({ ...report, seed });
    }
    const { requests, faults } = scene.server.counts();
    played.requests += requests;
    played.faults += faults;
    played.violations.push(...(await scene.local.check()));
  };
  await Promise.all(Array.from({ length: Math.min(LANES, Math.ceil(seeds.length / RUNS_PER_SCENE)) }, lane));
  return played;
}

/** The timeout of a request in milliseconds. A dripping answer takes longer. */
const DEADLINE = 2_000;

export async function openChaos(): Promise<ChaosScene> {
  const world = await engineOnSqlite.open();
  const server = await startChaos(world.local);
  const network = undiciFetch(server.url, {});
  onTestFinished(async () => {
    await network.close();
    await server.close();
    await world.close();
  });
  const request = { organization: "northwind", name: "chaos", permissions: PERMISSIONS, expiresAt: null };
  const { token } = await world.local.createToken(request);
  const openClient = () =>
    httpService({
      baseUrl: server.url,
      token: new Secret(token),
      fetch: network.fetch,
      deadline: DEADLINE,
      now: () => new Date(),
      sleep: async () => undefined,
      random: () => 0.0137,
    });
  return {
    server,
    token,
    local: world.local,
    idle: () => server.idle(),
    direct: await world.as("northwind"),
    blind: blindService(server.url, token, network.fetch, DEADLINE),
    openClient,
    client: openClient(),
  };
}
