/** Wraps a service: checks each write before sending, and counts the outcomes of the writes. */

import { operationRow } from "../schemas/operations.ts";
import { mapCalls, type Service, ServiceError } from "../service.ts";

/** The writes that were sent through a guarded service. */
export type SentWrites = {
  /** The number of writes that the service accepted. */
  accepted: number;
  /** The number of writes without an answer. They may have been carried out. */
  unknown: number;
};

/** Returns a service that awaits `before` before each write, and counts the writes in `sent`. */
export function guardWrites(service: Service, before: () => Promise<void>, sent: SentWrites): Service {
  return mapCalls(service, (call, name) => {
    if (operationRow(name).method === "GET") return call;
    return async (input, options) => {
      await before();
      try {
        const answer = await call(input, options);
        sent.accepted++;
        return answer;
      } catch (error) {
        if (!isRefusal(error)) sent.unknown++;
        throw error;
      }
    };
  });
}

/** Whether the service refused the request, so that nothing was written. */
function isRefusal(error: unknown): boolean {
  return error instanceof ServiceError && error.status !== 429 && error.status < 500;
}
