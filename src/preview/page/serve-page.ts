/**
 * Serves a page on the loopback interface, and sends updates of the page to browsers. The path contains a random token.
 * So other programs and pages can't guess the address.
 */

import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { contentPolicy, documentTitle, type PreviewPage, renderContent, renderPage } from "./page.ts";

export type ServedPage = {
  /** The address of the page with its token. */
  url: string;
  /**
   * An address that redirects to `url` once, for the file that the browser opens. A copy of the file, such as one in the
   * history of the browser, does not open the page.
   */
  startUrl: string;
  /** Shows this page from now on, in open browsers too. */
  update(page: PreviewPage): void;
  /** Ends all connections and closes the server. */
  stop(): Promise<void>;
};

const HOST = "127.0.0.1";
const TOKEN_BYTES = 24;
const MAX_CONNECTIONS = 64;
/**
 * The maximum number of bytes of events that wait for one browser. One update of the page is smaller, so one unread
 * update does not end the connection.
 */
const MAX_UNREAD = 32_000_000;

const HEADERS = {
  "Content-Security-Policy": `${contentPolicy(true)}; frame-ancestors 'none'`,
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cache-Control": "no-store",
};

/** Starts the server on a free port of 127.0.0.1. @throws the error of the socket */
export async function servePage(initial: PreviewPage): Promise<ServedPage> {
  const token = randomToken();
  let startToken: string | undefined = randomToken();
  const listeners = new Set<ServerResponse>();
  let page = initial;
  let version = 1;
  let port = 0;

  const server = createServer((request, response) => {
    const answer = (status: number, type: string, body: string) =>
      response.writeHead(status, { ...HEADERS, "Content-Type": `${type}; charset=utf-8` }).end(body);
    const refusal = refusalOf(request, [`${HOST}:${port}`, `localhost:${port}`]);
    const [, given = "", rest = ""] = /^\/([^/]*)\/(.*)$/.exec(pathOf(request)) ?? [];
    if (refusal) answer(refusal.status, "text/plain", `${refusal.text}\n`);
    else if (startToken !== undefined && rest === "" && isSame(given, startToken)) {
      startToken = undefined;
      response.writeHead(302, { ...HEADERS, Location: `/${token}/` }).end();
    } else if (!isSame(given, token) || !["", "events"].includes(rest)) {
      answer(404, "text/plain", "Not found. Use the address that formctl printed.\n");
    } else if (rest === "") answer(200, "text/html", renderPage(page, String(version)));
    else {
      response.writeHead(200, { ...HEADERS, "Content-Type": "text/event-stream" });
      listeners.add(response);
      response.on("close", () => listeners.delete(response));
      // The page may have changed after the browser loaded it. The browser ignores a version that it already shows.
      response.write(updateEvent(page, version));
    }
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: HOST, port: 0 }, resolve);
  });
  port = (server.address() as AddressInfo).port;

  return {
    url: `http://${HOST}:${port}/${token}/`,
    startUrl: `http://${HOST}:${port}/${startToken}/`,
    update(next) {
      page = next;
      version += 1;
      const event = updateEvent(page, version);
      for (const response of listeners) send(response, event);
    },
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Sends an event. If the browser has more than {@link MAX_UNREAD} unread bytes, ends the connection instead. Some
 * browsers don't read their events, for example in a suspended tab, and the unread events would fill the memory. The
 * browser connects again later, and gets the current page.
 */
function send(response: ServerResponse, event: string): void {
  if (response.writableLength > MAX_UNREAD) response.destroy();
  else response.write(event);
}

/**
 * Returns the refusal of a request. Undefined if the request is accepted. The Host is checked against DNS rebinding:
 * another site may use a name that resolves to 127.0.0.1.
 */
function refusalOf(request: IncomingMessage, hosts: readonly string[]) {
  const { host = "", origin } = request.headers;
  if (!hosts.includes(host.toLowerCase())) return { status: 403, text: "This Host is not allowed." };
  if (origin !== undefined && !hosts.some((each) => origin === `http://${each}`)) {
    return { status: 403, text: "This Origin is not allowed." };
  }
  return request.method === "GET" ? undefined : { status: 405, text: "Only GET is allowed." };
}

function randomToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

function pathOf({ url = "" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "";
}

function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function updateEvent(page: PreviewPage, version: number): string {
  const data = JSON.stringify({ title: documentTitle(page), html: renderContent(page) });
  return `event: update\nid: ${version}\ndata: ${data}\n\n`;
}
