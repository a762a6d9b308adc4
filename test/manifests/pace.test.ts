/** Waiting where a service asks to: together, not for ever, and not past a signal. */

import { expect, it } from "vitest";
import { createPace } from "../../src/manifests/apply/pace.ts";
import { ServiceError } from "../../src/service.ts";

/** A clock that goes on only while somebody waits. */
function openScene() {
  const clock = { now: Date.parse("2026-03-02T09:00:00.000Z") };
  const ending = new AbortController();
  const waits: number[] = [];
  const unasked: number[] = [];
  const pace = createPace({
    now: () => new Date(clock.now),
    async sleep(milliseconds) {
      await new Promise(setImmediate);
      clock.now += milliseconds;
    },
    ending: ending.signal,
    onWait: (until, isAsked) => (isAsked ? waits : unasked).push(until.getTime() - clock.now),
    onResume: () => undefined,
  });
  const refusal = (seconds: number) =>
    new ServiceError(429, { code: "RATE_LIMITED", message: "slow down" }, "", new Date(clock.now + seconds * 1000));
  const wordless = new ServiceError(429, { code: "RATE_LIMITED", message: "slow down" });
  return { pace, clock, ending, waits, unasked, refusal, wordless };
}

it("is done together: one wait for all that are refused, and nobody asks meanwhile", async () => {
  const { pace, clock, waits, refusal } = openScene();
  const begin = clock.now;
  const asked: number[] = [];
  const outcomes = await Promise.all(
    Array.from({ length: 5 }, () =>
      pace.keep(async (isAgain) => {
        asked.push(clock.now - begin);
        if (!isAgain) throw refusal(7);
        return "taken";
      }),
    ),
  );
  expect(outcomes).toEqual(Array(5).fill("taken"));
  expect(waits).toEqual([7000]);
  expect(asked).toEqual([...Array(5).fill(0), ...Array(5).fill(7000)]);
});

it("is no shorter than a second, also where no time is left to wait", async () => {
  const { pace, waits, refusal } = openScene();
  await pace.keep(async (isAgain) => {
    if (!isAgain) throw refusal(0);
  });
  expect(waits).toEqual([1000]);
});

it("ends after a minute in which nothing is taken; whatever is taken begins a new one", async () => {
  const { pace, waits, refusal } = openScene();
  const never = () => pace.keep(() => Promise.reject(refusal(20)));
  await expect(never()).rejects.toMatchObject({ status: 429 });
  expect(waits).toEqual([20_000, 20_000, 20_000]);
  const { pace: other, waits: more, refusal: slow } = openScene();
  for (let step = 0; step < 5; step++) {
    await other.keep(async (isAgain) => {
      if (!isAgain) throw slow(50);
    });
  }
  expect(more).toEqual(Array(5).fill(50_000));
});

it("is not begun where it would take longer than a minute: until then nobody asks, and then somebody may", async () => {
  const { pace, clock, waits, refusal } = openScene();
  await expect(pace.keep(() => Promise.reject(refusal(61)))).rejects.toMatchObject({ status: 429 });
  let asked = 0;
  const ask = () => pace.keep(async () => ++asked);
  clock.now += 60_000;
  await expect(ask()).rejects.toMatchObject({ status: 429 });
  clock.now += 1_000;
  expect(await ask()).toBe(1);
  expect(waits).toEqual([]);
});

it("is longer each time where nobody says how long, and ends after a minute, too", async () => {
  const { pace, unasked, waits, wordless } = openScene();
  const never = () => pace.keep(() => Promise.reject(wordless));
  await expect(never()).rejects.toBe(wordless);
  expect(unasked).toEqual([1000, 2000, 4000, ...Array(10).fill(5000)]);
  // Others may be taken: they ask once, and a minute begins as soon as something is.
  await expect(never()).rejects.toBe(wordless);
  expect(await pace.keep(async () => "taken")).toBe("taken");
  await pace.keep(async (isAgain) => {
    if (!isAgain) throw wordless;
  });
  expect(unasked.slice(13)).toEqual([1000]);
  expect(waits).toEqual([]);
});

it("ends with a signal, and nothing is sent again", async () => {
  const { pace, ending, refusal } = openScene();
  let asked = 0;
  const waiting = pace.keep(() => {
    asked++;
    ending.abort("told to end");
    return Promise.reject(refusal(5));
  });
  await expect(waiting).rejects.toBe("told to end");
  expect(asked).toBe(1);
});

it("is only for refusals that say how long: any other failure is told at once", async () => {
  const { pace, waits } = openScene();
  const silent = new ServiceError(429, { code: "RATE_LIMITED", message: "slow down" });
  for (const error of [silent, new ServiceError(503, silent.body, "", new Date()), new Error("broken")])
    await expect(pace.keep(() => Promise.reject(error))).rejects.toBe(error);
  expect(waits).toEqual([]);
});
