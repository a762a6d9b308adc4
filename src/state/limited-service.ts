/** Wraps a service: limits the number of concurrent requests. */

import { mapCalls, type Service } from "../service.ts";

export type Limited = <T>(task: () => Promise<T>) => Promise<T>;

/** Wraps a service so that each request is a limited task. */
export function limitedService(service: Service, limited: Limited): Service {
  return mapCalls(service, (call) => (input, options) => limited(() => call(input, options)));
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
      // The next task begins only after the caller has handled this failure, because the caller may stop the others.
      setImmediate(release);
      throw error;
    }
  };
}
