/** Tests refused requests: the program waits after a 429, and sends a write again without a refused member. */

import { expect, it } from "vitest";
import { createPace, type OptionalMember, sendWithOptional } from "../../src/manifests/requests.ts";
import { ServiceError } from "../../src/service.ts";

/** A scene whose clock advances only during a wait. */
function openScene() {
  const clock = { now: Date.parse("2026-03-02T09:00:00.000Z") };
  const ending = new AbortController();
  const waits: number[] = [];
  const unrequested: number[] = [];
  const pace = createPace({
    now: () => new Date(clock.now),
    async sleep(milliseconds) {
      await new Promise(setImmediate);
      clock.now += milliseconds;
    },
    ending: ending.signal,
    onWait: (until, isRequested) => (isRequested ? waits : unrequested).push(until.getTime() - clock.now),
    onResume: () => undefined,
  });
  const refusal = (seconds: number) =>
    new ServiceError(429, { code: "RATE_LIMITED", message: "slow down" }, "", new Date(clock.now + seconds * 1000));
  const wordless = new ServiceError(429, { code: "RATE_LIMITED", message: "slow down" });
  return { pace, clock, ending, waits, unrequested, refusal, wordless };
}

it("waits once for all refused requests, and sends none meanwhile", async () => {
  const { pace, clock, waits, refusal } = openScene();
  const begin = clock.now;
  const asked: number[] = [];
  const outcomes = await Promise.all(
    Array.from({ length: 5 }, () =>
      pace.send(async (isRetry) => {
        asked.push(clock.now - begin);
        if (!isRetry) throw refusal(7);
        return "taken";
      }),
    ),
  );
  expect(outcomes).toEqual(Array(5).fill("taken"));
  expect(waits).toEqual([7000]);
  expect(asked).toEqual([...Array(5).fill(0), ...Array(5).fill(7000)]);
});

it("waits at least one second, also where Retry-After is 0", async () => {
  const { pace, waits, refusal } = openScene();
  await pace.send(async (isRetry) => {
    if (!isRetry) throw refusal(0);
  });
  expect(waits).toEqual([1000]);
});

it("gives up after a minute without an accepted request; an accepted one starts a new minute", async () => {
  const { pace, waits, refusal } = openScene();
  const never = () => pace.send(() => Promise.reject(refusal(20)));
  await expect(never()).rejects.toMatchObject({ status: 429 });
  expect(waits).toEqual([20_000, 20_000, 20_000]);
  const { pace: other, waits: more, refusal: slow } = openScene();
  for (let step = 0; step < 5; step++) {
    await other.send(async (isRetry) => {
      if (!isRetry) throw slow(50);
    });
  }
  expect(more).toEqual(Array(5).fill(50_000));
});

it("does not wait longer than a minute, and sends nothing before the requested time", async () => {
  const { pace, clock, waits, refusal } = openScene();
  await expect(pace.send(() => Promise.reject(refusal(61)))).rejects.toMatchObject({ status: 429 });
  let asked = 0;
  const ask = () => pace.send(async () => ++asked);
  clock.now += 60_000;
  await expect(ask()).rejects.toMatchObject({ status: 429 });
  clock.now += 1_000;
  expect(await ask()).toBe(1);
  expect(waits).toEqual([]);
});

it("doubles the wait where the service requests none, and gives up after a minute", async () => {
  const { pace, unrequested, waits, wordless } = openScene();
  const never = () => pace.send(() => Promise.reject(wordless));
  await expect(never()).rejects.toBe(wordless);
  expect(unrequested).toEqual([1000, 2000, 4000, ...Array(10).fill(5000)]);
  // Other requests are sent once each. The first accepted request starts a new minute.
  await expect(never()).rejects.toBe(wordless);
  expect(await pace.send(async () => "taken")).toBe("taken");
  await pace.send(async (isRetry) => {
    if (!isRetry) throw wordless;
  });
  expect(unrequested.slice(13)).toEqual([1000]);
  expect(waits).toEqual([]);
});

it("ends the wait with a signal, and sends nothing again", async () => {
  const { pace, ending, refusal } = openScene();
  let asked = 0;
  const waiting = pace.send(() => {
    asked++;
    ending.abort("told to end");
    return Promise.reject(refusal(5));
  });
  await expect(waiting).rejects.toBe("told to end");
  expect(asked).toBe(1);
});

it("throws any failure but a 429 at once", async () => {
  const { pace, waits } = openScene();
  const silent = new ServiceError(429, { code: "RATE_LIMITED", message: "slow down" });
  for (const error of [silent, new ServiceError(503, silent.body, "", new Date()), new Error("broken")])
    await expect(pace.send(() => Promise.reject(error))).rejects.toBe(error);
  expect(waits).toEqual([]);
});

const stale = (currentDraftVersionId: string | null) =>
  new ServiceError(409, { code: "DRAFT_STALE", message: "no", meta: { currentDraftVersionId } });

/** Sends to a server that refuses the member with this error. @returns the bodies that the server received */
async function sentTo(
  error: Error,
  value: string | null,
): Promise<{ sent: object[]; refused: Set<OptionalMember>; outcome: unknown }> {
  const sent: object[] = [];
  const refused = new Set<OptionalMember>();
  const send = async (optional: { expectedDraftVersionId?: string | null }) => {
    sent.push(optional);
    if ("expectedDraftVersionId" in optional) throw error;
    return "saved";
  };
  let outcome: unknown;
  try {
    outcome = await sendWithOptional(refused, "expectedDraftVersionId", value, send);
  } catch (thrown) {
    outcome = thrown;
  }
  return { sent, refused, outcome };
}

it("sends the request again without null where the server refuses null and reports that there is no draft", async () => {
  const { sent, refused, outcome } = await sentTo(stale(null), null);
  expect(sent).toEqual([{ expectedDraftVersionId: null }, {}]);
  expect(outcome).toBe("saved");
  // The server accepts the member: the next request carries an id.
  expect(refused.size).toBe(0);
});

it("sends the request again without a member only if the refusal names the member", async () => {
  const refusing = (name: string) =>
    new ServiceError(400, { code: "VALIDATION_FAILED", message: "no", fieldErrors: { [name]: ["is invalid"] } });
  const named = await sentTo(refusing("expectedDraftVersionId"), "ver_1");
  expect(named).toMatchObject({ sent: [{ expectedDraftVersionId: "ver_1" }, {}], outcome: "saved" });
  expect([...named.refused]).toEqual(["expectedDraftVersionId"]);
  const error = refusing("metadata");
  const other = await sentTo(error, "ver_1");
  expect(other.sent).toEqual([{ expectedDraftVersionId: "ver_1" }]);
  expect(other.outcome).toBe(error);
  expect(other.refused.size).toBe(0);
});

it("throws the conflict where a draft exists, or an id was expected", async () => {
  for (const [error, value] of [
    [stale("ver_2"), null],
    [stale(null), "ver_1"],
  ] as const) {
    const { sent, outcome } = await sentTo(error, value);
    expect(sent).toEqual([{ expectedDraftVersionId: value }]);
    expect(outcome).toBe(error);
  }
});
