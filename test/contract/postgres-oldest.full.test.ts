/** The contract of the service, and the demo, on the oldest supported version of PostgreSQL. */

import { expect, it } from "vitest";
import { OLDEST_POSTGRES } from "../../src/store/postgres/errors.ts";
import { emptyHome, formctl } from "../e2e/program.ts";
import { postgresOfFile } from "../postgres.ts";
import { engineOnPostgres } from "./postgres-provider.ts";
import { contract } from "./suite.ts";

const serverOfFile = await postgresOfFile({ version: OLDEST_POSTGRES });

contract(engineOnPostgres(serverOfFile));

it("creates the demo, and finds no problems", async () => {
  const server = serverOfFile();
  const [{ server_version: version } = { server_version: "" }] = await server.query<{ server_version: string }>(
    "SHOW server_version",
  );
  expect(version).toMatch(new RegExp(`^${OLDEST_POSTGRES}\\.`));
  const where = { home: emptyHome(), env: { FORMCTL_STORE: server.url(await server.createDatabase()), CI: "1" } };
  for (const words of [
    ["local", "init", "--demo"],
    ["local", "check"],
    ["forms", "list", "staffing/candidate"],
  ])
    expect(await formctl(words, where)).toMatchObject({ code: 0 });
});
