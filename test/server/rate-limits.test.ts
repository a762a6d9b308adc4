/** The limits of tokens and clients: the buckets on a clock of the test, and the limits on a real socket. */

import { describe, expect, it, onTestFinished } from "vitest";
import { serve } from "../../src/composition/serve.ts";
import { Buckets, openRateLimits } from "../../src/server/rate-limits.ts";
import { formatToken, TOKEN_BYTES } from "../../src/base/secret.ts";
import { bearer } from "./scene.ts";
import { openServerWorld } from "./server-world.ts";

describe("a bucket", () => {
  it("allows its burst at once and its rate in the long run", () => {
    const clock = { now: 0 };
    const buckets = new Buckets({ rate: 10, burst: 20, now: () => clock.now });
    const taken = () => Array.from({ length: 100 }, () => buckets.take("one")).filter(Boolean).length;
    expect(taken()).toBe(20);
    clock.now += 500;
    expect([taken(), buckets.take("other")]).toEqual([5, true]);
    clock.now += 60_000;
    expect(taken()).toBe(20);
    let total = 0;
    for (let step = 0; step < 10_000; step++) {
      clock.now += 1;
      if (buckets.take("one")) total++;
    }
    expect(total).toBe(100);
  });

  it("is forgotten when it is full again, and when too many keys have one", () => {
    const clock = { now: 0 };
    const buckets = new Buckets({ rate: 1, burst: 2, now: () => clock.now, maxKeys: 3 });
    buckets.take("a");
    expect(buckets.has("a")).toBe(true);
    clock.now += 1_000;
    expect(buckets.has("a")).toBe(false);
    for (const key of ["a", "b", "c", "a", "d"]) buckets.take(key);
    expect(["a", "b", "c", "d"].map((key) => buckets.has(key))).toEqual([true, false, true, true]);
  });
});

describe("the limit of failed authentications", () => {
  const open = () => {
    const clock = { now: 0 };
    const limits = openRateLimits({ perSecond: 0, now: () => clock.now });
    const fail = (client: string) => {
      if (limits.refuses(client, "Bearer wrong")) return false;
      limits.countLookup(client, "Bearer wrong", false);
      return true;
    };
    const failures = (client: string) => Array.from({ length: 100 }, () => fail(client)).filter(Boolean).length;
    return { clock, limits, failures };
  };

  it("is 20 at once and 1 per second for each client", () => {
    const { clock, failures } = open();
    expect([failures("192.0.2.1"), failures("192.0.2.2")]).toEqual([20, 20]);
    clock.now += 3_000;
    expect(failures("192.0.2.1")).toBe(3);
  });

  it("counts an IPv6 network of 64 bits as one client", () => {
    const { failures } = open();
    expect([failures("2001:db8::1"), failures("2001:db8::2"), failures("2001:db8:0:1::1")]).toEqual([20, 0, 20]);
  });

  it("does not affect a token of the same address that has been accepted since the first failure", () => {
    const { limits, failures } = open();
    limits.countLookup("192.0.2.1", "Bearer wrong", false);
    limits.countLookup("192.0.2.1", "Bearer known", true);
    failures("192.0.2.1");
    expect(limits.refuses("192.0.2.1", "Bearer known")).toBe(false);
    expect(limits.refuses("192.0.2.1", "Bearer new")).toBe(true);
    // The token is revoked.
    limits.countLookup("192.0.2.1", "Bearer known", false);
    expect(limits.refuses("192.0.2.1", "Bearer known")).toBe(true);
  });
});

describe("a server", () => {
  async function open(options: { behindProxy?: boolean; rateLimit?: number }) {
    const world = await openServerWorld();
    let lookUps = 0;
    const local = {
      ...world.local,
      // Without a version of the data, no answer would be cached.
      version: () => 1,
      authenticate: (...call: Parameters<typeof world.local.authenticate>) => {
        lookUps++;
        return world.local.authenticate(...call);
      },
    };
    const lines: string[] = [];
    const write = (text: string) => void lines.push(...text.trimEnd().split("\n"));
    const served = await serve(local, { host: "127.0.0.1", port: 0, version: "test", write, ...options });
    onTestFinished(() => served.stop());
    const ask = async (token: string, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${served.url}/v1/currencies`, { headers: { ...bearer(token), ...headers } });
      return { status: answer.status, after: answer.headers.get("retry-after"), body: (await answer.json()) as object };
    };
    const log = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    return { world, ask, log, lookUps: () => lookUps };
  }

  const statuses = async (count: number, ask: () => Promise<{ status: number }>) => {
    const counts: Record<number, number> = {};
    for (let times = 0; times < count; times++) {
      const { status } = await ask();
      counts[status] = (counts[status] ?? 0) + 1;
    }
    return counts;
  };

  it("refuses requests of a token beyond its rate, also those with a cached answer, and accepts other tokens", async () => {
    const { world, ask, log } = await open({ rateLimit: 5 });
    const [busy, other] = [await world.token("northwind"), await world.token("northwind")];
    const started = performance.now();
    // The first answer is cached, and equals the others.
    const answers = [await ask(busy), ...(await Promise.all(Array.from({ length: 60 }, () => ask(busy))))];
    const seconds = (performance.now() - started) / 1000;
    const accepted = answers.filter(({ status }) => status === 200);
    // The limit accepts a burst of 10 requests, and 5 more in each second of the test.
    expect(accepted.length).toBeGreaterThanOrEqual(10);
    expect(accepted.length).toBeLessThanOrEqual(10 + Math.ceil(5 * seconds));
    const refused = answers.find(({ status }) => status === 429);
    const error = { code: "RATE_LIMITED", message: "the token sends too many requests" };
    expect(refused).toEqual({ status: 429, after: "1", body: { error } });
    expect((await ask(other)).status).toBe(200);
    await expect
      .poll(() => log().find(({ status }) => status === 429))
      .toMatchObject({ limited: "token", organization: "northwind" });
  });

  it("refuses nothing without a limit (control)", async () => {
    const { world, ask } = await open({});
    const token = await world.token("northwind");
    expect(await statuses(60, () => ask(token))).toEqual({ 200: 60 });
  });

  it("looks up no more tokens of a client that fails too often, behind a proxy by the address that the proxy adds", async () => {
    const { world, ask, lookUps, log } = await open({ behindProxy: true, rateLimit: 0 });
    const token = await world.token("northwind");
    const guess = (() => {
      let count = 0;
      return () => formatToken(Buffer.alloc(TOKEN_BYTES, ++count));
    })();
    // The client writes the first address itself, so the server must ignore it.
    let hop = 0;
    const attack = () => ask(guess(), { "x-forwarded-for": `198.51.100.${++hop % 250}, 192.0.2.1` });
    const counts = await statuses(60, attack);
    expect(counts[401]! + counts[429]!).toBe(60);
    expect(counts[429]).toBeGreaterThan(20);
    expect(lookUps()).toBe(counts[401]);
    // The client gets another attempt each second. Right after its use, the server refuses the client again.
    while ((await attack()).status !== 401);
    expect((await ask(token, { "x-forwarded-for": "192.0.2.1" })).status).toBe(429);
    expect((await ask(token, { "x-forwarded-for": "192.0.2.2" })).status).toBe(200);
    await expect
      .poll(() => log().find(({ status }) => status === 429))
      .toMatchObject({ limited: "client", client: "192.0.2.1" });
  });

  it("ignores X-Forwarded-For without a proxy", async () => {
    const { ask, log } = await open({ rateLimit: 1 });
    await ask("wrong", { "x-forwarded-for": "192.0.2.1" });
    await expect.poll(() => log().map(({ client }) => client)).toEqual(["127.0.0.1"]);
  });
});
