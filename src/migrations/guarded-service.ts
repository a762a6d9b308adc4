/** Wraps a service: checks each write before sending, and counts the outcomes of the writes. */

import { operationRow, type OperationName, operations } from "../schemas/operations.ts";
import { type CallOptions, type Service, ServiceError } from "../service.ts";

/** The writes that were sent through a guarded service. */
export type SentWrites = {
  /** The number of writes that the service accepted. */
  accepted: number;
  /** The number of writes without an answer. They may have been carried out. */
  unknown: number;
};

type AnyOperation = (input: unknown, options?: CallOptions) => Promise<unknown>;

/** Returns a service that awaits `before` before each write, and counts the writes in `sent`. */
export function guardWrites(service: Service, before: () => Promise<void>, sent: SentWrites): Service {
  const guarded: Partial<Record<OperationName, AnyOperation>> = {};
  for (const name of Object.keys(operations) as OperationName[]) {
    const call = service[name] as unknown as AnyOperation;
    if (operationRow(name).method === "GET") guarded[name] = call;
    else {
      guarded[name] = async (input, options) => {
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
    }
  }
  return guarded as unknown as Service;
}

/** Whether the service refused the request, so that nothing was written. */
function isRefusal(error: unknown): boolean {
  return error instanceof ServiceError && error.status !== 429 && error.status < 500;
}
