/** Finds a port for a program that can't listen on a port of its own choice. */

import { createServer } from "node:net";

/** The systems give higher ports to other listeners and to the clients of connections. */
const [FIRST, COUNT] = [20_000, 12_000];

/** @returns a port of this machine that no program uses, and that no program gets without asking for it */
export async function freePort(): Promise<number> {
  const port = FIRST + Math.floor(Math.random() * COUNT);
  const listener = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    listener.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
  });
  if (!isFree) return freePort();
  await new Promise((resolve) => listener.close(resolve));
  return port;
}
