/** A server whose requests fail on purpose, behind a network that fails too. */

import { setImmediate as turn } from "node:timers/promises";
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
  const running = new Set<Promise<unknown>>();
  const server = await listen({
    host: "127.0.0.1",
    port: 0,
    handler(...request) {
      const answer = handler(...request);
      running.add(answer);
      void answer.finally(() => running.delete(answer));
      return answer;
    },
  });
  const network = await startNetwork(server.url, (request) => chaos.network?.(request));
  return {
    url: network.url,
    counts: () => ({ requests: network.counts.requests, faults: network.counts.faults + served }),
    set: (next) => void (chaos = next),
    async idle() {
      await network.idle();
      // The server may still read and carry out a request whose connection the network has reset.
      await turn();
      while (running.size > 0) await Promise.allSettled(running);
    },
    async close() {
      await network.close();
      faults.end();
      await server.stop();
    },
  };
}
