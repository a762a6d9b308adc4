/** A fault-injecting TCP proxy: real sockets, one fault per request. */

import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Fault } from "./faults.ts";
import { lastRequest, parseAnswer, wholeRequest, writeAnswer } from "./messages.ts";

export type ChaosProxy = {
  url: string;
  /** The number of requests, and the number of requests with a fault. */
  counts: { requests: number; faults: number };
  /** Waits until the server has completed all forwarded requests. */
  idle(): Promise<void>;
  close(): Promise<void>;
};

/** @param next returns the fault for a request */
export async function startProxy(target: string, next: (request: Buffer) => Fault): Promise<ChaosProxy> {
  const port = Number(new URL(target).port);
  const counts = { requests: 0, faults: 0 };
  const running = new Set<Promise<unknown>>();
  const sockets = new Set<Socket>();
  /** Sends bytes to the server and returns all bytes until the connection closes. */
  const forward = (bytes: Buffer): Promise<Buffer> => {
    const exchange = new Promise<Buffer>((resolve) => {
      const server = connect(port, "127.0.0.1");
      const chunks: Buffer[] = [];
      server.on("data", (chunk: Buffer) => chunks.push(chunk));
      server.on("error", () => undefined);
      server.on("close", () => resolve(Buffer.concat(chunks)));
      server.write(bytes);
    });
    return tracked(exchange);
  };
  const forwardCut = (bytes: Buffer, reset: boolean): Promise<void> => {
    const exchange = new Promise<void>((resolve) => {
      const server = connect(port, "127.0.0.1");
      server.on("error", () => undefined);
      server.on("close", () => resolve());
      server.resume();
      server.write(bytes, () => (reset ? server.resetAndDestroy() : server.end()));
    });
    return tracked(exchange);
  };
  const tracked = <T>(work: Promise<T>): Promise<T> => {
    running.add(work);
    void work.finally(() => running.delete(work));
    return work;
  };

  const answer = async (client: Socket, request: Buffer): Promise<void> => {
    const fault = next(request);
    counts.requests++;
    if (fault.kind !== "none") counts.faults++;
    const whole = lastRequest(request);
    if (fault.kind === "cutRequest") {
      await forwardCut(whole.subarray(0, fault.at), fault.reset);
      return fault.reset ? void client.resetAndDestroy() : void client.end();
    }
    if (fault.kind === "forge" && fault.when === "instead")
      return void client.end(writeAnswer(fault.message, "length"));
    const [bytes] = await Promise.all([forward(whole), fault.kind === "duplicate" ? forward(whole) : undefined]);
    const said = parseAnswer(bytes);
    switch (fault.kind) {
      case "forge":
        return void client.end(writeAnswer(fault.message, "length"));
      case "cutAnswer": {
        const cut = writeAnswer(said, fault.framing).subarray(0, fault.at);
        client.write(cut, () => (fault.reset ? client.resetAndDestroy() : client.end()));
        return;
      }
      case "lie":
        return void client.end(writeAnswer(said, "length", fault.by));
      case "drip": {
        const all = writeAnswer(said, "length");
        for (let at = 0; at < all.length && !client.destroyed; at += fault.bytes) {
          client.write(all.subarray(at, at + fault.bytes));
          await pause(fault.pause);
        }
        return void client.end();
      }
      default:
        return void client.end(writeAnswer(said, "length"));
    }
  };

  const proxy = createServer((client) => {
    sockets.add(client);
    client.on("close", () => sockets.delete(client));
    client.on("error", () => undefined);
    let received = Buffer.alloc(0);
    client.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const request = wholeRequest(received);
      if (!request) return;
      received = Buffer.alloc(0);
      void answer(client, request);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    counts,
    idle: async () => {
      while (running.size > 0) await Promise.all(running);
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
