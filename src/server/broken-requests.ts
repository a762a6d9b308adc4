/** Answers requests that do not reach the handler, for example malformed or slow requests, with JSON errors. */

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { endSocket } from "./connections.ts";
import { requestIdFrom, type HandlerOptions } from "./handler.ts";

const REFUSALS = {
  400: ["BAD_REQUEST", "the request is not valid HTTP/1.1"],
  408: ["REQUEST_TIMEOUT", "the request was not received in time"],
  414: ["URI_TOO_LONG", "the URL is too long"],
  417: ["EXPECTATION_FAILED", "only the expectation 100-continue is supported"],
  431: ["HEADERS_TOO_LARGE", "the headers are too large"],
  500: ["INTERNAL", "internal error"],
} as const;

type Status = keyof typeof REFUSALS;

/** The maximum number of characters of a path in the log. */
const LOGGED_PATH_LENGTH = 1_000;

export type ErrorResponder = {
  /** Answers a request whose headers were received. */
  refuse: (request: IncomingMessage, response: ServerResponse, status: Status) => void;
  /**
   * Answers a request that Node could not read: it is malformed, its headers are too large, or it is too slow. Writes
   * to the socket.
   */
  answerBroken: (error: NodeJS.ErrnoException, socket: Socket) => void;
  /** Returns the response to a request that could not be passed to the handler. */
  answer: (status: Status) => Response;
};

/** Creates the responder of a server. Each response has a request id and a log entry. */
export function createErrorResponder({
  newRequestId,
  log,
}: Pick<HandlerOptions, "newRequestId" | "log">): ErrorResponder {
  /** Logs the request. @returns the text and the headers of the response */
  const logAndDescribe = (status: Status, request?: IncomingMessage) => {
    const requested = request?.headers["x-request-id"];
    const requestId = requestIdFrom(typeof requested === "string" ? requested : null, newRequestId);
    const path = request?.url?.split(/[?#]/, 1)[0]?.slice(0, LOGGED_PATH_LENGTH);
    log?.({ requestId, method: request?.method ?? "-", path: path ?? "-", status, ms: 0 });
    const [code, message] = REFUSALS[status];
    const headers = {
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": requestId,
      connection: "close",
    };
    return { text: JSON.stringify({ error: { code, message } }), headers };
  };
  return {
    refuse(request, response, status) {
      const { text, headers } = logAndDescribe(status, request);
      response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(text) }).end(text);
    },
    answerBroken(error, socket) {
      if (!socket.writable || error.code === "ECONNRESET") {
        socket.destroy();
        return;
      }
      const status = error.code === "HPE_HEADER_OVERFLOW" ? 431 : error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
      const { text, headers } = logAndDescribe(status);
      const lines = Object.entries({ ...headers, "content-length": Buffer.byteLength(text) })
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join("");
      endSocket(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${text}`);
    },
    answer(status) {
      const { text, headers } = logAndDescribe(status);
      return new Response(text, { status, headers });
    },
  };
}
