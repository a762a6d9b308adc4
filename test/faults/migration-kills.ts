/**
 * Kills `migrate run` at a random moment: the next run ends with 0, each effect happened once, none is missing, and the
 * record states what was done.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openRecord } from "../../src/migrations/open-record.ts";
import { storeTarget } from "../../src/manifests/project/target.ts";
import { systemProcesses } from "../../src/system-process.ts";
import { FORMCTL, generator, inFolder, type Loop, type Result } from "./loop.ts";
import {
  differences,
  lostAnswers,
  makeTemplate,
  NAMES,
  openWorld,
  type Picture,
  pictureOf,
  type Place,
  readEntries,
  type World,
} from "./migration-world.ts";

type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };

/** When a process is killed: so many milliseconds after it was started, or after it began to work. */
type Moment = { after: "start" | "work"; delay: number };

/** Runs the migrations in a process. @returns also how long the process worked, in milliseconds */
async function migrate({ folder, words, env }: World, kill?: Moment): Promise<Ended & { worked: number }> {
  const child = spawn(process.execPath, [FORMCTL, "migrate", "run", "--yes", "-o", "json", ...words], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  let began: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const reached = (moment: Moment["after"]) => {
    if (kill?.after === moment) timer = setTimeout(() => child.kill("SIGKILL"), kill.delay);
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    if (began !== undefined || !stderr.includes("Migration 1 of")) return;
    began = Date.now();
    reached("work");
  });
  reached("start");
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  clearTimeout(timer);
  return { code, signal, stdout, stderr, worked: began === undefined ? 0 : Date.now() - began };
}

/** What an undisturbed run leaves, and how long it works, in milliseconds. */
type Undisturbed = { picture: Picture; worked: number };

async function undisturbed(world: World): Promise<Undisturbed> {
  const { code, stderr, stdout, worked } = await migrate(world);
  if (code !== 0) throw new Error(`a run that is not killed fails: ${stderr}${stdout}`);
  return { picture: await pictureOf(world), worked };
}

/** The control: the record forgets what a killed run has noted. */
async function forgetSteps({ folder, store, local }: World): Promise<void> {
  const target = storeTarget({ local, store, organization: "northwind" });
  const host = { processes: async () => systemProcesses(), sleep: async () => undefined };
  const options = { target, root: folder, folder: join(folder, "migrations"), host, onWarning: () => undefined };
  const record = await openRecord(options);
  const { entries, revision } = await record.read();
  if (entries.length > 0) await record.write([], revision);
}

async function attackAll(count: number, seed: number, forgets: boolean): Promise<Result> {
  const random = generator(seed);
  return inFolder(async (folder) => {
    const template = join(folder, "template");
    const token = makeTemplate(template);
    const violations: string[] = [];
    const facts = { beforeWork: 0, inWork: 0, afterWork: 0, store: 0, server: 0 };
    const expected = new Map<Place, Undisturbed>();
    const inWorld = async <T>(name: string, place: Place, work: (world: World) => Promise<T>): Promise<T> => {
      const path = join(folder, name);
      mkdirSync(path);
      const world = await openWorld(place, template, token, path);
      try {
        return await work(world);
      } finally {
        await world.close();
        rmSync(path, { recursive: true, force: true });
      }
    };
    for (let kill = 0; kill < count; kill++) {
      const place: Place = forgets || kill % 2 === 0 ? "store" : "server";
      const whole = expected.get(place) ?? (await inWorld(`whole ${place}`, place, undisturbed));
      expected.set(place, whole);
      await inWorld(`kill ${kill}`, place, async (world) => {
        // Most kills come while it works, however long the process takes to start; the others come at any time.
        const after = random(10) === 0 ? "start" : "work";
        const delay = random(Math.ceil(whole.worked * (after === "start" ? 3 : 1)));
        await migrate(world, { after, delay });
        const entries = await readEntries(world);
        const isDone = entries.length === NAMES.length && entries.every(({ state }) => state === "done");
        facts[entries.length === 0 ? "beforeWork" : isDone ? "afterWork" : "inWork"]++;
        facts[place]++;
        if (forgets) await forgetSteps(world);
        const { code, stderr } = await migrate(world);
        const wrong =
          code === 0
            ? [...differences(await pictureOf(world), whole.picture), ...(await lostAnswers(world))]
            : [`the next run ends with ${code}: ${stderr.slice(-600)}`];
        for (const { invariant, record, detail } of await world.local.check())
          wrong.push(`${invariant} ${record} ${detail}`);
        violations.push(...wrong.map((line) => `kill ${kill} on a ${place}, ${delay} ms after the ${after}: ${line}`));
      });
    }
    if (facts.inWork === 0) violations.push("no kill hit the work: the attack proves nothing");
    return { count, violations, facts };
  });
}

export const migrationKills: Loop = {
  name: "migration-kills",
  full: 300,
  sample: 8,
  run: (count, seed) => attackAll(count, seed, false),
  // A record that forgets lets steps run twice.
  control: (seed) => attackAll(6, seed, true),
};
