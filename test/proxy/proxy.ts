/**
 * A server between a program and a formctl server, over a real socket. Manners change what passes through it, so a test
 * can simulate a server that differs from ours.
 */

import { onTestFinished } from "vitest";
import type { JsonObject } from "../../src/schemas/json.ts";
import { type Received, type Reply, startServer } from "../client/table-server.ts";
import type { Handler } from "../contract/in-process.ts";

/** A request. A manner may change its members. */
export type Asked = {
  method: string;
  /** The path without the query. */
  path: string;
  query: URLSearchParams;
  headers: Record<string, string>;
  /** `undefined` means that the request has no body. */
  body: JsonObject | undefined;
};

/** Forwards a request to the formctl server. The body of the reply is parsed, if it is JSON. */
export type Pass = (asked: Asked) => Promise<Reply>;

/** A difference between a server and ours. A manner with a state belongs to one proxy. */
export type Manner = {
  /** Changes the request, or answers it. Without an answer, the request is forwarded. */
  request?: (asked: Asked, pass: Pass) => Promise<Reply | undefined> | Reply | undefined;
  /** Changes the reply, or returns another one. */
  answer?: (reply: Reply, asked: Asked) => Promise<Reply | undefined> | Reply | undefined;
};

export type Proxy = {
  url: string;
  received: Asked[];
  /** The writes so far, as method and path. @param since the number of earlier requests to leave out */
  writes(since?: number): string[];
};

export type ProxyOptions = Manner & {
  /** The manners of the server. The first one receives requests first. `request` and `answer` precede them. */
  manners?: readonly Manner[];
};

/** Opens a proxy until the end of the test. @param server the URL of the formctl server, or its handler */
export async function openProxy(server: string | Handler, { manners = [], ...own }: ProxyOptions = {}): Promise<Proxy> {
  const received: Asked[] = [];
  const answer = handlerOf([own, ...manners], (asked) => forward(server, asked));
  const proxy = await startServer((request) => {
    const asked = parsed(request);
    received.push(copyOf(asked));
    return answer(asked);
  });
  onTestFinished(() => proxy.close());
  return {
    url: proxy.url,
    received,
    writes: (since = 0) =>
      received.slice(since).flatMap(({ method, path }) => (method === "GET" ? [] : [`${method} ${path}`])),
  };
}

/** Opens a proxy between a program and its server. */
export async function insertProxy(
  { env }: { env: Record<string, string> },
  options: ProxyOptions = {},
): Promise<Proxy> {
  const proxy = await openProxy(env["FORMCTL_BASE_URL"]!, options);
  env["FORMCTL_BASE_URL"] = proxy.url;
  return proxy;
}

/** Joins manners into one. The first one receives requests first. */
export function joined(...manners: readonly Manner[]): Manner {
  return { request: (asked, pass) => handlerOf(manners, pass)(asked) };
}

/** Returns the reply of a server that refuses a request. */
export function refusal(status: number, error: object = { code: `HTTP_${status}`, message: "no" }): Reply {
  return { status, body: { error } };
}

function handlerOf(manners: readonly Manner[], last: Pass): Pass {
  return manners.reduceRight<Pass>((next, { request, answer }) => {
    // A copy, because a manner may forward a request twice, and the next manners may change what they receive.
    const pass: Pass = (asked) => next(copyOf(asked));
    return async (asked) => {
      const reply = (await request?.(asked, pass)) ?? (await pass(asked));
      return (await answer?.(reply, asked)) ?? reply;
    };
  }, last);
}

function copyOf({ query, ...asked }: Asked): Asked {
  return { ...structuredClone(asked), query: new URLSearchParams(query) };
}

function parsed({ method, url, headers, body }: Received): Asked {
  const { pathname, searchParams } = new URL(url, "http://proxy");
  const sent = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return {
    method,
    path: pathname,
    query: searchParams,
    headers: Object.fromEntries(sent),
    body: body === "" ? undefined : (JSON.parse(body) as JsonObject),
  };
}

/** The headers that belong to one connection, or to the encoding of a body. */
const OF_CONNECTION =
  /^(connection|host|content-length|keep-alive|transfer-encoding|accept-encoding|content-encoding)$/;

async function forward(server: string | Handler, { method, path, query, headers, body }: Asked): Promise<Reply> {
  const url = `${typeof server === "string" ? server : "http://localhost"}${path}`;
  const request = new Request(query.size > 0 ? `${url}?${query.toString()}` : url, {
    method,
    headers: withoutConnection(Object.entries(headers)),
    ...(body && { body: JSON.stringify(body) }),
  });
  const response = await (typeof server === "string" ? fetch(request) : server(request));
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  return {
    status: response.status,
    headers: withoutConnection([...response.headers]),
    ...(text !== "" && { body: isJson ? (JSON.parse(text) as unknown) : text }),
  };
}

function withoutConnection(headers: readonly [string, string][]): Record<string, string> {
  return Object.fromEntries(headers.filter(([name]) => !OF_CONNECTION.test(name)));
}
