/**
 * Which connections a server keeps. One that waits for its client may have to make room for another, so that no number of
 * half-sent requests closes the server (docs/decisions.md, "Limits").
 */

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export type ConnectionBudget = {
  /** Connections that wait for their client: for a request, or for the rest of one. */
  maxWaiting: number;
  /** Connections of one client: an IPv4 address, or an IPv6 network of 64 bits. */
  maxPerAddress: number;
};

export type Connections = {
  /** Ends every connection but those whose requests are being answered: their answer is the last on its connection. */
  endIdle: () => void;
};

/** How long a client has to read the last answer on its connection. */
const LINGER_MS = 500;

type Connection = { address: string; request?: IncomingMessage; response?: ServerResponse };

/** Closes a connection after `answer`, also where the client never closes its side. */
export function endSocket(socket: Socket, answer: string): void {
  socket.end(answer);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/**
 * Where the budget is used up, the connection that has waited longest for its client is closed for a new one; of the address
 * that has the most of them, so that one address can't take the places of all others. A new connection is refused only where
 * all of its address are being answered.
 */
export function limitConnections(server: Server, { maxWaiting, maxPerAddress }: ConnectionBudget): Connections {
  /** In the order in which they came, or were last answered. */
  const connections = new Map<Socket, Connection>();
  const perAddress = new Map<string, number>();

  /** Closes the longest-waiting connection for which `isEligible` holds. @returns whether there was one */
  const closeWaiting = (isEligible: (connection: Connection) => boolean): boolean => {
    for (const [socket, connection] of connections) {
      if (!isWaiting(connection) || !isEligible(connection)) continue;
      socket.destroy();
      forget(socket);
      return true;
    }
    return false;
  };
  const forget = (socket: Socket) => {
    const known = connections.get(socket);
    if (!known) return;
    connections.delete(socket);
    const left = (perAddress.get(known.address) ?? 1) - 1;
    if (left > 0) perAddress.set(known.address, left);
    else perAddress.delete(known.address);
  };

  server.on("connection", (socket: Socket) => {
    const address = addressGroup(socket.remoteAddress ?? "");
    if (
      (perAddress.get(address) ?? 0) >= maxPerAddress &&
      !closeWaiting((connection) => connection.address === address)
    ) {
      socket.destroy();
      return;
    }
    const waiting = [...connections.values()].filter(isWaiting);
    if (waiting.length >= maxWaiting) {
      const busiest = mostFrequent(waiting.map((connection) => connection.address));
      closeWaiting((connection) => connection.address === busiest);
    }
    connections.set(socket, { address });
    perAddress.set(address, (perAddress.get(address) ?? 0) + 1);
    socket.once("close", () => forget(socket));
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const connection = connections.get(socket);
    if (!connection) return;
    connections.delete(socket);
    connections.set(socket, { ...connection, request, response });
    response.once("close", () => {
      if (connections.get(socket)?.response !== response) return;
      connections.delete(socket);
      connections.set(socket, { address: connection.address });
    });
  });
  return {
    endIdle() {
      for (const [socket, { response }] of connections) {
        if (response) response.shouldKeepAlive = false;
        else socket.destroySoon();
      }
    },
  };
}

/** Whether it is the client's turn: to send a request or the rest of one, or to read its answer. */
function isWaiting({ request, response }: Connection): boolean {
  return request?.complete !== true || response?.writableEnded === true;
}

/**
 * The addresses that count as one client: an IPv4 address, also where it is mapped into IPv6, or an IPv6 network of 64
 * bits, which is what a provider gives to one customer.
 */
export function addressGroup(address: string): string {
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address);
  if (mapped) return mapped[1]!;
  if (!address.includes(":")) return address;
  const [start = "", end] = address.toLowerCase().replace(/%.*$/, "").split("::");
  const groups = start === "" ? [] : start.split(":");
  if (end !== undefined) {
    const last = end === "" ? [] : end.split(":");
    while (groups.length + last.length < 8) groups.push("0");
    groups.push(...last);
  }
  return `${groups.slice(0, 4).join(":")}::/64`;
}

function mostFrequent(words: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}
