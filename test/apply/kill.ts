/** Kills a run at its n-th moment. A moment is before or after an entry of the journal or a request. */

import type { Journal } from "../../src/apply/journal.ts";
import { type FullService, mapCalls } from "../../src/service.ts";

export type Kill = {
  service(service: FullService): FullService;
  journal(journal: Journal): Journal;
  /** Resolves when the run is killed. From then on, the run does nothing, and gets no answers. */
  killed: Promise<"killed">;
  /** The number of moments so far. */
  moments(): number;
  /** Closes the files of the killed run. */
  cleanUp(): Promise<void>;
};

export function killAt(moment: number): Kill {
  let count = 0;
  let isKilled = false;
  const open: Journal[] = [];
  let end: () => void;
  const killed = new Promise<"killed">((resolve) => (end = () => resolve("killed")));
  const step = (): Promise<void> => {
    if (isKilled || count++ === moment) {
      isKilled = true;
      end();
      return new Promise(() => undefined);
    }
    return Promise.resolve();
  };
  const killable =
    <A extends unknown[], T>(act: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      await step();
      const result = await act(...args);
      await step();
      return result;
    };
  return {
    killed,
    moments: () => count,
    async cleanUp() {
      if (isKilled) await Promise.all(open.map((journal) => journal.close()));
    },
    journal(journal) {
      open.push(journal);
      return { write: killable((line) => journal.write(line)), close: () => journal.close() };
    },
    service: (service) => mapCalls(service, (call) => killable(call)),
  };
}
