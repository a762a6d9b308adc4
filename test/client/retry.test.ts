/** Tests which requests may be sent again, and when. */

import { expect, it, onTestFinished } from "vitest";
import {
  backoff,
  mayBeDoneAfter,
  mayResend,
  type Outcome,
  parseRetryAfter,
  type Repeatability,
  retryBudget,
} from "../../src/client/retry.ts";
import { createRateGate } from "../../src/client/rate-gate.ts";
import { openClient } from "./open-client.ts";
import { type Reply, startServer } from "./table-server.ts";

const answered = (status: number): Outcome => ({ kind: "answered", status, retryAfter: undefined });

it.each<[Outcome, Repeatability[]]>([
  [{ kind: "unsent" }, ["read", "repeatableWrite", "singleWrite"]],
  [{ kind: "cut" }, ["read", "repeatableWrite"]],
  [answered(429), ["read", "repeatableWrite"]],
  [answered(500), ["repeatableWrite"]],
  [answered(502), ["read", "repeatableWrite"]],
  [answered(503), ["read", "repeatableWrite"]],
  [answered(504), ["read", "repeatableWrite"]],
  [answered(200), []],
  [answered(400), []],
  [answered(401), []],
  [answered(404), []],
  [answered(408), []],
  [answered(409), []],
  [answered(501), []],
])("after %o sends again what is %o", (outcome, kinds) => {
  const all: Repeatability[] = ["read", "repeatableWrite", "singleWrite"];
  expect(all.filter((kind) => mayResend(kind, outcome))).toEqual(kinds);
});

it.each<[Outcome, boolean]>([
  [{ kind: "unsent" }, false],
  [{ kind: "cut" }, true],
  [answered(408), true],
  [answered(500), true],
  [answered(501), false],
  [answered(504), true],
  [answered(409), false],
  [answered(429), false],
])("after %o a write may be done: %o", (outcome, expected) => {
  expect(mayBeDoneAfter(outcome)).toBe(expected);
});

const NOW = new Date("2026-03-02T09:00:00.000Z");

it.each<[string | null, number | undefined]>([
  ["0", 0],
  ["5", 5],
  [" 60 ", 60],
  ["1000000000", 1_000_000_000],
  ["Mon, 02 Mar 2026 09:00:30 GMT", 30],
  ["Monday, 02-Mar-26 09:00:30 GMT", 30],
  ["Mon, 02 Mar 2026 08:00:00 GMT", 0],
  ["-1", undefined],
  ["1.5", undefined],
  ["5 seconds", undefined],
  ["soon", undefined],
  ["", undefined],
  ["2026-03-02", undefined],
  ["99999999999999", undefined],
  [null, undefined],
])("reads Retry-After %o as %o seconds", (text, seconds) => {
  const at = parseRetryAfter(text, NOW);
  expect(at && (at.getTime() - NOW.getTime()) / 1000).toBe(seconds);
});

it("measures a date by the clock of the server", () => {
  const theirs = new Date("2026-03-02T12:00:00.000Z");
  const at = parseRetryAfter("Mon, 02 Mar 2026 12:00:10 GMT", NOW, theirs);
  expect(at).toEqual(new Date("2026-03-02T09:00:10.000Z"));
});

it("waits longer each time, with jitter", () => {
  const most = [1, 2, 3, 4, 5, 6, 7].map((attempt) => backoff(attempt, () => 0.999999));
  expect(most).toEqual([199, 399, 799, 1599, 3199, 4999, 4999]);
  expect(backoff(5, () => 0)).toBe(0);
});

it("stops retrying when a server is down for long", () => {
  const budget = retryBudget();
  let spent = 0;
  while (budget.spend()) spent++;
  expect(spent).toBe(35);
  for (let success = 0; success < 14; success++) budget.refund();
  expect(budget.spend()).toBe(true);
  expect(budget.spend()).toBe(false);
});

async function openAt(reply: (count: number) => Reply) {
  let count = 0;
  const server = await startServer(() => reply(++count));
  onTestFinished(() => server.close());
  return { ...openClient(server.url), server };
}

const fine: Reply = { status: 200, body: { data: [] } };
const busy = (retryAfter?: string): Reply => ({
  status: 503,
  ...(retryAfter !== undefined && { headers: { "retry-after": retryAfter } }),
  body: { error: { code: "BUSY", message: "busy" } },
});

it("waits as long as the server requests, up to a minute in total", async () => {
  const patient = await openAt((count) => (count < 3 ? busy("30") : fine));
  await patient.service.listCurrencies({});
  expect(patient.waits).toEqual([30_000, 30_000]);
  const asked = await openAt(() => busy("61"));
  await expect(asked.service.listCurrencies({})).rejects.toMatchObject({
    status: 503,
    hint: expect.stringMatching(/^Try again after \d{4}-/),
  });
  expect(asked.waits).toEqual([]);
  const inAll = await openAt(() => busy("25"));
  await expect(inAll.service.listCurrencies({})).rejects.toMatchObject({ status: 503 });
  expect(inAll.waits).toEqual([25_000, 25_000]);
});

it("counts its own waits towards the time limit of a call", async () => {
  // The waits are 199, 399 and 799 milliseconds. The third one would exceed the limit.
  const { service, waits, attempts } = openClient("http://localhost:1", {
    deadline: 1_390,
    now: () => NOW,
    random: () => 0.999999,
    fetch: async () => ({ status: 503, headers: { get: () => null }, body: null }),
  });
  await expect(service.listCurrencies({})).rejects.toMatchObject({ status: 503 });
  expect(waits).toEqual([199, 399]);
  expect(attempts).toHaveLength(3);
});

it("makes four attempts at most, and no more than the budget allows", async () => {
  const { service, waits, attempts } = await openAt(() => busy("junk"));
  await expect(service.listCurrencies({})).rejects.toMatchObject({ status: 503, hint: undefined });
  expect(waits).toEqual([86, 172, 345]);
  expect(attempts).toHaveLength(4);
  for (let call = 0; call < 40; call++) await service.listCurrencies({}).catch(() => undefined);
  attempts.length = 0;
  await service.listCurrencies({}).catch(() => undefined);
  expect(attempts).toHaveLength(1);
});

const limited = (retryAfter?: string): Reply => ({ ...busy(retryAfter), status: 429 });

it("sends a write for a minute at most to a server that limits the rate without end", async () => {
  const server = await startServer(() => limited());
  onTestFinished(() => server.close());
  const { service, waits } = openClient(server.url, { now: () => NOW });
  const body = { clientMutationId: "m-1", schemaVersion: 1 as const, regions: [], blocks: [] };
  await expect(service.saveDraft({ layoutId: "lay_1", body })).rejects.toMatchObject({ status: 429 });
  expect(waits).toEqual([1_000, 2_000, 4_000, ...Array<number>(10).fill(5_000)]);
  expect(server.received).toHaveLength(14);
});

it("sends no request of the run during the wait after a 429", async () => {
  let count = 0;
  const server = await startServer(() => (++count === 1 ? limited("20") : fine));
  onTestFinished(() => server.close());
  const wait = Promise.withResolvers<void>();
  const { service } = openClient(server.url, { sleep: () => wait.promise });
  const first = service.listCurrencies({});
  await expect.poll(() => server.received.length).toBe(1);
  const others = [service.listCurrencies({}), service.listCurrencies({})];
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(server.received).toHaveLength(1);
  wait.resolve();
  await Promise.all([first, ...others]);
  expect(server.received).toHaveLength(4);
});

it("starts no more requests than the user permits", async () => {
  const server = await startServer(() => fine);
  onTestFinished(() => server.close());
  const starts: number[] = [];
  const gate = createRateGate({
    now: () => new Date(),
    sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    maxRequestsPerSecond: 20,
  });
  const { service } = openClient(server.url, { gate, onAttempt: () => void starts.push(performance.now()) });
  const begun = performance.now();
  await Promise.all(Array.from({ length: 6 }, () => service.listCurrencies({})));
  expect(starts).toHaveLength(6);
  expect(performance.now() - begun).toBeGreaterThan(245);
});

it("does not repeat a form write that was answered, and reports how long to wait", async () => {
  const { service, server } = await openAt(() => ({ ...busy("5"), status: 429 }));
  const remove = service.deleteForm({ moduleKey: "a", objectKey: "b", formId: "f" });
  await expect(remove).rejects.toMatchObject({ status: 429, hint: expect.stringContaining("as the server requests") });
  expect(server.received).toHaveLength(1);
});
