/** Runs several servers (`formctl serve`) on one store. Clients create forms through these servers without a pause. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { environment, FORMCTL, originOf } from "./loop.ts";

const FORMS = "/v1/custom-modules/staffing/objects/candidate/forms";
/** The time in milliseconds after which a client counts a request as failed. */
const PATIENCE_MS = 20_000;
/** The maximum time in milliseconds that `nextCreation` waits. */
const MOST_MS = 60_000;

type Member = { child: ChildProcess; origin: string };

export type Team = {
  members: readonly Member[];
  /** The names of the forms whose creation was answered with 201. */
  acknowledged: ReadonlySet<string>;
  /** The names of the forms whose creation was refused with 503: the service wrote nothing. */
  refused: ReadonlySet<string>;
  /** How often each other outcome occurred: `503 STORE_BUSY`, `no answer`. */
  failures: Map<string, number>;
  /**
   * Waits for the creation of a form by a request that starts after this call.
   *
   * @param by the number of the member that must answer
   * @returns the duration in milliseconds. The wait ends after {@link MOST_MS}, even without a created form
   */
  nextCreation(by?: number): Promise<number>;
  stop(): Promise<void>;
};

/**
 * Starts the servers and the clients.
 *
 * @param store the path or URL of the store
 * @param env variables with the password
 */
export async function startTeam(options: {
  folder: string;
  store: string;
  token: string;
  env?: NodeJS.ProcessEnv;
  members?: number;
  clientsEach?: number;
}): Promise<Team> {
  const { folder, store, token, env = {}, members: size = 2, clientsEach = 2 } = options;
  const members = await Promise.all(
    Array.from({ length: size }, async (): Promise<Member> => {
      const child = spawn(process.execPath, [FORMCTL, "serve", "--port", "0", "--rate-limit", "0", "--store", store], {
        cwd: folder,
        env: { ...environment(folder), ...env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      return { child, origin: await originOf(child) };
    }),
  );
  const acknowledged = new Set<string>();
  const refused = new Set<string>();
  const failures = new Map<string, number>();
  let waiting: { from: number; by: number | undefined; done: () => void }[] = [];
  const ended = new AbortController();
  let count = 0;

  const create = async (member: number) => {
    const name = `Form ${count++}`;
    const start = performance.now();
    const outcome = await send(`${members[member]!.origin}${FORMS}`, token, name, ended.signal);
    if (outcome === "201") {
      acknowledged.add(name);
      for (const one of waiting) if (one.from <= start && (one.by === undefined || one.by === member)) one.done();
      return;
    }
    if (outcome.startsWith("503")) refused.add(name);
    if (ended.signal.aborted) return;
    failures.set(outcome, (failures.get(outcome) ?? 0) + 1);
    await setTimeout(20);
  };
  const clients = Array.from({ length: size * clientsEach }, async (_, client) => {
    while (!ended.signal.aborted) await create(client % size);
  });

  return {
    members,
    acknowledged,
    refused,
    failures,
    async nextCreation(by) {
      const from = performance.now();
      const { promise, resolve } = Promise.withResolvers<void>();
      const one = { from, by, done: resolve };
      waiting.push(one);
      await Promise.race([promise, setTimeout(MOST_MS, undefined, { ref: false, signal: ended.signal })]);
      waiting = waiting.filter((other) => other !== one);
      return performance.now() - from;
    },
    async stop() {
      ended.abort();
      await Promise.all(clients);
      for (const { child } of members) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        child.kill("SIGKILL");
        await once(child, "close");
      }
    },
  };
}

/** @returns `201`; another status with its code; or `no answer` */
async function send(url: string, token: string, name: string, stop: AbortSignal): Promise<string> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ name, types: ["VIEW"] }),
      signal: AbortSignal.any([stop, AbortSignal.timeout(PATIENCE_MS)]),
    });
    // An answer counts only if its body arrives, too.
    const body = (await response.json()) as { error?: { code?: string } };
    return response.status === 201 ? "201" : `${response.status} ${body.error?.code}`;
  } catch {
    return "no answer";
  }
}
