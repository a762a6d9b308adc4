/**
 * A network between a client and a server: what only an intermediary can do to a message. It forwards bytes, so the
 * faults of the server reach the client as they are.
 */

import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type NetworkFault =
  /** Only the first `at` bytes of the request reach the server. */
  | { kind: "cutRequest"; at: number; reset: boolean }
  /** The request reaches the server twice. */
  | { kind: "duplicate" }
  /** The answer declares another length than it has. */
  | { kind: "wrongLength"; by: number }
  /** The client receives another answer: `instead` of sending the request, or `after` the server has answered it. */
  | { kind: "forged"; when: "instead" | "after"; answer: string };

export type Network = {
  url: string;
  /** The number of requests, and the number of requests with a fault. */
  counts: { requests: number; faults: number };
  /** Waits until the server has closed the connections of all forwarded requests. */
  idle(): Promise<void>;
  close(): Promise<void>;
};

/** @param next returns the fault of a request, if it has one */
export async function startNetwork(
  target: string,
  next: (request: Buffer) => NetworkFault | undefined,
): Promise<Network> {
  const port = Number(new URL(target).port);
  const counts = { requests: 0, faults: 0 };
  const running = new Set<Promise<unknown>>();
  const sockets = new Set<Socket>();
  /**
   * Sends bytes on a new connection. Ends when the server closes it.
   *
   * @param to receives the answer as it arrives, until it leaves
   * @param ending how the connection ends after the bytes. By default, the server ends it
   */
  const forward = (bytes: Buffer, { to, ending }: { to?: Socket; ending?: "end" | "resetAndDestroy" } = {}) => {
    const exchange = new Promise<{ answer: Buffer; isReset: boolean }>((resolve) => {
      const server = connect(port, "127.0.0.1");
      const parts: Buffer[] = [];
      let isReset = false;
      server.on("data", (part: Buffer) => {
        parts.push(part);
        if (to?.destroyed) server.destroy();
        else to?.write(part);
      });
      server.on("error", () => (isReset = true));
      server.on("close", () => resolve({ answer: Buffer.concat(parts), isReset }));
      server.write(bytes, () => ending && server[ending]());
    });
    running.add(exchange);
    void exchange.finally(() => running.delete(exchange));
    return exchange;
  };
  const carry = async (client: Socket, request: Buffer): Promise<void> => {
    const fault = next(request);
    counts.requests++;
    if (fault) counts.faults++;
    const whole = lastRequest(request);
    if (fault?.kind === "cutRequest") {
      const ending = fault.reset ? "resetAndDestroy" : "end";
      await forward(whole.subarray(0, fault.at), { ending });
      client[ending]();
      return;
    }
    if (fault?.kind === "forged") {
      if (fault.when === "after") await forward(whole);
      client.end(fault.answer);
      return;
    }
    // An answer with a wrong length is changed as a whole. All others pass as they arrive.
    const isChanged = fault?.kind === "wrongLength";
    const [{ answer, isReset }] = await Promise.all([
      forward(whole, isChanged ? {} : { to: client }),
      fault?.kind === "duplicate" ? forward(whole) : undefined,
    ]);
    if (isChanged) client.write(withLength(answer, fault.by));
    if (isReset) client.resetAndDestroy();
    else client.end();
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
      void carry(client, request);
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

/** Returns the first complete request in `bytes`. A body needs a `content-length`. */
function wholeRequest(bytes: Buffer): Buffer | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(bytes.toString("latin1", 0, end))?.[1] ?? 0);
  const size = end + 4 + length;
  return bytes.length >= size ? bytes.subarray(0, size) : undefined;
}

/** Returns the request with a header that asks the server to close the connection afterwards. */
function lastRequest(bytes: Buffer): Buffer {
  const end = bytes.indexOf("\r\n\r\n");
  const head = bytes.toString("latin1", 0, end).replace(/\r\nconnection:[^\r]*/i, "");
  return Buffer.concat([Buffer.from(`${head}\r\nconnection: close`, "latin1"), bytes.subarray(end)]);
}

/** Returns an answer that declares `by` bytes more than it has. */
function withLength(answer: Buffer, by: number): Buffer {
  const changed = (_header: string, name: string, length: string) => `${name}${Math.max(0, Number(length) + by)}`;
  return Buffer.from(answer.toString("latin1").replace(/(\r\ncontent-length: *)(\d+)/i, changed), "latin1");
}

/** Returns an answer that the server never gave. */
export function forgedAnswer(status: number, type: string, body: string, headers: readonly string[] = []): string {
  const lines = [`HTTP/1.1 ${status} Forged`, `content-type: ${type}`, `content-length: ${body.length}`, ...headers];
  return `${lines.join("\r\n")}\r\nconnection: close\r\n\r\n${body}`;
}
