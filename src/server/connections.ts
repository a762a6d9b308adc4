/**
 * Limits the connections of a server. A new connection can close a connection that waits for its client. So half-sent
 * requests can't block the server (docs/decisions.md, "Limits").
 */

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Server as TlsServer } from "node:https";
import type { Socket } from "node:net";

export type ConnectionBudget = {
  /**
   * The maximum number of waiting connections. A connection waits while its client has to send a request or to read a
   * response.
   */
  maxWaiting: number;
  /** The maximum number of connections of one client. A client is an IPv4 address or an IPv6 network of 64 bits. */
  maxPerAddress: number;
};

export type Connections = {
  /** Closes idle connections. Other connections close after their current response. */
  endIdle: () => void;
  /** Returns the number of connections whose request is being answered. */
  running: () => number;
  /** Whether a response can be sent on this connection: with TLS, after the handshake. */
  isReady: (socket: Socket) => boolean;
};

/** The time in milliseconds that a client has to read the last response on its connection. */
const LINGER_MS = 500;

/** `handshake` is the key of the connection in `handshakes` below. It exists only during the TLS handshake. */
type Connection = { address: string; handshake?: string; request?: IncomingMessage; response?: ServerResponse };

/** Sends `response`, and closes the connection after {@link LINGER_MS} at the latest. */
export function endSocket(socket: Socket, response: string): void {
  socket.end(response);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/**
 * Limits the connections of a server:
 *
 * - If `maxWaiting` connections are waiting, a new connection closes a waiting connection of the client with the most
 *   waiting connections. So a client with many connections can't displace the connections of clients with few.
 * - If a client has `maxPerAddress` connections, a new connection closes a waiting connection of this client. If none
 *   is waiting, the new connection is refused.
 *
 * In each case, the connection of this client that has waited longest is closed.
 */
export function limitConnections(
  server: Server | TlsServer,
  { maxWaiting, maxPerAddress }: ConnectionBudget,
): Connections {
  /**
   * The open connections, ordered by the time of their last event. An event is the arrival, a request, or the end of a
   * response.
   */
  const connections = new Map<Socket, Connection>();
  const perAddress = new Map<string, number>();
  /**
   * The plain sockets of connections whose TLS handshake has not ended. The keys are the results of `peerOf`. After the
   * handshake, Node reports each of these connections again, with another socket.
   */
  const handshakes = new Map<string, Socket>();

  /** Closes the longest-waiting connection that `isEligible` accepts. @returns whether a connection was closed */
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
    if (known.handshake !== undefined) handshakes.delete(known.handshake);
    const left = (perAddress.get(known.address) ?? 1) - 1;
    if (left > 0) perAddress.set(known.address, left);
    else perAddress.delete(known.address);
  };

  const isTls = "setSecureContext" in server;
  // Node's own listener moves a TLS connection to another socket, so this listener must run first.
  server.prependListener("connection", (socket: Socket) => {
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
    const handshake = isTls ? peerOf(socket) : undefined;
    if (handshake !== undefined) handshakes.set(handshake, socket);
    connections.set(socket, { address, ...(handshake !== undefined && { handshake }) });
    perAddress.set(address, (perAddress.get(address) ?? 0) + 1);
    socket.once("close", () => forget(socket));
  });
  server.prependListener("secureConnection", (secure: Socket) => {
    const socket = handshakes.get(peerOf(secure));
    const connection = socket && connections.get(socket);
    if (!connection) {
      secure.destroy();
      return;
    }
    handshakes.delete(peerOf(secure));
    connections.delete(socket);
    connections.set(secure, { address: connection.address });
    secure.once("close", () => forget(secure));
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
    running: () => [...connections.values()].filter(({ response }) => response !== undefined).length,
    isReady: (socket) => !isTls || connections.has(socket),
  };
}

/** Returns a text that identifies the connection of a socket among the open connections. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Whether the server waits for the client to send a request or to read a response. */
function isWaiting({ request, response }: Connection): boolean {
  return request?.complete !== true || response?.writableEnded === true;
}

/**
 * Returns the client to which an address belongs. A client is an IPv4 address, or an IPv6 network of 64 bits: a
 * provider gives such a network to one customer. An IPv4 address in IPv6 notation counts as the IPv4 address.
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
