/** Sends many random requests. No response may be undocumented, have a status 5xx, or take more than a second. */

import { beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../src/schemas/operations.ts";
import { createHandler } from "../../src/server/handler.ts";
import { serviceHandler } from "../../src/composition/serve.ts";
import { PERMISSIONS } from "../../src/schemas/words.ts";
import { engineOnSqlite } from "../contract/engine-provider.ts";
import type { ContractWorld } from "../contract/provider.ts";
import { countOf } from "../effort.ts";
import { type Judge, openJudge } from "./document.ts";
import { type Known, openFuzzer, seeded } from "./fuzz.ts";
import { setScene, ORIGIN } from "./scene.ts";

const SEED = 20_261_121;
const REQUESTS = countOf("fuzzed requests");
const SLOW_MS = 1_000;

type Handler = (request: Request) => Promise<Response>;
/** `succeeded`: how often each operation succeeded. */
type Run = { faults: string[]; statuses: Map<number, number>; succeeded: Map<string, number> };

let judge: Judge;
beforeAll(async () => {
  judge = await openJudge();
});

async function fuzz(handler: Handler, token: string, known: Known, seed: number, requests: number): Promise<Run> {
  const fuzzer = openFuzzer(judge.document, seeded(seed), known);
  const run: Run = { faults: [], statuses: new Map(), succeeded: new Map() };
  for (let index = 0; index < requests && run.faults.length < 10; index++) {
    const { operation, make } = fuzzer.request(token, ORIGIN);
    const request = make();
    const { method, url } = request;
    const { status, headers, text, took } = await timed(handler, request);
    fuzzer.learn(text);
    count(run.statuses, status);
    if (status < 300) count(run.succeeded, operation);
    const wrong =
      status >= 500
        ? text
        : took > SLOW_MS && (await isSlowAgain(handler, make))
          ? `took ${Math.round(took)} ms`
          : judge.complaint({ method, url, status, headers, text });
    if (wrong) run.faults.push(`request ${index}: ${method} ${url} answers ${status}: ${wrong}`);
  }
  return run;
}

function count<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

async function timed(handler: Handler, request: Request) {
  const start = performance.now();
  const response = await handler(request);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, took: performance.now() - start };
}

/**
 * Repeats a slow request twice, because a busy machine can slow down one attempt. Returns true if each attempt takes
 * over a second.
 */
async function isSlowAgain(handler: Handler, make: () => Request): Promise<boolean> {
  for (let again = 0; again < 2; again++) if ((await timed(handler, make())).took <= SLOW_MS) return false;
  return true;
}

async function openScene(): Promise<{ world: ContractWorld; token: string; known: Known }> {
  const world = await engineOnSqlite.open();
  const inputs = await setScene(world, await world.as("northwind"));
  const { roles, members } = (await world.local.show()).organizations[1]!;
  const organization = "northwind";
  const { token } = await world.local.createToken({
    organization,
    name: "fuzz",
    permissions: PERMISSIONS,
    expiresAt: null,
  });
  return {
    world,
    token,
    known: {
      frm: [inputs.getForm.formId, "frm_nobody"],
      lay: [inputs.getLayout.layoutId, inputs.saveDraft.layoutId, "lay_nobody"],
      ver: [inputs.getVersion.versionId, inputs.publishLayout.body.draftVersionId, "ver_nobody"],
      rol: roles.map(({ id }) => id),
      mem: members.map(({ id }) => id),
    },
  };
}

describe("requests generated from the server's own document", () => {
  it(`get only documented responses (${REQUESTS} requests, seed ${SEED})`, async () => {
    const { world, token, known } = await openScene();
    const handler = serviceHandler(world.local, { host: "127.0.0.1", version: "test" });
    const { faults, statuses, succeeded } = await fuzz(handler, token, known, SEED, REQUESTS);
    expect(faults).toEqual([]);
    // Every status and every operation must be reached. Otherwise the requests would test little. A sample may miss the
    // operations that seldom succeed.
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 201, 204, 400, 401, 404, 405, 409, 412, 415]));
    const never = Object.keys(operations).filter((name) => !succeeded.has(name));
    expect(never.slice(countOf("operations that fuzzing may miss"))).toEqual([]);
    expect(await world.local.check()).toEqual([]);
    await world.close();
  });

  it.each([
    ["an unexpected error", 500, async () => Promise.reject(new Error("planted"))],
    ["an answer with a member too many", 200, async () => [{ code: "EUR", name: "Euro", planted: true }]],
    ["an answer without a member", 200, async () => [{ code: "EUR" }]],
  ])("detect %s (control)", async (_what, status, listCurrencies) => {
    const { world, token, known } = await openScene();
    const handler = createHandler({
      async authenticate(candidate) {
        const caller = await world.local.authenticate(candidate);
        return (
          caller && {
            ...caller,
            answer: (name, ...call) => (name === "listCurrencies" ? listCurrencies() : caller.answer(name, ...call)),
          }
        );
      },
      now: () => performance.now(),
      newRequestId: () => "planted",
      version: "test",
    });
    const { faults } = await fuzz(handler.fetch, token, known, 1, 1_000);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.every((fault) => fault.includes(`/v1/currencies`) && fault.includes(`answers ${status}`))).toBe(true);
    await world.close();
  });

  it("detect an undocumented status and a slow response (controls)", async () => {
    const { world, token, known } = await openScene();
    const handler = serviceHandler(world.local, { host: "127.0.0.1", version: "test" });
    const teapot: Handler = async (request) => {
      const answer = await handler(request);
      return answer.status === 404 ? new Response(answer.body, { status: 418, headers: answer.headers }) : answer;
    };
    expect((await fuzz(teapot, token, known, 1, 500)).faults[0]).toContain("418");
    const slow = (times: number): Handler => {
      let left = times;
      return async (request) => {
        if (left-- > 0) await new Promise((resolve) => setTimeout(resolve, SLOW_MS + 50));
        return handler(request);
      };
    };
    expect((await fuzz(slow(3), token, known, 1, 5)).faults[0]).toContain("took");
    expect((await fuzz(slow(1), token, known, 1, 5)).faults).toEqual([]);
    await world.close();
  });
});
