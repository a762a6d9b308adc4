/** A proxy in front of a database. It answers like an attacker in the network, or like a broken server. */

import { connect, createServer, type Socket } from "node:net";

/** Bytes that a connection gets at its login, or as the answer to its first query. Then the connection ends. */
export type Attack = { name: string; at: "login" | "query"; bytes: Buffer };

export type HostileServer = {
  port: number;
  /** Ends all connections. Then answers each new connection with the next attack, as soon as all have been used again. */
  attack: (attacks: readonly Attack[]) => void;
  /** The number of connections that were attacked. */
  attacked: () => number;
  /** Sends bytes on each connection to the database. @returns the number of connections */
  inject: (bytes: Buffer) => number;
  close: () => Promise<void>;
};

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value | 0);
  return bytes;
}

/** A message. @param length the stated length. Default: the real length */
function message(type: string, body: Buffer = Buffer.alloc(0), length = body.length + 4): Buffer {
  return Buffer.concat([Buffer.from(type, "latin1"), int32(length), body]);
}

function error(code: string, severity = "ERROR", type = "E"): Buffer {
  return message(type, Buffer.from(`S${severity}\0C${code}\0Mhostile\0\0`));
}

const authentication = (kind: number, rest = Buffer.alloc(0)) => message("R", Buffer.concat([int32(kind), rest]));
const READY = message("Z", Buffer.from("I"));
const LOGGED_IN = Buffer.concat([authentication(0), READY]);

const repeated = (bytes: Buffer, times: number) => Buffer.alloc(bytes.length * times, bytes);

/** The types of messages that pg reads, and some that no server sends. */
const TYPES = "123nscWIDCZARSKENTtGHdv\0\xff".split("");

const FRAMES: readonly [name: string, bytes: Buffer][] = [
  ["a length of 0", message("D", Buffer.alloc(8), 0)],
  ["a length of 3", message("C", Buffer.alloc(8), 3)],
  ["a length of 2 GiB", message("D", Buffer.alloc(8), 0x7fffffff)],
  ["a length of 4 GiB", message("D", Buffer.alloc(8), 0xffffffff)],
  ["half a header", Buffer.from("D\0\0")],
  ["half a message", message("T", Buffer.alloc(8), 100)],
  ["an answer of another protocol", Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")],
  ["many notices", repeated(error("01000", "WARNING", "N"), 50_000)],
  ["many parameters", repeated(message("S", Buffer.from("a\0b\0")), 50_000)],
  ["nothing", Buffer.alloc(0)],
];

const CODES = [
  "53200",
  "53400",
  "58030",
  "54001",
  "0A000",
  "42601",
  "XX000",
  "22000",
  "57P01",
  "08006",
  "",
  "x",
  "'\n",
];

export const ATTACKS: readonly Attack[] = (["login", "query"] as const).flatMap((at) => [
  ...TYPES.flatMap((type) => [
    { name: `an empty message ${JSON.stringify(type)}`, at, bytes: message(type) },
    { name: `a message ${JSON.stringify(type)} of 0xff`, at, bytes: message(type, Buffer.alloc(9, 0xff)) },
  ]),
  ...FRAMES.map(([name, bytes]) => ({ name, at, bytes })),
  ...CODES.map((code) => ({ name: `the error ${JSON.stringify(code)}`, at, bytes: error(code) })),
  ...[-1, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 99].map((kind) => ({
    name: `the authentication ${kind}`,
    at,
    bytes: Buffer.concat([authentication(kind), READY]),
  })),
  {
    name: "SCRAM with many iterations",
    at,
    bytes: Buffer.concat([
      authentication(10, Buffer.from("SCRAM-SHA-256\0\0")),
      authentication(11, Buffer.from("r=x,s=eA==,i=2147483647")),
    ]),
  },
  { name: "an error of another language", at, bytes: error("57P01", "ВАЖНО") },
  {
    name: "one result for several statements",
    at,
    bytes: Buffer.concat([message("C", Buffer.from("SELECT 1\0")), READY]),
  },
  { name: "the end of the query without a result", at, bytes: READY },
]);

/** Starts the proxy. @param port the port of the database */
export async function startHostileServer(port: number): Promise<HostileServer> {
  const pairs = new Set<{ client: Socket; database?: Socket }>();
  let attacks: readonly Attack[] = [];
  let attacked = 0;
  const server = createServer((client) => {
    const pair: { client: Socket; database?: Socket } = { client };
    pairs.add(pair);
    client.on("error", () => {});
    client.on("close", () => pairs.delete(pair));
    if (attacks.length === 0) {
      const database = connect(port, "127.0.0.1");
      pair.database = database;
      database.on("error", () => {});
      database.on("close", () => client.destroy());
      client.on("close", () => database.destroy());
      client.pipe(database, { end: false }).pipe(client, { end: false });
      return;
    }
    const { at, bytes } = attacks[attacked++ % attacks.length]!;
    client.once("data", () => {
      if (at === "login") return client.end(bytes);
      client.once("data", () => client.end(bytes));
      return client.write(LOGGED_IN);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endAll = () => {
    for (const { client } of pairs) client.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    attack(next) {
      attacks = next;
      attacked = 0;
      endAll();
    },
    attacked: () => attacked,
    inject(bytes) {
      const connected = [...pairs].filter(({ database }) => database);
      for (const { client } of connected) client.write(bytes);
      return connected.length;
    },
    async close() {
      endAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
