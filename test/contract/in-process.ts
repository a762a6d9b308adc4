/** Turns a handler of requests into the fetch of a client, without a socket. */

import type { Fetch } from "../../src/client/fetch.ts";

export type Handler = (request: Request) => Promise<Response>;

export function fetchOf(handler: Handler): Fetch {
  return async (url, { method, headers, body, signal }) => {
    const answer = await handler(new Request(url, { method, headers, signal, ...(body !== undefined && { body }) }));
    return { status: answer.status, headers: answer.headers, body: answer.body };
  };
}
