/** A TCP proxy in front of a database. It cuts the connection at a commit. */

import { connect, createServer, type Socket } from "node:net";

export type Cut = "before the commit arrives" | "after the commit arrives" | undefined;

/**
 * Starts the proxy.
 *
 * @param port the port of the database
 * @param next returns whether to cut the connection of the current commit
 */
export async function startCuttingProxy(
  port: number,
  next: () => Cut,
): Promise<{ port: number; close: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(port, "127.0.0.1");
    let isCut = false;
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => (client.destroy(), database.destroy()));
    }
    client.on("data", (bytes) => {
      const cut = bytes.includes("COMMIT") ? next() : undefined;
      if (cut === "before the commit arrives") return client.destroy();
      isCut = cut !== undefined;
      return database.write(bytes);
    });
    // The answer to the commit shows that the commit arrived.
    database.on("data", (bytes) => (isCut ? client.destroy() : client.write(bytes)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { port: number }).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
