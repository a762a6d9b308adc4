/** A PostgreSQL primary with a streaming replica, from the packages of Debian, behind one address. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Client } from "pg";
import { freePort } from "../free-port.ts";
import { ordinaryUser } from "../ordinary-user.ts";
import { PACKAGES } from "../postgres-programs.ts";

export type ReplicatedPostgres = {
  /** The URL of the primary, also after a failover. */
  url: string;
  /** The id of the process that receives the log on the replica. */
  receiver(): Promise<number>;
  killPrimary(): void;
  /** Promotes the replica after `killPrimary`. Then `url` leads to the replica. */
  promote(): Promise<void>;
  stop(): Promise<void>;
};

/** @returns why no replica can be started here; undefined if it can */
export function reasonWithoutReplicas(): string | undefined {
  return binaries() === undefined
    ? `no package postgresql in ${PACKAGES} (Debian: apt-get install postgresql)`
    : undefined;
}

/** The folder with the programs of the newest installed version. */
function binaries(): string | undefined {
  const versions = existsSync(PACKAGES) ? readdirSync(PACKAGES) : [];
  return versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(PACKAGES, version, "bin"))
    .find((folder) => existsSync(join(folder, "pg_basebackup")) && existsSync(join(folder, "initdb")));
}

/**
 * Starts a primary and its replica.
 *
 * @param parent the folder for the files
 * @param isSynchronous whether a commit waits for the replica
 */
export async function startReplicas(parent: string, isSynchronous: boolean): Promise<ReplicatedPostgres> {
  const user = ordinaryUser();
  chmodSync(parent, 0o711);
  const folder = join(parent, "replicas");
  mkdirSync(folder);
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid!);
  const [primary, replica] = [join(folder, "primary"), join(folder, "replica")];
  const [primaryPort, replicaPort] = [await freePort(), await freePort()];
  const run = (program: string, ...words: string[]) => {
    const ended = spawnSync(join(binaries()!, program), words, { ...user, cwd: folder, encoding: "utf8" });
    if (ended.status !== 0) throw new Error(`${program} failed: ${ended.stderr}`);
  };
  const start = async (data: string, port: number) => {
    const settings = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories=", "shared_buffers=32MB"];
    const words = ["-D", data, ...settings.flatMap((setting) => ["-c", setting])];
    spawn(join(binaries()!, "postgres"), words, { ...user, cwd: folder, stdio: "ignore" });
    await untilItWorks(() => ask(port, "SELECT 1"));
  };
  const pidOf = (data: string) => Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n", 1)[0]);

  run("initdb", "-D", primary, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync");
  await start(primary, primaryPort);
  run(
    "pg_basebackup",
    "-D",
    replica,
    "-h",
    "127.0.0.1",
    "-p",
    String(primaryPort),
    "-U",
    "postgres",
    "-R",
    "-c",
    "fast",
  );
  await start(replica, replicaPort);
  if (isSynchronous) {
    await ask(primaryPort, "ALTER SYSTEM SET synchronous_standby_names = '*'");
    await ask(primaryPort, "SELECT pg_reload_conf()");
  }
  await untilItWorks(async () => {
    const [found] = await ask<{ state: string }>(primaryPort, "SELECT sync_state AS state FROM pg_stat_replication");
    if (found?.state !== (isSynchronous ? "sync" : "async")) throw new Error("the replica does not follow the primary");
  });
  const address = await switchableAddress(primaryPort);
  return {
    url: `postgres://postgres@127.0.0.1:${address.port}/postgres`,
    async receiver() {
      const [receiver] = await ask<{ pid: number }>(replicaPort, "SELECT pid FROM pg_stat_wal_receiver");
      return receiver!.pid;
    },
    killPrimary() {
      process.kill(pidOf(primary), "SIGKILL");
    },
    async promote() {
      await untilItWorks(() => ask(replicaPort, "SELECT pg_promote(true, 10)"));
      address.lead(replicaPort);
    },
    async stop() {
      address.close();
      for (const data of [primary, replica]) {
        if (!existsSync(join(data, "postmaster.pid"))) continue;
        spawnSync(join(binaries()!, "pg_ctl"), ["stop", "-D", data, "-m", "immediate", "-s"], { ...user, cwd: folder });
      }
    },
  };
}

async function untilItWorks(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await work();
      return;
    } catch (error) {
      if (attempt > 200) throw error;
      await setTimeout(50);
    }
  }
}

async function ask<Row extends object>(port: number, text: string): Promise<Row[]> {
  const client = new Client({ host: "127.0.0.1", port, user: "postgres", database: "postgres" });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Opens a port that forwards connections to the current primary, like the address that a cluster manager moves. */
async function switchableAddress(first: number) {
  let target = first;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const disconnect = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    lead(port: number) {
      target = port;
      disconnect();
    },
    close() {
      server.close();
      disconnect();
    },
  };
}
