/**
 * Runs migrations over a connection that cuts, delays, forges or repeats messages. A later run must finish the
 * migrations. Each effect must happen exactly once. Every run must report what it did.
 */

import { join } from "node:path";
import { httpService } from "../../src/client/http-service.ts";
import { undiciFetch } from "../../src/client/undici-fetch.ts";
import { serverTarget } from "../../src/state/target.ts";
import { type Migrations, openMigrations } from "../../src/migrations/migrate.ts";
import { openRecord } from "../../src/migrations/open-record.ts";
import type { RunOutcome } from "../../src/migrations/run-migrations.ts";
import { Secret } from "../../src/base/secret.ts";
import { systemProcesses } from "../../src/composition/system-process.ts";
import { startChaos } from "../chaos/chaos-server.ts";
import { randomChaos } from "../chaos/faults.ts";
import { seeded } from "../../src/base/seeded-random.ts";
import { inFolder, type Loop, type Result } from "./loop.ts";
import { differences, forgetEntries, lostAnswers, makeWorlds, pictureOf, type World } from "./migration-world.ts";

const FAULT_RATE = 0.25;
/** The number of runs with faults. One more run without faults must do the rest. */
const BROKEN_RUNS = 8;
/** The number of milliseconds after which the client gives up a request, in a run with faults. */
const DEADLINE = 2_000;
/** The same for the run without faults. It is long, because a slow machine must not make this run fail. */
const LONG_DEADLINE = 30_000;

function openOver(
  url: string,
  { folder, token }: World,
  network: ReturnType<typeof undiciFetch>,
  deadline: number,
): Migrations {
  const service = httpService({
    baseUrl: url,
    token: new Secret(token),
    fetch: network.fetch,
    deadline,
    now: () => new Date(),
    sleep: async () => undefined,
    random: () => 0.0137,
  });
  const host = {
    env: {},
    readFile: () => Promise.reject(new Error("no file is read")),
    now: () => new Date(),
    sleep: async () => undefined,
    processes: async () => systemProcesses(),
  };
  const target = serverTarget({ baseUrl: url, service });
  const migrations = join(folder, "migrations");
  return openMigrations(
    {
      root: folder,
      target,
      record: () => openRecord({ target, root: folder, folder: migrations, host, onWarning: () => undefined }),
      library: () => import("../../src/index.ts"),
    },
    host,
  );
}

/** Runs the migrations. @returns `refused` if the run throws. A run may throw only before its first write */
async function outcomeOf(migrations: Migrations): Promise<RunOutcome | "refused"> {
  try {
    return (await migrations.run()).outcome;
  } catch {
    return "refused";
  }
}

async function attackAll(count: number, seed: number, forgets: boolean): Promise<Result> {
  return inFolder(async (folder) => {
    const { inWorld, undisturbed } = makeWorlds(folder);
    const { picture } = await undisturbed("server");
    const violations: string[] = [];
    const facts = { runs: 0, requests: 0, faults: 0, refused: 0, partial: 0, unknown: 0, failed: 0, firstDone: 0 };
    for (let attack = 0; attack < count; attack++) {
      const random = seeded(seed + attack);
      await inWorld("server", async (world) => {
        const chaos = randomChaos(random, FAULT_RATE, { isQuick: true });
        const server = await startChaos(world.local);
        const network = undiciFetch(server.url, {});
        const say = (line: string) => violations.push(`attack ${attack}: ${line}`);
        let outcome: RunOutcome | "refused" = "refused";
        for (let run = 0; outcome !== "done" && outcome !== "nothing" && run <= BROKEN_RUNS; run++) {
          const isBroken = run < BROKEN_RUNS;
          server.set(isBroken ? chaos : {});
          const before = (await pictureOf(world)).effects;
          outcome = await outcomeOf(openOver(server.url, world, network, isBroken ? DEADLINE : LONG_DEADLINE));
          await server.idle();
          facts.runs++;
          if (outcome === "done" && run === 0) facts.firstDone++;
          if (outcome in facts) facts[outcome as "refused" | "partial" | "unknown" | "failed"]++;
          const isChanged = JSON.stringify((await pictureOf(world)).effects) !== JSON.stringify(before);
          if (isChanged && (outcome === "refused" || outcome === "failed" || outcome === "nothing"))
            say(`run ${run} ends with ${outcome}, and something was done`);
          if (forgets && outcome !== "done") await forgetEntries(world);
        }
        if (outcome !== "done" && outcome !== "nothing") say(`the last run, without faults, ends with ${outcome}`);
        for (const line of [...differences(await pictureOf(world), picture), ...(await lostAnswers(world))]) say(line);
        for (const { invariant, record, detail } of await world.local.check()) say(`${invariant} ${record} ${detail}`);
        const { requests, faults } = server.counts();
        facts.requests += requests;
        facts.faults += faults;
        await network.close();
        await server.close();
      });
    }
    if (facts.partial === 0) violations.push("no run was disturbed in its work: the attack proves nothing");
    return { count, violations, facts };
  });
}

export const migrationChaos: Loop = {
  name: "migration-chaos",
  full: 300,
  sample: 12,
  run: (count, seed) => attackAll(count, seed, false),
  // The control deletes the entries of the record after each unfinished run, so steps run twice.
  control: (seed) => attackAll(4, seed, true),
};
