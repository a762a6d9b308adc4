/** A small server of the operation table, on a real socket. Tests of the client use it, with and without faults. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type OperationName, operationRow, operations } from "../../src/schemas/operations.ts";
import { readQuery } from "../../src/schemas/read-query.ts";
import { type Service, ServiceError } from "../../src/service.ts";

export type Received = { method: string; url: string; headers: IncomingMessage["headers"]; body: string };
export type Reply = {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** The server closes the connection without an answer. */
  cut?: true;
};

export type TableServer = {
  url: string;
  received: Received[];
  close(): Promise<void>;
};

/** @param answer returns the reply to a request */
export async function startServer(answer: (request: Received) => Promise<Reply> | Reply): Promise<TableServer> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void handle(request, response);
  });
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "GET", url = "/", headers } = request;
    const seen = { method, url, headers, body: Buffer.concat(chunks).toString("utf8") };
    received.push(seen);
    const { status, headers: more, body, cut } = await answer(seen);
    if (cut) {
      response.destroy();
      return;
    }
    const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
    const type = body === undefined ? {} : { "content-type": "application/json" };
    response.writeHead(status, { ...type, "content-length": Buffer.byteLength(text), ...more });
    response.end(text);
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers with a service, according to the table of operations. */
export async function byTable(service: Service, { method, url, body }: Received): Promise<Reply> {
  const { pathname, searchParams } = new URL(url, "http://server");
  for (const name of Object.keys(operations) as OperationName[]) {
    const row = operationRow(name);
    const parameters = row.method === method ? matchPath(row.path, pathname) : undefined;
    if (!parameters) continue;
    const { query } = await readQuery(searchParams, row);
    const input = {
      ...parameters,
      ...(row.query && { query }),
      ...(row.body && { body: body === "" ? undefined : (JSON.parse(body) as unknown) }),
    };
    try {
      const output = await (service[name] as (input: unknown) => Promise<unknown>)(input);
      if (row.status === 204) return { status: 204 };
      const headers = Array.isArray(output) ? { "x-total-count": String(output.length) } : {};
      return { status: row.status, headers, body: row.paged ? output : { data: output } };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { status: error.status, body: { error: error.body } };
    }
  }
  return { status: 404, body: { error: { code: "NOT_FOUND", message: "no such endpoint" } } };
}

/** The first match is correct: in the table, paths with fixed words precede paths with parameters. */
function matchPath(path: string, pathname: string): Record<string, string> | undefined {
  const pattern = path.replace(/:(\w+)/g, "(?<$1>[^/]+)");
  const found = new RegExp(`^${pattern}$`).exec(pathname);
  return found
    ? Object.fromEntries(Object.entries(found.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]))
    : undefined;
}
