/** Databases that other processes use at the same time. */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Outcome } from "../model/model.ts";
import type { Send } from "./engine-connection.ts";
import type { FromProcess, ToProcess } from "./engine-process.ts";
import type { Place } from "./databases.ts";

const SCRIPT = join(import.meta.dirname, "engine-process.ts");

/**
 * Starts `count` processes, and runs `work` while they run.
 *
 * @param work gets a function that returns a place whose connections are in the processes
 */
export async function withProcesses<T>(
  count: number,
  work: (inProcesses: (place: Place) => Place) => Promise<T>,
): Promise<T> {
  const processes = Array.from({ length: count }, () => new EngineProcess());
  try {
    return await work((place) => spread(place, processes));
  } finally {
    for (const each of processes) await each.stop();
  }
}

function spread({ name, open }: Place, processes: readonly EngineProcess[]): Place {
  return {
    name: `${name} in ${processes.length} processes`,
    async open() {
      const { stores, location, close } = await open(1);
      return {
        stores,
        location,
        remotes: processes.map(
          (each): Send =>
            (sent) =>
              each.send(location, sent),
        ),
        async close() {
          for (const each of processes) await each.closeStore(location);
          await close();
        },
      };
    },
  };
}

class EngineProcess {
  readonly #child: ChildProcess = fork(SCRIPT, { execArgv: [] });
  readonly #waiting = new Map<number, (answer: FromProcess) => void>();
  #messages = 0;

  constructor() {
    this.#child.on("message", (answer: FromProcess) => {
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
  }

  async send(location: string, { now, ...sent }: Parameters<Send>[0]): Promise<Outcome | undefined> {
    return (await this.#ask({ location, sent: { ...sent, now: now.toISOString() } })) ?? undefined;
  }

  async closeStore(location: string): Promise<void> {
    await this.#ask({ location });
  }

  async stop(): Promise<void> {
    const exit = once(this.#child, "exit");
    this.#child.disconnect();
    await exit;
  }

  async #ask(message: Omit<ToProcess, "id">): Promise<Outcome | null> {
    const id = ++this.#messages;
    const { promise, resolve } = Promise.withResolvers<FromProcess>();
    this.#waiting.set(id, resolve);
    this.#child.send({ id, ...message } satisfies ToProcess);
    const answer = await promise;
    if ("error" in answer) throw new Error(answer.error);
    return answer.outcome;
  }
}
