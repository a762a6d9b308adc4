/** Servers with unusual answers. msw plays them in this process without a socket. */

import { HttpRequestInterceptor } from "@mswjs/interceptors/http";
import { http, HttpResponse } from "msw";
import { defineNetwork, InterceptorSource } from "msw/experimental";
import type { Received, Reply, TableServer } from "./table-server.ts";

type Answer = (request: Received) => Promise<Reply> | Reply;

const servers = new Map<string, Answer>();
/** The port of the newest server. Files that share a process share it. An origin leaves out port 80. */
let port = 1_024;

const network = defineNetwork({
  sources: [new InterceptorSource({ interceptors: [new HttpRequestInterceptor()] })],
  context: { quiet: true },
  handlers: [
    http.all("*", async ({ request }) => {
      const { origin, pathname, search } = new URL(request.url);
      const answer = servers.get(origin);
      if (!answer) return undefined;
      const reply = await answer({
        method: request.method,
        url: `${pathname}${search}`,
        headers: Object.fromEntries(request.headers),
        body: await request.text(),
      });
      return responseOf(reply);
    }),
  ],
});

function responseOf({ status, headers, body, cut }: Reply): Response {
  if (cut) throw new Error("only a real socket can be cut: use startServer");
  const text = body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body);
  const type = body === undefined ? {} : { "content-type": "application/json" };
  return new HttpResponse(text, { status, headers: { ...type, ...headers } });
}

/** Like `startServer`, but without a socket. So the answer `cut` is not supported. */
export async function simulateServer(answer: Answer): Promise<TableServer> {
  // The port is never opened. Each server has its own origin, because a token belongs to an origin.
  const url = `http://localhost:${++port}`;
  const received: Received[] = [];
  if (servers.size === 0) network.enable();
  servers.set(url, (request) => {
    received.push(request);
    return answer(request);
  });
  return {
    url,
    received,
    async close() {
      servers.delete(url);
      if (servers.size === 0) network.disable();
    },
  };
}
