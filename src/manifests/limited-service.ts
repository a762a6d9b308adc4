/** Limits the concurrent requests of a service that several callers share. */

import type { Service } from "../service.ts";

export type Limited = <T>(task: () => Promise<T>) => Promise<T>;

/** Wraps a service so that each request is a limited task. */
export function limitedService(service: Service, limited: Limited): Service {
  const send = Object.entries(service) as [string, (...args: readonly unknown[]) => Promise<unknown>][];
  const wrapped = send.map(([name, call]) => [name, (...args: readonly unknown[]) => limited(() => call(...args))]);
  return Object.fromEntries(wrapped) as Service;
}

/** Returns a function that runs at most `limit` tasks concurrently. Other tasks wait in order. */
export function limitConcurrency(limit: number): Limited {
  const waiting: (() => void)[] = [];
  let running = 0;
  const release = () => {
    const next = waiting.shift();
    if (next) next();
    else running--;
  };
  return async (task) => {
    if (running < limit) running++;
    else await new Promise<void>((go) => waiting.push(go));
    try {
      const result = await task();
      release();
      return result;
    } catch (error) {
      // The caller handles the failure before the next task begins: after a 429, no task may begin.
      setImmediate(release);
      throw error;
    }
  };
}
