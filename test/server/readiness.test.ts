/** Readiness: a store that fails, hangs and recovers, and a server that stops. */

import { describe, expect, it } from "vitest";
import { openReadiness } from "../../src/server/readiness.ts";

function open(patience = 30) {
  const clock = { now: 0 };
  const store = { asked: 0, answer: async (): Promise<void> => undefined };
  const changes: (string | undefined)[] = [];
  const readiness = openReadiness({
    ask() {
      store.asked++;
      return store.answer();
    },
    describe: (error) => (error as Error).message,
    now: () => clock.now,
    patience,
    onChange: (reason) => void changes.push(reason),
  });
  return { clock, store, changes, readiness };
}

describe("readiness", () => {
  it("asks the store at most once per second, and reports each change once", async () => {
    const { clock, store, changes, readiness } = open();
    expect(await Promise.all([readiness.check(), readiness.check()])).toEqual([undefined, undefined]);
    expect(await readiness.check()).toBeUndefined();
    expect([store.asked, changes]).toEqual([1, []]);
    store.answer = () => Promise.reject(new Error("the store is locked"));
    clock.now += 999;
    expect(await readiness.check()).toBeUndefined();
    for (let times = 0; times < 3; times++) {
      clock.now += 1_000;
      expect(await readiness.check()).toBe("the store is locked");
    }
    store.answer = async () => undefined;
    clock.now += 1_000;
    expect(await readiness.check()).toBeUndefined();
    expect([store.asked, changes]).toEqual([5, ["the store is locked", undefined]]);
  });

  it("does not wait longer than its patience, and sends no second query to a store that hangs", async () => {
    const { clock, store, readiness } = open();
    const { promise, resolve } = Promise.withResolvers<void>();
    store.answer = () => promise;
    for (let times = 0; times < 3; times++) {
      expect(await readiness.check()).toBe("the store did not answer within 0.03 seconds");
      clock.now += 1_000;
    }
    expect(store.asked).toBe(1);
    resolve();
    await promise;
    await new Promise(setImmediate);
    expect(await readiness.check()).toBeUndefined();
    expect(store.asked).toBe(2);
  });

  it("ends when the server stops, also during a query", async () => {
    const { readiness, changes } = open();
    const running = readiness.check();
    readiness.drain();
    expect([await running, await readiness.check()]).toEqual(["the server stops", "the server stops"]);
    expect(changes).toEqual([]);
  });
});
