/** Tests the order in which answers are processed and requests are sent. */

import { expect, it } from "vitest";
import { exchange } from "../../src/client/exchange.ts";
import type { Fetch } from "../../src/client/fetch.ts";
import { tokenHider } from "../../src/client/hide-token.ts";
import { newCanary } from "../canary.ts";

it("sends the next request between two answers that arrive together", async () => {
  const events: string[] = [];
  let arrive: () => void = () => undefined;
  const together = new Promise<void>((resolve) => (arrive = resolve));
  const fetch: Fetch = async (url) => {
    events.push(`send ${new URL(url).pathname}`);
    await together;
    return { status: 204, headers: { get: () => null }, body: null };
  };
  const request = async (path: string) => {
    const sent = { url: `https://api.example.com${path}`, method: "GET", headers: {} };
    await exchange(fetch, sent, { milliseconds: 60_000, hide: tokenHider(newCanary()) });
    events.push(`process ${path}`);
  };
  const callers = ["a", "b", "c"].map(async (caller) => {
    await request(`/${caller}/1`);
    await request(`/${caller}/2`);
  });
  arrive();
  await Promise.all(callers);
  const first = ["a", "b", "c"].flatMap((caller) => [`process /${caller}/1`, `send /${caller}/2`]);
  expect(events.slice(0, 9)).toEqual(["send /a/1", "send /b/1", "send /c/1", ...first]);
});

it.each(["x", "é", "€", "😀"])(
  "requires memory before an answer of %s is decoded, and never too much",
  async (character) => {
    const bytes = Buffer.from(JSON.stringify(character.repeat(1_000)));
    const fetch: Fetch = async () => ({ status: 200, headers: { get: () => null }, body: new Blob([bytes]).stream() });
    const sent = { url: "https://api.example.com/a", method: "GET", headers: {} };
    const required: number[] = [];
    const requireMemory = (memory: number) => void required.push(memory);
    const { memory } = await exchange(fetch, sent, {
      milliseconds: 60_000,
      hide: tokenHider(newCanary()),
      requireMemory,
    });
    expect(required).toEqual([expect.closeTo((bytes.byteLength * 2) / 3), memory]);
    expect(required[0]).toBeLessThanOrEqual(memory);
  },
);
