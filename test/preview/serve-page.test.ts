/** The server of the page, over real HTTP. */

import { type IncomingMessage, request } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import type { PreviewPage } from "../../src/preview/page/page.ts";
import { servePage } from "../../src/preview/page/serve-page.ts";

const PAGE: PreviewPage = { title: "First", entries: [] };

async function served() {
  const page = await servePage(PAGE);
  onTestFinished(() => page.stop());
  return { page, url: new URL(page.url) };
}

type Asked = { path?: string; method?: string; headers?: Record<string, string> };

function ask({ port, pathname }: URL, { path = pathname, method = "GET", headers = {} }: Asked = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => (body += text));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    sent.on("error", reject).end();
  });
}

describe("the server of a page", () => {
  it("serves the page at an address with a random token, on 127.0.0.1 only", async () => {
    const [one, two] = [await served(), await served()];
    expect(one.url.hostname).toBe("127.0.0.1");
    // 192 bits have 32 characters in base64url.
    expect(one.url.pathname).toMatch(/^\/[\w-]{32}\/$/);
    expect(one.url.pathname).not.toBe(two.url.pathname);
    const { status, body } = await ask(one.url);
    expect([status, body.includes('<h1 id="title">First</h1>')]).toEqual([200, true]);
  });

  it("accepts localhost as the host", async () => {
    const { url } = await served();
    expect((await ask(url, { headers: { host: `localhost:${url.port}` } })).status).toBe(200);
  });

  it.each(["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost", "localhost.evil.example:PORT"])(
    "refuses the host %s",
    async (host) => {
      const { url } = await served();
      const { status, body } = await ask(url, { headers: { host: host.replace("PORT", url.port) } });
      expect([status, body]).toEqual([403, "This Host is not allowed.\n"]);
    },
  );

  it("refuses another origin", async () => {
    const { url } = await served();
    expect((await ask(url, { headers: { origin: "https://evil.example" } })).status).toBe(403);
    expect((await ask(url, { headers: { origin: url.origin } })).status).toBe(200);
  });

  it.each(["/", "/events", "/TOKEN", "/TOKEN/other", "/TOKENx/", "/x/TOKEN/", "/TOKEN/../TOKEN/events/"])(
    "refuses the path %s",
    async (path) => {
      const { url } = await served();
      const token = url.pathname.slice(1, -1);
      expect((await ask(url, { path: path.replaceAll("TOKEN", token) })).status).toBe(404);
    },
  );

  it("redirects the start address to the page, and only once", async () => {
    const { page, url } = await served();
    const start = new URL(page.startUrl);
    const { status, headers } = await ask(start);
    expect([status, headers["location"]]).toEqual([302, url.pathname]);
    expect((await ask(start)).status).toBe(404);
    expect((await ask(url)).status).toBe(200);
  });

  it("ends the connection of a browser that does not read the updates", async () => {
    const { page, url } = await served();
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request({ host: "127.0.0.1", port: url.port, path: `${url.pathname}events` }, resolve);
      sent.on("error", reject).end();
    });
    const ended = new Promise<void>((resolve) => response.once("close", resolve).on("error", () => undefined));
    response.pause();
    const title = "x".repeat(4_000_000);
    for (let count = 0; count < 15; count++) {
      page.update({ title, entries: [] });
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    response.resume();
    await ended;
    expect(response.complete).toBe(false);
    expect((await ask(url)).status).toBe(200);
  });

  it("refuses requests that write", async () => {
    const { url } = await served();
    expect((await ask(url, { method: "POST" })).status).toBe(405);
  });

  it("forbids other sites to frame or read the page, and browsers to keep or leak it", async () => {
    const { url } = await served();
    for (const path of [url.pathname, "/"]) {
      const { headers } = await ask(url, { path });
      expect(headers).toMatchObject({
        "content-security-policy": expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'$/),
        "referrer-policy": "no-referrer",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "no-store",
      });
      expect(headers).not.toHaveProperty("access-control-allow-origin");
    }
  });

  it("sends updates to open browsers, and the current page to those that connect later", async () => {
    const { page, url } = await served();
    const events: string[] = [];
    const closed = new Promise<void>((resolve) => {
      const sent = request({ host: "127.0.0.1", port: url.port, path: `${url.pathname}events` }, (response) => {
        response.setEncoding("utf8").on("data", (text: string) => events.push(text));
        response.on("error", () => undefined).on("close", () => resolve());
      });
      sent.end();
    });
    await expect.poll(() => events.length).toBe(1);
    page.update({ title: "Second", entries: [] });
    await expect.poll(() => events.at(-1)).toBe('event: update\nid: 2\ndata: {"title":"Second","html":""}\n\n');
    expect((await ask(url)).body).toContain('<h1 id="title">Second</h1>');
    await page.stop();
    await closed;
    await expect(ask(url)).rejects.toThrow(/ECONNREFUSED/);
  });
});
