/**
 * Serves a store, and delays each answer. The delay simulates a distant server. Benchmarks start this module as a
 * process.
 */

import { setTimeout as wait } from "node:timers/promises";
import { openLocal } from "../src/composition/local-store.ts";
import { PERMISSIONS } from "../src/schemas/words.ts";
import { serviceHandler } from "../src/composition/serve.ts";
import { listen } from "../src/server/listen.ts";

const [store = "", delay = "0"] = process.argv.slice(2);
const local = openLocal(store, () => new Date());
const { token } = await local.createToken({
  organization: "bench",
  name: "bench",
  permissions: PERMISSIONS,
  expiresAt: null,
});
const handler = serviceHandler(local, { host: "127.0.0.1", version: "bench" });
await warmUp();
let requests = 0;
let inFlight = 0;
let most = 0;
const { url } = await listen({
  host: "127.0.0.1",
  port: 0,
  async handler(request) {
    requests++;
    most = Math.max(most, ++inFlight);
    // The handling and the delay overlap: a distant server answers late, but works fast.
    try {
      const [answer] = await Promise.all([handler(request), wait(Number(delay))]);
      return answer;
    } finally {
      inFlight--;
    }
  },
});
process.send?.({ url, token });
// Reports two numbers: the requests since the previous report, and the largest number of requests in flight.
process.on("message", () => {
  process.send?.({ requests, most });
  requests = 0;
  most = 0;
});
process.on("disconnect", () => process.exit());

/**
 * Sends requests with another token, so that V8 compiles the engine before the measurement. The benchmarks measure a
 * client, and the server of a real client has run for a while.
 */
async function warmUp(): Promise<void> {
  const { token: other } = await local.createToken({
    organization: "bench",
    name: "warm-up",
    permissions: PERMISSIONS,
    expiresAt: null,
  });
  const get = async (path: string) => {
    const answer = await handler(
      new Request(`http://127.0.0.1/v1${path}`, { headers: { authorization: `Bearer ${other}` } }),
    );
    return (await answer.json()) as {
      data: { id: string; target: { moduleKey?: string; objectKey?: string } | null }[];
    };
  };
  const { data: layouts } = await get("/view-layouts");
  for (const { id, target } of layouts.slice(0, 300)) {
    await get(`/view-layouts/${id}/versions`);
    if (target?.objectKey !== undefined)
      await get(`/custom-modules/${target.moduleKey}/objects/${target.objectKey}/forms?limit=100`);
  }
}
