/** Creates a service that sends each operation of the operations table as an HTTP request. */

import { type OperationName, operationRow, operations } from "../schemas/operations.ts";
import type { CallOptions, Service } from "../service.ts";
import type { AnyInput } from "./call.ts";
import { createReads } from "./reads.ts";
import { createTransport } from "./transport.ts";
import { createWrites, type WriteOptions } from "./writes.ts";

export type HttpServiceOptions = WriteOptions;

export function httpService(options: HttpServiceOptions): Service {
  const service = {} as Record<OperationName, (input: AnyInput, call?: CallOptions) => Promise<unknown>>;
  const send = createTransport(options);
  const read = createReads(options, send);
  const write = createWrites(options, send, service as unknown as Service);
  for (const name of Object.keys(operations) as OperationName[]) {
    const isRead = operationRow(name).method === "GET";
    service[name] = isRead ? read.bind(undefined, name) : write.bind(undefined, name);
  }
  return service as unknown as Service;
}
