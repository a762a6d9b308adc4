/**
 * Attacks a store on PostgreSQL while two servers (`formctl serve`) write. An attack ends connections, kills the
 * database server or its pooler, or stops a writing server in the middle of a transaction.
 *
 * Every acknowledged write must be stored once. Writes must succeed again soon.
 */

import { setTimeout } from "node:timers/promises";
import { reasonWithoutPostgres } from "../postgres-programs.ts";
import { type PostgresServer, startPostgres } from "../postgres-server.ts";
import { inFolder, type Loop, generator, type Result } from "./loop.ts";
import { type Pooler, reasonWithoutPooler, startPooler } from "./pgbouncer.ts";
import { BACK_MS, openTeamStore, storedProblems, throughPooler } from "./postgres-stage.ts";
import { startTeam, type Team } from "./serve-team.ts";

type Fault = "terminate" | "kill a backend" | "kill the server" | "kill the pooler" | "stop a member";

/**
 * Of 115 attacks, 100 end connections, 5 kill the server or its pooler, and 10 stop a member. The first four attacks
 * are of four different kinds.
 */
function faultOf(attack: number, isPooled: boolean): Fault {
  const place = attack % 23;
  if (place === 0) return isPooled ? "kill the pooler" : "kill the server";
  if (place === 1 || place === 12) return "stop a member";
  return place % 2 === 0 ? "terminate" : "kill a backend";
}

async function attackAll(count: number, seed: number, isPooled: boolean): Promise<Result> {
  const random = generator(seed);
  return inFolder(async (folder) => {
    const server = await startPostgres(folder, { isDurable: true });
    try {
      const database = await server.createDatabase();
      const stage = await openTeamStore(folder, server.url(database));
      const pooler = isPooled ? await startPooler(folder, server) : undefined;
      const reached = pooler ? throughPooler(stage, pooler.url(database)) : stage;
      const team = await startTeam(reached).catch(async (error: unknown) => {
        await pooler?.kill();
        throw error;
      });
      const violations: string[] = [];
      const facts: Record<string, number> = { acknowledged: 0, slowest: 0 };
      try {
        await Promise.all([team.nextCreation(0), team.nextCreation(1)]);
        for (let attack = 0; attack < count; attack++) {
          await setTimeout(random(150));
          const fault = faultOf(attack, isPooled);
          const took = await FAULTS[fault]({ server, pooler, team, random });
          facts[fault] = (facts[fault] ?? 0) + 1;
          facts["slowest"] = Math.max(facts["slowest"]!, Math.round(took));
          if (took > BACK_MS) violations.push(`attack ${attack} (${fault}): no write for ${Math.round(took)} ms`);
        }
      } finally {
        await team.stop();
        await pooler?.kill();
      }
      facts["acknowledged"] = team.acknowledged.size;
      for (const [failure, times] of team.failures) {
        facts[failure] = times;
        if (/INTERNAL|undefined/.test(failure)) violations.push(`${times} requests were answered with ${failure}`);
      }
      violations.push(...(await storedProblems(stage, team)));
      return { count, violations, facts };
    } finally {
      await server.stop();
    }
  });
}

type Scene = { server: PostgresServer; pooler: Pooler | undefined; team: Team; random: (limit: number) => number };

/** Each function attacks, and returns how long no write succeeded, in milliseconds. */
const FAULTS: Record<Fault, (scene: Scene) => Promise<number>> = {
  async terminate({ server, team }) {
    await server.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${OF_THE_TEAM}`);
    return team.nextCreation();
  },
  async "kill a backend"({ server, team, random }) {
    const found = await server.query<{ pid: number }>(`SELECT pid FROM pg_stat_activity WHERE ${OF_THE_TEAM}`);
    if (found.length === 0) throw new Error("no member is connected");
    // After the kill, PostgreSQL ends all connections, and recovers from its log.
    process.kill(found[random(found.length)]!.pid, "SIGKILL");
    return team.nextCreation();
  },
  async "kill the server"({ server, team }) {
    process.kill(server.pid(), "SIGKILL");
    await server.start();
    return team.nextCreation();
  },
  async "kill the pooler"({ pooler, team }) {
    await pooler!.kill();
    await pooler!.start();
    return team.nextCreation();
  },
  async "stop a member"({ server, team, random }) {
    const stopped = random(2);
    const { child } = team.members[stopped]!;
    await stopInTransaction(server, child.pid!);
    const took = await team.nextCreation(1 - stopped);
    process.kill(child.pid!, "SIGCONT");
    return Math.max(took, await team.nextCreation(stopped));
  },
};

const OF_THE_TEAM = "backend_type = 'client backend' AND pid <> pg_backend_pid()";

/** Stops a process in the middle of a transaction, while the database waits for the next statement. */
async function stopInTransaction(server: PostgresServer, pid: number): Promise<void> {
  const open = () =>
    server.query<{ id: string }>(`
      SELECT pid || ' ' || query_start AS id FROM pg_stat_activity
      WHERE ${OF_THE_TEAM} AND state = 'idle in transaction'`);
  for (let attempt = 0; attempt < 500; attempt++) {
    process.kill(pid, "SIGSTOP");
    const before = new Set((await open()).map(({ id }) => id));
    await setTimeout(50);
    // The running member ends its transactions. A transaction that stays open belongs to the stopped member.
    if ((await open()).some(({ id }) => before.has(id))) return;
    process.kill(pid, "SIGCONT");
    await setTimeout(attempt % 7);
  }
  throw new Error("the member was never in a transaction");
}

/**
 * The control: this database acknowledges a commit before the log of the commit is on the disk. A kill loses such
 * writes.
 */
async function loseWrites(): Promise<Result> {
  return inFolder(async (folder) => {
    const settings = ["synchronous_commit=off", "wal_writer_delay=10s"];
    const server = await startPostgres(folder, { isDurable: true, settings });
    try {
      const stage = await openTeamStore(folder, server.url(await server.createDatabase()));
      await server.query("CHECKPOINT");
      const team = await startTeam(stage);
      try {
        await team.nextCreation();
        await setTimeout(300);
        process.kill(server.pid(), "SIGKILL");
        await server.start();
      } finally {
        await team.stop();
      }
      return { count: 1, violations: await storedProblems(stage, team), facts: {} };
    } finally {
      await server.stop();
    }
  });
}

export const postgresFaults: Loop = {
  name: "postgres-faults",
  full: 115,
  sample: 6,
  skipped: reasonWithoutPostgres,
  run: (count, seed) => attackAll(count, seed, false),
  control: loseWrites,
};

export const pooledFaults: Loop = {
  name: "pooled-faults",
  full: 115,
  sample: 4,
  skipped: () => reasonWithoutPostgres() ?? reasonWithoutPooler(),
  run: (count, seed) => attackAll(count, seed, true),
  control: loseWrites,
};
