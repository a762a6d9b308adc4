/**
 * Kills writing commands and servers. Afterwards every acknowledged write must be stored, and the store must be intact.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { openLocalService } from "../../src/engine/local.ts";
import { randomId } from "../../src/engine/ids.ts";
import { checkStore } from "../../src/store/invariants.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import {
  environment,
  FORMCTL,
  formctl,
  generator,
  inFolder,
  type Loop,
  makeDemo,
  originOf,
  type Result,
} from "./loop.ts";

const OBJECT = "staffing/candidate";
const CLIENTS = 4;

type Attack = {
  folder: string;
  store: string;
  token: string;
  /** Milliseconds until the kill. */
  delay: number;
  /** A name that no other attack uses. */
  name: string;
  /** Called with a form's name when its creation counts as acknowledged. */
  acknowledge: (name: string) => void;
  acknowledgeEarly: boolean;
};

async function attackAll(count: number, seed: number, acknowledgeEarly: boolean): Promise<Result> {
  const random = generator(seed);
  return inFolder(async (folder) => {
    const violations: string[] = [];
    const facts = { commands: 0, servers: 0, acknowledged: 0 };
    let store = "";
    let token = "";
    let acknowledged = new Set<string>();
    for (let kill = 0; kill < count; kill++) {
      // A new store replaces the old one after 100 kills. All forms are listed after each kill, so their number must be
      // limited.
      if (kill % 100 === 0) {
        store = join(folder, `${kill}.db`);
        makeDemo(folder, store);
        const words = ["local", "tokens", "create", "--name", "kills", "--permission", "all", "--store", store];
        token = (JSON.parse(formctl(folder, [...words, "--json"])) as { token: string }).token;
        acknowledged = new Set();
      }
      const before = acknowledged.size;
      const isServer = random(2) === 1;
      const attack: Attack = {
        folder,
        store,
        token,
        delay: random(isServer ? 150 : 400),
        name: `Killed ${kill}`,
        acknowledge: (name) => void acknowledged.add(name),
        acknowledgeEarly,
      };
      await (isServer ? killServer(attack) : killCommand(attack));
      facts[isServer ? "servers" : "commands"]++;
      facts.acknowledged += acknowledged.size - before;
      const { names, broken } = await readStore(store);
      for (const name of acknowledged) if (!names.has(name)) violations.push(`kill ${kill}: ${name} is lost`);
      violations.push(...broken.map((line) => `kill ${kill}: ${line}`));
      for (const name of acknowledged) if (!names.has(name)) acknowledged.delete(name);
    }
    if (facts.acknowledged === 0) violations.push("nothing was acknowledged: the attack proves nothing");
    return { count, violations, facts };
  });
}

/** Kills a command. Its write is acknowledged when the command has printed the form. */
async function killCommand({ folder, store, name, delay, acknowledge, acknowledgeEarly }: Attack): Promise<void> {
  const words = ["forms", "create", OBJECT, "--name", name, "--types", "VIEW", "--store", store, "-o", "name"];
  const child = spawn(process.execPath, [FORMCTL, ...words], {
    cwd: folder,
    env: environment(folder),
    stdio: ["ignore", "pipe", "ignore"],
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  if (acknowledgeEarly) acknowledge(name);
  const timer = globalThis.setTimeout(() => child.kill("SIGKILL"), delay);
  await once(child, "close");
  clearTimeout(timer);
  if (printed.endsWith("\n")) acknowledge(name);
}

/** Kills a server. A write is acknowledged by the status 201. */
async function killServer({ folder, store, token, name, delay, ...attack }: Attack): Promise<void> {
  const child = spawn(process.execPath, [FORMCTL, "serve", "--port", "0", "--rate-limit", "0", "--store", store], {
    cwd: folder,
    env: environment(folder),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(child, "close");
  const origin = await originOf(child);
  const killed = new AbortController();
  const first = Promise.withResolvers<void>();
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let number = 0; !killed.signal.aborted; number++) {
      const form = `${name} ${client} ${number}`;
      if (attack.acknowledgeEarly) attack.acknowledge(form);
      try {
        const response = await fetch(`${origin}/v1/custom-modules/staffing/objects/candidate/forms`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          body: JSON.stringify({ name: form, types: ["VIEW"] }),
        });
        if (response.status === 201) {
          attack.acknowledge(form);
          first.resolve();
        }
        await response.arrayBuffer();
      } catch {
        return;
      }
    }
  });
  // About three of four kills wait for an acknowledged write, so that their share is equal on fast and slow machines.
  // The other kills come at any time.
  if (delay % 4 !== 0) await Promise.race([first.promise, closed]);
  await setTimeout(delay);
  killed.abort();
  child.kill("SIGKILL");
  await Promise.all([closed, ...clients]);
}

async function readStore(path: string): Promise<{ names: Set<string>; broken: string[] }> {
  const store = openSqlite(path, { create: false });
  const local = openLocalService({ store, now: () => new Date(), newId: randomId });
  try {
    const broken = (await checkStore(store)).map(({ invariant, record, detail }) => `${invariant} ${record} ${detail}`);
    const service = await local.service("northwind");
    const names = new Set<string>();
    for (let page = 1; ; page++) {
      const { data } = await service.listForms({
        moduleKey: "staffing",
        objectKey: "candidate",
        query: { page, limit: 100 },
      });
      for (const form of data) names.add(form.name);
      if (data.length < 100) return { names, broken };
    }
  } finally {
    await local.close();
  }
}

export const kills: Loop = {
  name: "kills",
  full: 2000,
  sample: 8,
  run: (count, seed) => attackAll(count, seed, false),
  // The control counts a form as acknowledged before the answer, so some acknowledged forms are missing.
  control: (seed) => attackAll(4, seed, true),
};
