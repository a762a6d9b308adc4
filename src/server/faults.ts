/**
 * Lets requests fail as specified: for rehearsals of failures, and for tests of clients. The log names the fault of a
 * request, and the answer does not.
 */

import { type ServerResponse, STATUS_CODES } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Fault, FaultEffect } from "../schemas/fault.ts";
import { type OperationName, operationRow } from "../schemas/operations.ts";
import { seeded } from "../base/seeded-random.ts";
import { errorResponse, type Headers } from "./response.ts";

export type Faults = {
  /**
   * Counts a request for each fault that names its operation. Returns the fault of the request: the first one whose
   * turn it is.
   */
  next(name: OperationName): Fault | undefined;
  /** Answers a request that has a fault. */
  answer(fault: Fault, request: FaultyRequest): Promise<Response>;
  /** Ends all faults, and resets the connections of the requests that hang. */
  end(): void;
};

export type FaultyRequest = {
  name: OperationName;
  requestId: string;
  /** The response of Node, which a fault of the connection needs. */
  outgoing: ServerResponse;
  /** Carries out the request. Never throws. */
  answer: () => Promise<Response>;
};

/**
 * @param specified.seed determines which requests have a fault with a rate
 * @param specified.onFault called for each request with a fault, before its effect
 */
export function openFaults(specified: { list: readonly Fault[]; seed: number; onFault?: () => void }): Faults {
  const { seed, onFault } = specified;
  let faults = specified.list;
  const random = seeded(seed);
  const counts = new Map(faults.map((fault) => [fault, 0]));
  const hanging = new Set<ServerResponse>();
  let dead: Fault | undefined;
  const isTurn = (fault: Fault): boolean => {
    const count = counts.get(fault)! + 1;
    counts.set(fault, count);
    const { turn } = fault;
    if (turn.kind === "rate") return random.next() < turn.rate;
    if (turn.kind === "at") return count === turn.number;
    if (turn.kind === "every") return count % turn.number === 0;
    return turn.kind === "always" || count <= turn.number;
  };
  return {
    next(name) {
      if (dead) return dead;
      // Each fault counts each of its requests, also if another fault comes first.
      const [due] = faults.filter((fault) => fault.operations.has(name) && isTurn(fault));
      // Only the first request of a dead connection may be carried out.
      if (due?.effect.kind === "dead") dead = { ...due, isAfter: false };
      return due;
    },
    async answer({ effect, isAfter }, request) {
      const { outgoing, answer, name } = request;
      onFault?.();
      if (effect.kind === "slow") {
        if (!isAfter) await pause(effect.ms, outgoing);
        const response = await answer();
        if (isAfter) await pause(effect.ms, outgoing);
        return response;
      }
      // A read commits nothing. Half of its answer is half of the real one.
      const isReal = isAfter || (effect.kind === "cut" && operationRow(name).method === "GET");
      const real = isReal ? await answer() : undefined;
      switch (effect.kind) {
        case "status":
          return statusAnswer(effect, request);
        case "wrong-token":
          return errorResponse(401, bodyOf(401), request.requestId, {
            "www-authenticate": 'Bearer error="invalid_token"',
          });
        case "html":
          return new Response(GATEWAY_PAGE, { status: 502, headers: { "content-type": "text/html" } });
        case "cut":
          return sendHalf(real ?? errorResponse(500, bodyOf(500), request.requestId), outgoing);
        case "hang":
          hanging.add(outgoing);
          await ended(outgoing);
          hanging.delete(outgoing);
          return RESPONSE_ALREADY_SENT;
        default:
          outgoing.req.socket.resetAndDestroy();
          return RESPONSE_ALREADY_SENT;
      }
    },
    end() {
      [faults, dead] = [[], undefined];
      for (const outgoing of hanging) outgoing.req.socket.resetAndDestroy();
    },
  };
}

/** Whether a fault broke the connection instead of an answer. */
export const isUnanswered = (response: Response): boolean => response === RESPONSE_ALREADY_SENT;

function ended(outgoing: ServerResponse): Promise<void> {
  // The client may have left while the request was carried out.
  if (outgoing.destroyed) return Promise.resolve();
  return new Promise((resolve) => outgoing.once("close", resolve));
}

/** Waits, but not longer than the client. */
async function pause(ms: number, outgoing: ServerResponse): Promise<void> {
  const stop = new AbortController();
  await Promise.race([ended(outgoing), wait(ms, undefined, { signal: stop.signal }).catch(() => undefined)]);
  stop.abort();
}

function statusAnswer(
  { status, retryAfter }: Extract<FaultEffect, { kind: "status" }>,
  { requestId }: FaultyRequest,
): Response {
  const headers: Headers = {};
  if (retryAfter) {
    const { seconds, asDate } = retryAfter;
    headers["retry-after"] = asDate ? new Date(Date.now() + seconds * 1_000).toUTCString() : String(seconds);
  }
  return errorResponse(status, bodyOf(status), requestId, headers);
}

/** The codes that this server has for a status. Another status has its name in HTTP. */
const CODES: Readonly<Record<number, string>> = { 429: "RATE_LIMITED", 500: "INTERNAL" };

function bodyOf(status: number): { code: string; message: string } {
  const name = STATUS_CODES[status] ?? `Status ${status}`;
  return { code: CODES[status] ?? name.toUpperCase().replace(/[^A-Z0-9]+/g, "_"), message: name };
}

const GATEWAY_PAGE =
  "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><h1>502 Bad Gateway</h1></body>\r\n</html>\r\n";

/** Sends the headers and half of the body, and then closes the connection. */
async function sendHalf(response: Response, outgoing: ServerResponse): Promise<Response> {
  const body = Buffer.from(await response.arrayBuffer());
  outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), "content-length": body.length });
  outgoing.flushHeaders();
  await new Promise((resolve) => outgoing.write(body.subarray(0, Math.floor(body.length / 2)), resolve));
  outgoing.destroy();
  return RESPONSE_ALREADY_SENT;
}
