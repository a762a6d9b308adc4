/** Tests on PostgreSQL. If no server can start, the tests are skipped, and the reason is printed. */

import { afterAll, beforeEach } from "vitest";
import { type PostgresServer, type ServerOptions, startPostgres } from "./postgres-server.ts";
import { temporaryFolder } from "./temporary.ts";

/**
 * Starts a server for the tests of a file. Stops it after the tests. Without a server, all tests are skipped.
 *
 * @returns a function that returns the server
 */
export async function postgresOfFile(options?: ServerOptions): Promise<() => PostgresServer> {
  const folder = temporaryFolder();
  let server: PostgresServer | undefined;
  let reason = "";
  try {
    server = await startPostgres(folder.path, options);
  } catch (error) {
    reason = `PostgreSQL can't start here: ${(error as Error).message}`;
    // Only some reporters show the note of a skipped test.
    process.stderr.write(`The tests of this file are skipped. ${reason}\n`);
  }
  beforeEach((context) => context.skip(server === undefined, reason));
  afterAll(async () => {
    await server?.stop();
    folder.remove();
  });
  return () => server!;
}
