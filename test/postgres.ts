/**
 * PostgreSQL for the tests of a file. Where it can't start, the tests are skipped, and the reason is printed.
 */

import { afterAll, beforeAll, type TestContext } from "vitest";
import { type PostgresServer, type ServerOptions, startPostgres } from "./postgres-server.ts";
import { temporaryFolder } from "./temporary.ts";

/**
 * Starts a server for the tests of a file or of a `describe`, and removes it after them.
 *
 * @returns a function that returns the server, or skips the test if there is none
 */
export function postgresOfFile(options?: ServerOptions): (test: Pick<TestContext, "skip">) => PostgresServer {
  let server: PostgresServer | undefined;
  let reason = "";
  const folder = temporaryFolder();
  beforeAll(async () => {
    try {
      server = await startPostgres(folder.path, options);
    } catch (error) {
      reason = `no PostgreSQL: ${(error as Error).message}`;
      console.warn(reason);
    }
  });
  afterAll(async () => {
    await server?.stop();
    folder.remove();
  });
  return (test) => server ?? test.skip(reason);
}
