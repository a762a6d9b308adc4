/** A server whose requests fail on purpose, behind a network that fails too. */

import { serviceHandler } from "../../src/composition/serve.ts";
import type { LocalService } from "../../src/local-service.ts";
import { openFaults } from "../../src/server/faults.ts";
import { listen } from "../../src/server/listen.ts";
import type { Chaos } from "./faults.ts";
import { startNetwork } from "./network.ts";

export type ChaosServer = {
  url: string;
  /** The number of requests, and the number of faults. */
  counts(): { requests: number; faults: number };
  /** Decides the faults of later requests. Initially, there are none. */
  set(chaos: Chaos): void;
  /** Waits until the server has answered all requests. */
  idle(): Promise<void>;
  close(): Promise<void>;
};

export async function startChaos(local: LocalService): Promise<ChaosServer> {
  let chaos: Chaos = {};
  let served = 0;
  const faults = openFaults({ list: [], seed: 0, onFault: () => served++ });
  const handler = serviceHandler(local, {
    host: "127.0.0.1",
    version: "test",
    faults: { ...faults, next: (name) => chaos.served?.(name) },
  });
  const server = await listen({ host: "127.0.0.1", port: 0, handler });
  const network = await startNetwork(server.url, (request) => chaos.network?.(request));
  return {
    url: network.url,
    counts: () => ({ requests: network.counts.requests, faults: network.counts.faults + served }),
    set: (next) => void (chaos = next),
    idle: () => network.idle(),
    async close() {
      await network.close();
      faults.end();
      await server.stop();
    },
  };
}
