/** Creates a service that sends each operation of the operations table as an HTTP request. */

import { type OperationName, operationRow, operations } from "../schemas/operations.ts";
import {
  type AnyCall,
  type CallOptions,
  mapCalls,
  type RawAnswer,
  type RawRequest,
  type Service,
  withOperation,
} from "../service.ts";
import { type CallDefaults, withinLimits } from "./call-limits.ts";
import { rawCall } from "./raw-call.ts";
import { createReads } from "./reads.ts";
import { createTransport } from "./transport.ts";
import { createWrites, type WriteOptions } from "./writes.ts";

export type HttpServiceOptions = WriteOptions & {
  /** Limits and headers of each call. */
  defaults?: CallDefaults;
};

/** Sends any request. See `rawCall` for the errors. */
export type SendRaw = (request: RawRequest, call?: CallOptions) => Promise<RawAnswer>;

export function httpService(options: HttpServiceOptions): Service {
  return httpClient(options).service;
}

/** Same as `httpService`, with a function that sends any request by the same transport. */
export function httpClient(options: HttpServiceOptions): { service: Service; request: SendRaw } {
  const send = createTransport(options);
  const read = createReads(options, send);
  const unlimited = {} as Record<OperationName, AnyCall>;
  const write = createWrites(options, send, unlimited as unknown as Service);
  for (const name of Object.keys(operations) as OperationName[]) {
    const isRead = operationRow(name).method === "GET";
    unlimited[name] = isRead ? read.bind(undefined, name) : write.bind(undefined, name);
  }
  const server = { origin: new URL(options.baseUrl).origin, now: options.now };
  const { defaults = {} } = options;
  const service = mapCalls(unlimited as unknown as Service, (call, operation) => async (input, given = {}) => {
    try {
      return await withinLimits(given, defaults, server, (limited) => call(input, limited));
    } catch (error) {
      // The reason of a signal may be the error of several calls.
      const isReason = [given.signal, defaults.signal].some((signal) => signal?.aborted && signal.reason === error);
      throw isReason ? error : withOperation(error, operation);
    }
  });
  const request: SendRaw = (raw, given = {}) =>
    withinLimits(given, defaults, server, (call) => rawCall((sending) => send({ ...sending, call }), raw, call.signal));
  return { service, request };
}
