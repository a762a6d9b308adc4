/** A TCP proxy in front of a database. It counts the round trips, and simulates a distance and cut connections. */

import { connect, createServer, type Socket } from "node:net";

export type Cut = "before it arrives" | "after it arrives" | undefined;

export type DatabaseProxy = {
  port: number;
  /** Returns how often a client sent something after an answer of the database. */
  trips: () => number;
  close: () => Promise<void>;
};

/**
 * Starts the proxy.
 *
 * @param port the port of the database
 * @param options.distanceMs the additional time of a round trip in milliseconds. Each direction takes half of it
 * @param options.cut receives what a client sends, and returns whether to cut the connection
 */
export async function startDatabaseProxy(
  port: number,
  { distanceMs = 0, cut = () => undefined }: { distanceMs?: number; cut?: (sent: Buffer) => Cut } = {},
): Promise<DatabaseProxy> {
  const sockets = new Set<Socket>();
  let trips = 0;
  // Timers of the same length end in the order of their begin, so the bytes stay in order.
  const forward = (to: Socket, bytes: Buffer) =>
    distanceMs === 0 ? to.write(bytes) : setTimeout(() => to.destroyed || to.write(bytes), distanceMs / 2);
  const server = createServer((client) => {
    const database = connect(port, "127.0.0.1");
    let isAnswered = true;
    let isCut = false;
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        database.destroy();
      });
    }
    client.on("data", (bytes) => {
      if (isAnswered) trips++;
      isAnswered = false;
      const moment = cut(bytes);
      if (moment === "before it arrives") return client.destroy();
      isCut = moment !== undefined;
      return forward(database, bytes);
    });
    database.on("data", (bytes) => {
      isAnswered = true;
      // The answer shows that the request arrived.
      return isCut ? client.destroy() : forward(client, bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { port: number }).port,
    trips: () => trips,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
