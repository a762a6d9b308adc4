/** Finds the address of the client of a request, also behind a proxy. */

import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

type Addressed = { socket: { remoteAddress?: string | undefined }; headers: IncomingMessage["headers"] };

/**
 * Returns the address of the client. Without a proxy, this is the address of the socket. Behind a proxy, this is the
 * last entry of `X-Forwarded-For`, which the proxy has added. The client itself can write the earlier entries. If the
 * last entry is not an address, returns the address of the socket, so that a client can't choose its own address.
 */
export function clientAddress({ socket, headers }: Addressed, behindProxy: boolean): string {
  const own = socket.remoteAddress ?? "";
  const forwarded = behindProxy ? headers["x-forwarded-for"] : undefined;
  if (forwarded === undefined) return own;
  const last = String(forwarded).split(",").at(-1)!.trim();
  // Some proxies add the port: 192.0.2.1:4711, [2001:db8::1]:4711.
  const address = /^\[(.+)\](?::\d+)?$/.exec(last)?.[1] ?? /^([\d.]+):\d+$/.exec(last)?.[1] ?? last;
  return isIP(address) === 0 ? own : address;
}
