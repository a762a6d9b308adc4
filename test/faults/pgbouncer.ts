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

/** @returns why pgbouncer can't be used here; undefined if it can */
export function reasonWithoutPooler(): string | undefined {
  const { error, status } = spawnSync(PROGRAM, ["--version"], ordinaryUser());
  if (error) return `pgbouncer is not installed: ${error.message}`;
  return status === 0 ? undefined : "pgbouncer can't run";
}

/** Starts pgbouncer in front of `server`. @param parent the folder for its files */
export async function startPooler(parent: string, server: PostgresServer): Promise<Pooler> {
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
