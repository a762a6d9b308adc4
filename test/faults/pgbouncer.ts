/** The connection pooler pgbouncer in transaction mode, in front of a PostgreSQL server. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { freePort } from "../free-port.ts";
import type { PostgresServer } from "../postgres-server.ts";
import { ordinaryUser } from "../ordinary-user.ts";

const PROGRAM = "pgbouncer";

export type Pooler = {
  url(database: string): string;
  kill(): Promise<void>;
  /** Starts the pooler after `kill`. */
  start(): Promise<void>;
};

/** The first version of pgbouncer that keeps prepared statements. */
const PREPARING = "1.21";

/**
 * @param isPreparing whether pgbouncer must keep prepared statements
 * @returns why pgbouncer can't be used here; undefined if it can
 */
export function reasonWithoutPooler(isPreparing = false): string | undefined {
  const { error, status } = spawnSync(PROGRAM, ["--version"], ordinaryUser());
  if (error) return `pgbouncer is not installed: ${error.message}`;
  if (status !== 0) return "pgbouncer can't run";
  return isPreparing && !canPrepare()
    ? `pgbouncer is not installed in version ${PREPARING} or later, which keeps prepared statements: it is ${version()}`
    : undefined;
}

function version(): string {
  const { stdout } = spawnSync(PROGRAM, ["--version"], { ...ordinaryUser(), encoding: "utf8" });
  return /PgBouncer (\d+\.\d+)/.exec(stdout)?.[1] ?? "0";
}

const canPrepare = () => version().localeCompare(PREPARING, "en", { numeric: true }) >= 0;

/**
 * Starts pgbouncer in front of `server`.
 *
 * @param parent the folder for its files
 * @param isPreparing whether it keeps prepared statements
 */
export async function startPooler(parent: string, server: PostgresServer, isPreparing = false): Promise<Pooler> {
  // If the tests run as root, pgbouncer runs as another user. The folder must be accessible to this user.
  chmodSync(parent, 0o711);
  const folder = join(parent, PROGRAM);
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  const port = await freePort();
  const address = new URL(server.url());
  writeFileSync(join(folder, "users.txt"), `"${address.username}" "${address.password}"\n`);
  const settings = join(folder, "pgbouncer.ini");
  writeFileSync(
    settings,
    `[databases]
* = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(folder, "users.txt")}
pool_mode = transaction
default_pool_size = 6
server_login_retry = 1
admin_users = ${address.username}
${canPrepare() ? `max_prepared_statements = ${isPreparing ? 200 : 0}` : ""}
`,
  );
  let child: ChildProcess | undefined;
  const start = async () => {
    child = spawn(PROGRAM, ["-q", settings], { ...ordinaryUser(), stdio: "ignore" });
    for (let attempt = 0; !(await accepts(port)); attempt++) {
      if (attempt > 200 || child.exitCode !== null) throw new Error("pgbouncer did not start");
      await setTimeout(25);
    }
  };
  await start();
  return {
    start,
    url(database) {
      address.port = String(port);
      address.pathname = `/${database}`;
      return address.href;
    },
    async kill() {
      child!.kill("SIGKILL");
      await once(child!, "close");
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
