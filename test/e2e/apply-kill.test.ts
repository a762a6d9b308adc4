/**
 * Kills `formctl apply` processes at many moments. Another apply then gives the result of an uninterrupted apply. It
 * loses nothing, and creates nothing twice.
 */

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn, setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Applied } from "../../src/commands/manifests/apply-document.ts";
import { createStore, openLocal } from "../../src/composition/local-store.ts";
import type { LocalService } from "../../src/local-service.ts";
import { PERMISSIONS } from "../../src/schemas/words.ts";
import { serviceHandler } from "../../src/composition/serve.ts";
import { listen } from "../../src/server/listen.ts";
import { contractOrganizations } from "../contract/organizations.ts";
import { type Cli, openCli } from "../commands/cli.ts";
import { manifestTexts } from "../commands/manifests-scene.ts";
import { countOf } from "../effort.ts";
import { CANDIDATE, picture } from "../apply/apply-scene.ts";
import { emptyHome, ending, FORMCTL, start, type Started } from "./program.ts";

/**
 * The number of killed processes for each kind of moment:
 * - A journal entry is written.
 * - A request arrives.
 * - A request is answered.
 *
 * `apply/apply.test.ts` stops runs in its own process, at each of 120 moments. Over a socket, it stops runs
 * at every third moment.
 */
const KILLED = countOf("killed applies");
/**
 * The number of entries in a complete journal, and the number of requests of a complete apply. The moments of the
 * kills are spread over them.
 */
const LINES = 34;
const REQUESTS = 31;
const TOGETHER = 2;

type World = { cli: Cli; home: string; env: Record<string, string>; local: LocalService };
type Outcome = { code: number | null; stdout: string; stderr: string };

let template: string;
let expected: Promise<unknown> | undefined;

beforeAll(async () => {
  template = emptyHome();
  const store = join(template, "local.db");
  await createStore(store);
  const local = openLocal(store, () => new Date());
  await local.seed(contractOrganizations);
  const { organizations } = await local.show();
  await local.close();
  const roleId = organizations.find(({ key }) => key === "northwind")!.roles[0]!.id;
  mkdirSync(join(template, "work", "manifests"), { recursive: true });
  for (const [name, text] of Object.entries(manifestTexts(roleId))) {
    writeFileSync(join(template, "work", "manifests", name), text);
  }
});

/** Returns the records after an apply without an interruption. */
function whole(): Promise<unknown> {
  return (expected ??= inWorld(async (world) => {
    const { code, stderr } = await apply(world);
    if (code !== 0) throw new Error(`an apply without an interruption fails:\n${stderr}`);
    return seen(world);
  }));
}

const open: LocalService[] = [];
afterAll(async () => {
  for (const local of open) await local.close();
});

async function inWorld<T>(test: (world: World) => Promise<T>): Promise<T> {
  const cli = await openCli(null);
  const { home } = cli;
  cli.clock = {
    get now() {
      return new Date();
    },
  };
  cpSync(template, home, { recursive: true });
  const local = openLocal(join(home, "local.db"), () => new Date());
  open.push(local);
  const result = await test({ cli, home, local, env: { FORMCTL_ORGANIZATION: "northwind" } });
  const problems = await local.check();
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return result;
}

/** Serves `world`. `watch` lets a test observe each request before and after the answer. */
async function serve(
  world: World,
  watch: (answer: () => Promise<Response>, request: Request) => Promise<Response> = (answer) => answer(),
): Promise<{ remote: World; stop: () => Promise<void> }> {
  const { local } = world;
  const request = { organization: "northwind", name: "kill", permissions: PERMISSIONS, expiresAt: null };
  const { token } = await local.createToken(request);
  const handler = serviceHandler(local, { host: "127.0.0.1", version: "test" });
  const server = await listen({ host: "127.0.0.1", port: 0, handler: (one) => watch(() => handler(one), one) });
  const remote = { ...world, env: { FORMCTL_BASE_URL: server.url, FORMCTL_TOKEN: token } };
  return { remote, stop: () => server.stop() };
}

const WORDS = ["apply", "manifests", "--yes", "-o", "json", "--concurrency", "2"];

function begin({ home, env }: World, folder = "work"): Started {
  return start(process.execPath, [FORMCTL, ...WORDS], { home, cwd: join(home, folder), env });
}

async function apply(world: World, folder?: string): Promise<Outcome> {
  const child = begin(world, folder);
  child.stdin.end();
  return ending(child);
}

/** Runs the apply in this process, which starts faster. */
function applyHere({ cli, env }: World): Promise<Outcome> {
  cli.env = { ...env, FORMCTL_HOME: cli.home };
  return cli.run(...WORDS);
}

async function seen({ local }: World): Promise<unknown> {
  return picture(await local.service("northwind"));
}

/** The entries of all journals, in the order of the runs. */
function recordOf({ home }: World): string[] {
  const runs = join(home, "work", ".formctl", "runs");
  if (!existsSync(runs)) return [];
  const names = readdirSync(runs).filter((name) => name.endsWith(".jsonl"));
  return names.flatMap((name) => readFileSync(join(runs, name), "utf8").split("\n").slice(0, -1));
}

/**
 * Returns the ids of created forms in the journals. The service had acknowledged these creations before the process was
 * killed.
 */
function toldForms(world: World): string[] {
  return recordOf(world).flatMap((line) => (JSON.parse(line) as { ids?: { formId?: string } }).ids?.formId ?? []);
}

async function appliesAgain(world: World, when: string): Promise<void> {
  const told = toldForms(world);
  const { code, stdout, stderr } = await applyHere(world);
  expect({ when, code, stderr: code === 0 ? "" : stderr + stdout }).toEqual({ when, code: 0, stderr: "" });
  expect({ when, seen: await seen(world) }).toEqual({ when, seen: await whole() });
  const service = await world.local.service("northwind");
  const forms = (await service.listForms(CANDIDATE)).data;
  const others = (await service.listForms({ moduleKey: "staffing", objectKey: "placement" })).data;
  const ids = new Set([...forms, ...others].map(({ id }) => id));
  expect({ when, lost: told.filter((id) => !ids.has(id)) }).toEqual({ when, lost: [] });
}

/** Runs at most `TOGETHER` tests concurrently. */
async function sideBySide<T>(items: readonly T[], test: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await test(item);
  };
  await Promise.all(Array.from({ length: TOGETHER }, work));
}

const pointsOf = (all: number) => Array.from({ length: KILLED }, (_, index) => Math.floor((index * all) / KILLED));

describe("a killed apply", () => {
  it(`on a local store, at ${KILLED} entries of its journal, is completed by the next one`, async ({ annotate }) => {
    let killed = 0;
    const killAt = (point: number) =>
      inWorld(async (world) => {
        const child = begin(world);
        child.stdin.end();
        const end = ending(child);
        // The test reads the journal in a loop, and kills the process after the entry appears.
        while (child.exitCode === null && recordOf(world).length <= point) await turn();
        child.kill("SIGKILL");
        if ((await end).signal === "SIGKILL") killed++;
        await appliesAgain(world, `line ${point}`);
      });
    // On a busy machine, some processes end before the test has read their journal, and rarely all of them.
    for (let round = 0; round < 3; round++) {
      await sideBySide(pointsOf(LINES), killAt);
      if (killed > 0) break;
    }
    await annotate(`${killed} of ${KILLED} were killed`);
    expect(killed).toBeGreaterThan(0);
  });

  it.for(["arrives", "is answered"] as const)(
    `on a server, when one of ${KILLED} requests %s`,
    async (moment, { annotate }) => {
      let killed = 0;
      await sideBySide(pointsOf(REQUESTS), (point) =>
        inWorld(async (world) => {
          let requests = 0;
          let child: Started | undefined;
          const { remote, stop } = await serve(world, async (answer) => {
            const number = requests++;
            if (moment === "arrives" && number === point) child?.kill("SIGKILL");
            const answered = await answer();
            // The write is executed, but the client does not get the answer.
            if (moment === "is answered" && number === point) child?.kill("SIGKILL");
            return answered;
          });
          child = begin(remote);
          child.stdin.end();
          if ((await ending(child)).signal === "SIGKILL") killed++;
          child = undefined;
          await appliesAgain(remote, `request ${point} ${moment}`);
          await stop();
        }),
      );
      // A process may end before the selected request, and is then not killed.
      await annotate(`${killed} of ${KILLED} were killed`);
      expect(killed).toBeGreaterThan(0);
    },
  );
});

describe("two concurrent applies from two folders", () => {
  it.each(["a local store", "a server"])("on %s both finish, with each record once", async (place) => {
    for (let round = 0; round < 2; round++) {
      await inWorld(async (world) => {
        const { remote, stop } = place === "a server" ? await serve(world) : { remote: world, stop: undefined };
        cpSync(join(world.home, "work"), join(world.home, "other"), { recursive: true });
        const both = await Promise.all(["work", "other"].map((folder) => apply(remote, folder)));
        // An apply reports a conflict if it finds the draft of the concurrent apply.
        expect(both.map(({ code }) => code).filter((code) => ![0, 6, 9].includes(code!))).toEqual([]);
        const again = [await apply(remote, "work"), await apply(remote, "other")];
        expect(again.map(({ code }) => code)).toEqual([0, 0]);
        expect(await seen(world)).toEqual(await whole());
        await stop?.();
      });
    }
  });
});

describe("an apply that gets a signal", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "%s: finishes requests in progress, starts no others, reports it, and resumes in the next run",
    async (signal, code) => {
      await inWorld(async (world) => {
        let writes = 0;
        let child: Started | undefined;
        const { remote, stop } = await serve(world, async (answer, { method }) => {
          if (method !== "GET" && ++writes === 5) {
            child?.kill(signal);
            // Time for the process to receive the signal.
            await setTimeout(2_000);
          }
          return answer();
        });
        child = begin(remote);
        child.stdin.end();
        const ended = await ending(child);
        child = undefined;
        expect(ended).toMatchObject({ code, signal: null });
        const applied = JSON.parse(ended.stdout) as Applied;
        expect(applied).toMatchObject({ exitCode: code, outcome: "interrupted" });
        const { done, skipped, failed, unknown } = applied.summary.steps;
        expect({ done, failed, unknown }).toEqual({ done: writes, failed: 0, unknown: 0 });
        expect(done + skipped).toBe(16);
        await appliesAgain(remote, signal);
        await stop();
      });
    },
  );
});
