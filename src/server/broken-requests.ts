/** What never reaches the handler is refused here, and in JSON too: broken, too large or too slow requests. */

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { endSocket } from "./connections.ts";
import { requestIdFrom, type HandlerOptions } from "./handler.ts";

const REFUSALS = {
  400: ["BAD_REQUEST", "this is not a request of HTTP/1.1"],
  408: ["REQUEST_TIMEOUT", "the request took too long to arrive"],
  414: ["URI_TOO_LONG", "the URL is too long"],
  417: ["EXPECTATION_FAILED", "only the expectation 100-continue can be met"],
  431: ["HEADERS_TOO_LARGE", "the headers are too large"],
  500: ["INTERNAL", "something went wrong inside"],
} as const;

type Status = keyof typeof REFUSALS;

/** A path over the limit is not needed whole to be found again. */
const LOGGED_PATH_LENGTH = 1_000;

export type ErrorResponder = {
  /** A request whose head has been read. */
  refuse: (request: IncomingMessage, response: ServerResponse, status: Status) => void;
  /** Bytes that never became a request are answered on the bare socket. */
  answerBroken: (error: NodeJS.ErrnoException, socket: Socket) => void;
  /** What the handler could not be given. */
  answer: (status: Status) => Response;
};

/** Each refusal has an id and a line in the log, like any other answer. */
export function createErrorResponder({
  newRequestId,
  log,
}: Pick<HandlerOptions, "newRequestId" | "log">): ErrorResponder {
  /** @returns the text and the headers of the answer */
  const note = (status: Status, request?: IncomingMessage) => {
    const offered = request?.headers["x-request-id"];
    const requestId = requestIdFrom(typeof offered === "string" ? offered : null, newRequestId);
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
      const { text, headers } = note(status, request);
      response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(text) }).end(text);
    },
    answerBroken(error, socket) {
      if (!socket.writable || error.code === "ECONNRESET") {
        socket.destroy();
        return;
      }
      const status = error.code === "HPE_HEADER_OVERFLOW" ? 431 : error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
      const { text, headers } = note(status);
      const lines = Object.entries({ ...headers, "content-length": Buffer.byteLength(text) })
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join("");
      endSocket(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${text}`);
    },
    answer(status) {
      const { text, headers } = note(status);
      return new Response(text, { status, headers });
    },
  };
}
