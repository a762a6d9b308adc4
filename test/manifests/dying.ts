/** A process that is killed at its n-th moment: before or after a line of its record, before or after a request. */

import type { Journal } from "../../src/manifests/apply/journal.ts";
import type { OperationName } from "../../src/schemas/operations.ts";
import type { FullService } from "../../src/service.ts";

export type Death = {
  service(service: FullService): FullService;
  journal(journal: Journal): Journal;
  /** Resolves when it is dead: from then on it does nothing, and learns nothing of what it had begun. */
  died: Promise<"died">;
  /** How many moments there were. */
  moments(): number;
  /** Closes what the dead one has left open. */
  bury(): Promise<void>;
};

export function deathAt(moment: number): Death {
  let count = 0;
  let isDead = false;
  const open: Journal[] = [];
  let die: () => void;
  const died = new Promise<"died">((resolve) => (die = () => resolve("died")));
  const live = (): Promise<void> => {
    if (isDead || count++ === moment) {
      isDead = true;
      die();
      return new Promise(() => undefined);
    }
    return Promise.resolve();
  };
  const mortal =
    <A extends unknown[], T>(act: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      await live();
      const result = await act(...args);
      await live();
      return result;
    };
  return {
    died,
    moments: () => count,
    async bury() {
      if (isDead) await Promise.all(open.map((journal) => journal.close()));
    },
    journal(journal) {
      open.push(journal);
      return { write: mortal((line) => journal.write(line)), close: () => journal.close() };
    },
    service: (service) =>
      Object.fromEntries(
        (Object.keys(service) as OperationName[]).map((name) => [name, mortal(service[name] as never)]),
      ) as unknown as FullService,
  };
}
