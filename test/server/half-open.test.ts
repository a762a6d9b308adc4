/** Connections that wait for their client. They end, and leave room for other connections. */

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setImmediate, setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { addressGroup } from "../../src/server/connections.ts";
import { CONNECTION_LIMITS, listen } from "../../src/server/listen.ts";

type Limits = Partial<typeof CONNECTION_LIMITS>;

/** A server whose requests to `/slow` run until the test calls `letGo`. */
async function open(limits: Limits) {
  const { promise, resolve: letGo } = Promise.withResolvers<void>();
  const handler = async (request: Request) => {
    if (new URL(request.url).pathname === "/slow") await promise;
    return new Response("done");
  };
  const { url, stop } = await listen({ host: "127.0.0.1", port: 0, handler, limits });
  const sockets: Socket[] = [];
  onTestFinished(async () => {
    letGo();
    for (const socket of sockets) socket.destroy();
    await stop();
  });
  const port = Number(new URL(url).port);
  const send = async (bytes: string, localAddress = "127.0.0.1") => {
    const socket = connect({ port, host: "127.0.0.1", localAddress, allowHalfOpen: true });
    sockets.push(socket);
    let text = "";
    const state = { socket, text: () => text, closed: false };
    socket.on("error", () => undefined);
    socket.on("close", () => (state.closed = true));
    socket.on("end", () => (state.closed = true));
    socket.on("data", (chunk) => (text += chunk.toString("latin1")));
    await once(socket, "connect");
    socket.write(bytes);
    await setTimeout(20);
    // On a busy machine, the timer may end before the server, which is in this process, has read the bytes.
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    return state;
  };
  return { send, letGo };
}

const request = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;

describe("a connection", () => {
  it("is closed soon after a refusal, even if the client keeps it open", async () => {
    const { send } = await open({ headersTimeout: 100 });
    for (const bytes of ["GET / HTTP/1.1\r\nhost: loc", "\u0001\r\n\r\n"]) {
      const { socket, text } = await send(bytes);
      if (text() === "") await once(socket, "data");
      expect(text()).toMatch(/^HTTP\/1\.1 40[08]/);
      const failed = new Promise((resolve) => socket.once("error", resolve));
      const started = performance.now();
      const poke = setInterval(() => socket.write("x"), 50);
      onTestFinished(() => clearInterval(poke));
      expect(await failed).toMatchObject({ code: expect.stringMatching(/^(?:EPIPE|ECONNRESET)$/) as string });
      expect(performance.now() - started).toBeLessThan(5_000);
    }
  });

  it("that waits longest for its client is closed for a new one at the limit", async () => {
    const { send } = await open({ maxWaiting: 3 });
    const waiting = [await send("GET"), await send("GET"), await send(request("/"))];
    // The third connection has waited only since its answer, so the other two have waited longer.
    await expect.poll(waiting[2]!.text).toContain("200 OK");
    const more = [await send("GET"), await send("GET")];
    await expect
      .poll(() => [...waiting, ...more].map(({ closed }) => closed))
      .toEqual([true, true, false, false, false]);
  });

  it("is not closed for a new one while its request runs", async () => {
    const { send, letGo } = await open({ maxWaiting: 2 });
    const slow = await send(request("/slow"));
    for (let times = 0; times < 5; times++) await send("GET");
    expect(slow.closed).toBe(false);
    letGo();
    await expect.poll(slow.text).toContain("200 OK");
  });

  it("of the client with most waiting connections is closed first", async () => {
    const { send } = await open({ maxWaiting: 4 });
    const other = await send("GET", "127.0.0.2");
    for (let times = 0; times < 6; times++) await send("GET", "127.0.0.3");
    expect(other.closed).toBe(false);
  });

  it("is refused if all connections of its client are running, and other clients are accepted", async () => {
    const { send, letGo } = await open({ maxPerAddress: 3 });
    const running: Awaited<ReturnType<typeof send>>[] = [];
    for (let times = 0; times < 3; times++) running.push(await send(request("/slow"), "127.0.0.2"));
    const [refused, other] = [await send(request("/"), "127.0.0.2"), await send(request("/"), "127.0.0.3")];
    await expect.poll(() => [refused.closed, other.text().slice(0, 15)]).toEqual([true, "HTTP/1.1 200 OK"]);
    expect(refused.text()).toBe("");
    letGo();
    await expect
      .poll(() => running.map(({ text }) => text().slice(0, 15)))
      .toEqual(running.map(() => "HTTP/1.1 200 OK"));
  });

  it("whose client does not read is closed after a timeout", async () => {
    expect(CONNECTION_LIMITS.silenceTimeout).toBe(60_000);
    const { send } = await open({ silenceTimeout: 200 });
    const { socket } = await send(request("/slow"));
    const late = setTimeout(40_000, undefined, { ref: false }).then(() => expect.fail());
    await Promise.race([once(socket, "close"), once(socket, "end"), late]);
  });
});

describe("the limit of connections per client", () => {
  it("counts all addresses of an IPv6 network of 64 bits as one client", () => {
    const network = "2001:db8:1:2::/64";
    for (const address of ["2001:db8:1:2::", "2001:db8:1:2::1", "2001:DB8:1:2:a:b:c:d", "2001:db8:1:2::1%eth0"])
      expect(addressGroup(address)).toBe(network);
    expect(addressGroup("2001:db8:1:3::1")).not.toBe(network);
    expect(addressGroup("2001:db8::1")).toBe(addressGroup("2001:db8::2:0:0:1"));
    expect(addressGroup("::1")).toBe("0:0:0:0::/64");
  });

  it("counts an IPv4 address that is mapped into IPv6 as that IPv4 address", () => {
    expect(addressGroup("::ffff:192.0.2.1")).toBe("192.0.2.1");
    expect(addressGroup("192.0.2.2")).toBe("192.0.2.2");
  });
});
