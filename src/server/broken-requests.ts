/** What never reaches the handler is refused here, and in JSON too: broken, too large or too slow requests. */

import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";

const REFUSALS = {
  400: ["BAD_REQUEST", "this is not a request of HTTP/1.1"],
  408: ["REQUEST_TIMEOUT", "the request took too long to arrive"],
  414: ["URI_TOO_LONG", "the URL is too long"],
  417: ["EXPECTATION_FAILED", "only the expectation 100-continue can be met"],
  431: ["HEADERS_TOO_LARGE", "the headers are too large"],
  500: ["INTERNAL", "something went wrong inside"],
} as const;

type Status = keyof typeof REFUSALS;

export const REFUSAL_HEADERS = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  connection: "close",
};

export function refusalText(status: Status): string {
  const [code, message] = REFUSALS[status];
  return JSON.stringify({ error: { code, message } });
}

export function refuse(response: ServerResponse, status: Status): void {
  const text = refusalText(status);
  response.writeHead(status, { ...REFUSAL_HEADERS, "content-length": Buffer.byteLength(text) }).end(text);
}

/** Bytes that never became a request are answered on the bare socket. */
export function answerBroken(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const status = error.code === "HPE_HEADER_OVERFLOW" ? 431 : error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
  const text = refusalText(status);
  const headers = Object.entries({ ...REFUSAL_HEADERS, "content-length": Buffer.byteLength(text) });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${text}`);
}
