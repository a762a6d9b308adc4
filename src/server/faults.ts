/**
 * Lets requests fail as specified: for rehearsals of failures, and for tests of clients. The log names the fault of a
 * request, and the answer does not.
 */

import { once } from "node:events";
import { type ServerResponse, STATUS_CODES } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Fault, FaultEffect, FaultFraming } from "../schemas/fault.ts";
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
      // A read commits nothing. A part of its answer is a part of the real one.
      const isPart = effect.kind === "cut" || effect.kind === "reset";
      const isReal = isAfter || effect.kind === "drip" || (isPart && operationRow(name).method === "GET");
      const real = isReal ? await answer() : errorResponse(500, bodyOf(500), request.requestId);
      switch (effect.kind) {
        case "status":
          return statusAnswer(effect, request);
        case "wrong-token":
          return errorResponse(401, bodyOf(401), request.requestId, {
            "www-authenticate": 'Bearer error="invalid_token"',
          });
        case "html":
          return gatewayPage(effect.status);
        case "cut":
        case "reset":
          return sendPart(await messageOf(real, effect.framing), outgoing, effect);
        case "drip":
          await sendSlowly(await messageOf(real), outgoing, effect.ms);
          // The log has the status of an answer that was sent.
          return new Response(null, { status: real.status, headers: RESPONSE_ALREADY_SENT.headers });
        case "hang":
          hanging.add(outgoing);
          if (!outgoing.destroyed) await once(outgoing, "close");
          hanging.delete(outgoing);
          return RESPONSE_ALREADY_SENT;
        default:
          reset(outgoing);
          return RESPONSE_ALREADY_SENT;
      }
    },
    end() {
      [faults, dead] = [[], undefined];
      hanging.forEach(reset);
    },
  };
}

/** Whether a fault broke the connection instead of an answer. */
export const isUnanswered = (response: Response): boolean => response === RESPONSE_ALREADY_SENT;

/** Waits, but not longer than the client. */
async function pause(ms: number, outgoing: ServerResponse): Promise<void> {
  // The client may have left while the request was carried out.
  if (outgoing.destroyed) return;
  const stop = new AbortController();
  const { signal } = stop;
  await Promise.race([once(outgoing, "close", { signal }), wait(ms, undefined, { signal })]);
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

function gatewayPage(status: number): Response {
  const title = `${status} ${STATUS_CODES[status] ?? "Unknown"}`;
  const page = `<html>\r\n<head><title>${title}</title></head>\r\n<body><h1>${title}</h1></body>\r\n</html>\r\n`;
  return new Response(page, { status, headers: { "content-type": "text/html" } });
}

type Message = { head: Buffer; body: Buffer };

/** Returns an answer as it is sent on a connection that ends with it. */
async function messageOf(response: Response, framing?: FaultFraming): Promise<Message> {
  const { status, headers } = response;
  const body = Buffer.from(await response.arrayBuffer());
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`];
  for (const [name, value] of headers) if (name !== "content-length") lines.push(`${name}: ${value}`);
  const isChunked = framing === "chunked" && body.length > 0;
  if (isChunked) lines.push("transfer-encoding: chunked");
  if (framing === undefined && body.length > 0) lines.push(`content-length: ${body.length}`);
  return {
    head: Buffer.from(`${lines.join("\r\n")}\r\nconnection: close\r\n\r\n`),
    body: isChunked
      ? Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from("\r\n0\r\n\r\n")])
      : body,
  };
}

/** Sends the first bytes of an answer, and then ends or resets the connection. */
async function sendPart(
  { head, body }: Message,
  outgoing: ServerResponse,
  { kind, bytes = head.length + Math.floor(body.length / 2) }: Extract<FaultEffect, { kind: "cut" | "reset" }>,
): Promise<Response> {
  await send(Buffer.concat([head, body]).subarray(0, bytes), outgoing);
  if (kind === "cut") outgoing.req.socket.destroy();
  else reset(outgoing);
  return RESPONSE_ALREADY_SENT;
}

/** The number of pieces of a slow answer. */
const PIECES = 50;

async function sendSlowly({ head, body }: Message, outgoing: ServerResponse, ms: number): Promise<void> {
  const whole = Buffer.concat([head, body]);
  const size = Math.ceil(whole.length / PIECES);
  for (let at = 0; at < whole.length && !outgoing.destroyed; at += size) {
    await pause(ms / PIECES, outgoing);
    await send(whole.subarray(at, at + size), outgoing);
  }
  outgoing.req.socket.destroy();
}

/** Writes bytes past Node's own answer. Ends also if the client has left. */
function send(bytes: Buffer, { req: { socket } }: ServerResponse): Promise<void> {
  return new Promise((resolve) => socket.write(bytes, () => resolve()));
}

/** Breaks a connection. Only TCP has a reset: a connection with TLS ends without notice. */
function reset({ req: { socket } }: ServerResponse): void {
  if ("encrypted" in socket) socket.destroy();
  else socket.resetAndDestroy();
}
