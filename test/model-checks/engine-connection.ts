/** The engine on one connection to a store, for callers with tokens. A connection can be cut. */

import type { NewId } from "../../src/engine/ids.ts";
import { openLocalService } from "../../src/engine/local.ts";
import { hasCode } from "../../src/base/error.ts";
import type { OperationName } from "../../src/schemas/operations.ts";
import { type Caller, ServiceError } from "../../src/service.ts";
import type { Store } from "../../src/store/store.ts";
import type { Outcome, Request } from "../model/model.ts";
import type { Json } from "../model/records.ts";

/**
 * When a connection is cut:
 * - `before`: before a write is sent
 * - `during`: in the transaction of the write
 * - `after`: after the commit and before the answer
 */
export type Cut = "before" | "during" | "after";

/** Sends a request with a token at the time `now`. @returns undefined if a cut connection lost the answer */
export type Send = (sent: {
  token: string;
  request: Request;
  cut?: Cut | undefined;
  now: Date;
}) => Promise<Outcome | undefined>;

export function connect(store: Store, newId: NewId): Send {
  const clock = { now: new Date() };
  const callers = new Map<string, Promise<Caller | undefined>>();
  return async ({ token, request, cut, now }) => {
    clock.now = now;
    const name = `${token} ${cut}`;
    const on = cut ? cutStore(store, cut) : store;
    const caller =
      callers.get(name) ?? openLocalService({ store: on, newId, now: () => clock.now }).authenticate(token);
    callers.set(name, caller);
    const known = await caller;
    if (!known) throw new Error("the token is unknown");
    return answerOf(known, request);
  };
}

class ConnectionCut extends Error {}

function cutStore(store: Store, cut: Cut): Store {
  return {
    read: (work) => store.read(work),
    async write(work, orgId) {
      if (cut === "before") throw new ConnectionCut();
      await store.write(async (tx) => {
        const result = await work(tx);
        if (cut === "during") throw new ConnectionCut();
        return result;
      }, orgId);
      throw new ConnectionCut();
    },
    close: async () => {},
  };
}

/** The maximum number of attempts on a busy database. More answers with STORE_BUSY are a defect. */
const MAX_TRIES = 20;

/**
 * Repeats a request while the database answers STORE_BUSY. This error states that nothing was changed, and its hint
 * demands a repetition. On a busy machine, serializable transactions can conflict more often than the store repeats
 * them.
 */
export async function whenFree<T>(request: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await request();
    } catch (error) {
      if (!hasCode(error, "STORE_BUSY") || tries === MAX_TRIES) throw error;
    }
  }
}

async function answerOf(caller: Caller, request: Request): Promise<Outcome | undefined> {
  const { operation, input, idempotencyKey } = request;
  let isReplay: boolean | undefined;
  const context = {
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    onReplay: (was: boolean) => (isReplay = was),
  };
  try {
    const result = await whenFree(() => caller.answer(operation as OperationName, input, context));
    const answer = result === undefined ? undefined : (JSON.parse(JSON.stringify(result)) as unknown);
    return { answer: comparable(operation, answer), ...(isReplay !== undefined && { isReplay }) };
  } catch (error) {
    if (error instanceof ConnectionCut) return undefined;
    // This failure is not an answer of the API. The model never gives such an answer, so the comparison reports the
    // failure.
    if (!(error instanceof ServiceError)) return { refusal: { failure: (error as Error).stack } };
    return { refusal: JSON.parse(JSON.stringify({ status: error.status, ...error.body })) as Json };
  }
}

/** Returns the part of an answer that the API document defines. */
function comparable(operation: string, answer: unknown): unknown {
  if (operation === "listCurrencies") {
    const codes = (answer as { code: string }[]).map(({ code }) => code);
    return { count: codes.length, first: codes[0] };
  }
  if (operation !== "getSurfaceDefinitions") return answer;
  const { surfaces } = answer as { surfaces: Json[] };
  return surfaces.map(({ surface, supportedModes, regions }) => ({ surface, supportedModes, regions }));
}
