/** A program that answers at the address of the database, and asks for the password in plain text. */

import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import sql from "sql-template-tag";
import { describe, expect, it, onTestFinished } from "vitest";
import { openPostgres } from "../../../src/store/postgres/postgres.ts";
import { newAuthority } from "../../e2e/certificates.ts";
import { skipTests } from "../../skip.ts";
import { temporaryFolders } from "../../temporary.ts";

/** An address of this machine at which it looks like another one. */
const ADDRESS = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ internal, family }) => !internal && family === "IPv4")?.address;
const reasonWithoutNetwork = ADDRESS === undefined ? "this machine has no address in a network" : undefined;

const newFolder = temporaryFolders();
const PASSWORD = "secret-of-the-store";
const ASK = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);
const authority = newAuthority("Test authority");

/** Starts the program. @param isEncrypted whether it speaks TLS @returns its port, and what it received */
async function startImpostor(isEncrypted: boolean): Promise<{ port: number; received: () => string }> {
  let received = "";
  const login = (socket: Socket) => {
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1");
      // In parts, as a network may deliver it.
      if (!bytes.includes(PASSWORD)) for (const byte of ASK) socket.write(Buffer.of(byte));
      else socket.destroy();
    });
  };
  const server = createServer((socket) => {
    if (!isEncrypted) return login(socket);
    socket.on("error", () => {});
    return socket.once("data", () => {
      socket.write("S");
      login(new TLSSocket(socket, { isServer: true, ...authority.issue() }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, received: () => received };
}

async function connectTo(host: string, port: number, parameters: string): Promise<unknown> {
  const store = openPostgres(`postgres://u:${PASSWORD}@${host}:${port}/db${parameters}`);
  try {
    return await store.read((tx) => tx.first(sql`SELECT 1`)).catch((error: unknown) => error);
  } finally {
    await store.close();
  }
}

describe("in a network", () => {
  skipTests(reasonWithoutNetwork);

  it.each([
    ["without TLS", "?sslmode=disable", false],
    ["with any certificate", "?sslmode=require", true],
  ])("gets no password: %s", async (_where, parameters, isEncrypted) => {
    const { port, received } = await startImpostor(isEncrypted);
    const error = await connectTo(ADDRESS!, port, parameters);
    expect(received()).toContain("user\0u\0");
    expect(received()).not.toContain(PASSWORD);
    expect(error).toMatchObject({
      code: "STORE_UNUSABLE",
      message: expect.stringContaining("asks for the password in plain text") as string,
    });
  });
});

it("control: a server whose certificate is verified gets the password", async () => {
  const { port, received } = await startImpostor(true);
  const file = join(newFolder(), "ca.pem");
  writeFileSync(file, authority.cert);
  await connectTo("localhost", port, `?sslmode=verify-full&sslrootcert=${file}`);
  expect(received()).toContain(PASSWORD);
});

it("a server on this machine gets the password", async () => {
  const { port, received } = await startImpostor(false);
  await connectTo("127.0.0.1", port, "");
  expect(received()).toContain(PASSWORD);
});
