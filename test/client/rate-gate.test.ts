/** Tests the gate of the transport: no request starts during a wait after a 429, and the user may limit the rate. */

import { describe, expect, it } from "vitest";
import type { Answer } from "../../src/client/exchange.ts";
import { createRateGate, type RateGate, type RateGateOptions } from "../../src/client/rate-gate.ts";

/** A scene whose clock advances only during a wait. */
function openScene(options: Partial<RateGateOptions> = {}) {
  const clock = { now: 0 };
  const sleep = async (milliseconds: number, signal?: AbortSignal) => {
    const until = clock.now + milliseconds;
    await new Promise(setImmediate);
    if (!signal?.aborted) clock.now = Math.max(clock.now, until);
  };
  const gate = createRateGate({ now: () => new Date(clock.now), sleep, ...options });
  const waits: { milliseconds: number; isRequested: boolean }[] = [];
  const onWait = (until: Date, isRequested: boolean) =>
    void waits.push({ milliseconds: until.getTime() - clock.now, isRequested });
  /** Sends a request that is refused this often. @returns whether it was accepted */
  const send = async (times: number, retryAfter?: number): Promise<boolean> => {
    for (let time = 0; ; time++) {
      if ((await gate.enter({ onWait })) !== "open") return false;
      if (time === times) {
        gate.accept("write");
        return true;
      }
      const retryAt = retryAfter === undefined ? undefined : new Date(clock.now + retryAfter);
      if (!gate.refuse("write", { answer, retryAt }, { onWait })) return false;
    }
  };
  return { gate, clock, waits, send, onWait };
}

const answer = { status: 429 } as Answer;
/** The number of waits of this length in a row. */
const times = (count: number, milliseconds: number, isRequested: boolean) =>
  Array.from({ length: count }, () => ({ milliseconds, isRequested }));

describe("after a 429, the gate", () => {
  it("waits once for all refused requests, and sends none meanwhile", async () => {
    const { gate, clock, waits, onWait } = openScene();
    const starts: number[] = [];
    const request = async () => {
      for (let attempt = 1; ; attempt++) {
        await gate.enter({ onWait });
        starts.push(clock.now);
        if (attempt === 2) return;
        gate.refuse("write", { answer, retryAt: new Date(clock.now + 7_000) }, { onWait });
      }
    };
    await Promise.all(Array.from({ length: 5 }, request));
    expect(waits).toEqual(times(1, 7_000, true));
    // The first refusal holds the requests back that have not started. Each of them is refused once more.
    expect(new Set(starts.map((start) => start % 7_000))).toEqual(new Set([0]));
    expect(starts).toHaveLength(10);
  });

  it("waits at least one second, also where Retry-After is 0", async () => {
    const { send, waits } = openScene();
    expect(await send(1, 0)).toBe(true);
    expect(waits).toEqual(times(1, 1_000, true));
  });

  it("gives up after a minute without an accepted request; an accepted one starts a new minute", async () => {
    const { send, waits } = openScene();
    expect(await send(100, 20_000)).toBe(false);
    expect(waits).toEqual(times(3, 20_000, true));
    const other = openScene();
    for (let step = 0; step < 5; step++) expect(await other.send(1, 50_000)).toBe(true);
    expect(other.waits).toEqual(times(5, 50_000, true));
  });

  it("does not wait longer than a minute, and lets nothing start before the requested time", async () => {
    const { gate, send, clock, waits } = openScene();
    expect(await send(1, 61_000)).toBe(false);
    clock.now += 60_000;
    expect(await gate.enter({})).toMatchObject({ answer, retryAt: new Date(61_000) });
    clock.now += 1_000;
    expect(await gate.enter({})).toBe("open");
    expect(waits).toEqual([]);
  });

  it("doubles the wait where the server requests none, and gives up after a minute", async () => {
    const { send, waits } = openScene();
    expect(await send(100)).toBe(false);
    const doubled = [1_000, 2_000, 4_000].flatMap((milliseconds) => times(1, milliseconds, false));
    expect(waits).toEqual([...doubled, ...times(10, 5_000, false)]);
    // Other requests are sent once each. The first accepted request starts a new minute.
    expect(await send(1)).toBe(false);
    expect(await send(0)).toBe(true);
    expect(await send(1)).toBe(true);
    expect(waits.slice(13)).toEqual(times(1, 1_000, false));
  });

  it("gives up a write after a minute although the server accepts reads in between", async () => {
    const { gate, waits, onWait } = openScene();
    for (let attempt = 1; ; attempt++) {
      await gate.enter({ onWait });
      gate.accept("read");
      if (!gate.refuse("write", { answer, retryAt: undefined }, { onWait })) break;
      expect(attempt).toBeLessThan(20);
    }
    expect(waits.reduce((sum, { milliseconds }) => sum + milliseconds, 0)).toBe(57_000);
  });

  it("ends the wait of a request with its signal", async () => {
    const { gate, clock } = openScene();
    const ending = new AbortController();
    gate.refuse("write", { answer, retryAt: new Date(5_000) }, {});
    const waiting = gate.enter({ signal: ending.signal });
    ending.abort();
    expect(await waiting).toBe("stopped");
    expect(clock.now).toBe(0);
  });
});

describe("the limit of the user", () => {
  /** Starts requests at the same time. @returns the times at which they start, in milliseconds */
  async function startsOf(gate: RateGate, clock: { now: number }, count: number): Promise<number[]> {
    const starts: number[] = [];
    for (let each = 0; each < count; each++) {
      await gate.enter({});
      starts.push(clock.now);
    }
    return starts;
  }

  it("spaces the starts of requests", async () => {
    const { gate, clock } = openScene({ maxRequestsPerSecond: 4 });
    expect(await startsOf(gate, clock, 5)).toEqual([0, 250, 500, 750, 1_000]);
  });

  it("may be less than one request per second", async () => {
    const { gate, clock } = openScene({ maxRequestsPerSecond: 0.5 });
    expect(await startsOf(gate, clock, 3)).toEqual([0, 2_000, 4_000]);
  });

  it("waits for no time that passes between two looks at the clock", async () => {
    let now = 0;
    const waited: number[] = [];
    const sleep = async (milliseconds: number) => void waited.push(milliseconds);
    const gate = createRateGate({ now: () => new Date(now++), sleep });
    for (let request = 0; request < 3; request++) expect(await gate.enter({})).toBe("open");
    gate.refuse("read", { answer, retryAt: undefined }, {});
    now += 999;
    await gate.enter({});
    expect(waited.filter((milliseconds) => milliseconds < 0)).toEqual([]);
    expect(waited.length).toBeLessThan(2);
  });

  it("is no limit if it is not set", async () => {
    const { gate, clock } = openScene();
    expect(await startsOf(gate, clock, 3)).toEqual([0, 0, 0]);
  });
});
