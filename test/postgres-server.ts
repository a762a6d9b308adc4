/** A real PostgreSQL server from an npm package, on a free port of this machine. */

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Client } from "pg";
import { freePort } from "./free-port.ts";
import { createData, findPrograms, LIMIT_MS, runProgram } from "./postgres-programs.ts";

/** Settings for fast commits: no test of these servers cuts the power. */
const FAST = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"];
const SMALL = ["shared_buffers=32MB", "max_connections=200", "listen_addresses=127.0.0.1", "unix_socket_directories="];
/** A container often has little shared memory, and files in it would remain after a kill. */
const IN_FOLDER = ["dynamic_shared_memory_type=mmap"];
const READY = "database system is ready to accept connections";

const USER = "postgres";
const PASSWORD = "test-password";

export type ServerOptions = {
  /** Whether commits survive a crash of the server. */
  isDurable?: boolean;
  /** Further settings of the server, such as `ssl=on`. */
  settings?: readonly string[];
  /** The major version, which `findPrograms` must find. Default: the newest one. */
  version?: number;
};

export type PostgresServer = {
  port: number;
  folder: string;
  /** Returns the URL of a database, with the password. */
  url(database?: string): string;
  /** Connects as the administrator. The caller ends the connection. */
  connect(database?: string): Promise<Client>;
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

/**
 * Starts a server.
 *
 * @param parent the folder for the files of the server. The caller removes this folder after `stop`
 * @throws Error if the package has no binaries for this platform, or if the server can't start
 */
export async function startPostgres(
  parent: string,
  { isDurable = false, settings = [], version }: ServerOptions = {},
): Promise<PostgresServer> {
  // If the tests run as root, the server runs as another user. The folder must be accessible to this user.
  chmodSync(parent, 0o711);
  const folder = join(parent, "data");
  const programs = await findPrograms(parent, version);
  await createData(programs, folder, { user: USER, password: PASSWORD, version });
  const port = await freePort();
  const all = [`port=${port}`, ...SMALL, ...IN_FOLDER, ...(isDurable ? [] : FAST), ...settings];
  const command = [programs.postgres, "-D", folder, ...all.flatMap((setting) => ["-c", setting])];
  let child: ChildProcess;
  const start = async () => {
    for (let attempt = 0; ; attempt++) {
      try {
        child = await runProgram(folder, command, READY);
        endWithProcess(child);
        return;
      } catch (error) {
        // The processes of a killed server end a moment after the server.
        if (attempt > 100 || !/shared memory block|lock file/.test(String(error))) throw error;
        await setTimeout(50);
      }
    }
  };
  await start();
  const url = (database = USER) => `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${database}`;
  const connect = async (database?: string) => {
    const client = new Client({ connectionString: url(database) });
    // Without a listener, the end of an idle connection would end this process.
    client.on("error", () => {});
    await client.connect();
    return client;
  };
  const query = async <Row extends object>(text: string, database?: string): Promise<Row[]> => {
    const client = await connect(database);
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  };
  let databases = 0;
  return {
    port,
    folder,
    url,
    connect,
    query,
    async createDatabase(template) {
      const name = `test_${++databases}`;
      await query(`CREATE DATABASE ${name}${template === undefined ? "" : ` TEMPLATE ${template}`}`);
      return name;
    },
    async dropDatabase(name) {
      await query(`DROP DATABASE ${name} WITH (FORCE)`);
    },
    pid: () => child.pid!,
    start,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const closed = once(child, "close");
      const timer = globalThis.setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
      child.kill("SIGINT");
      await closed;
      clearTimeout(timer);
    },
  };
}

/** Ends a server when this process ends with an error. Outside of a test run, no other process would end it. */
function endWithProcess(child: ChildProcess): void {
  const end = () => child.kill("SIGQUIT");
  process.on("exit", end);
  child.once("exit", () => process.off("exit", end));
}
