/** Turns the operations of a caller into a service. */

import { type OperationName, operations } from "../../src/schemas/operations.ts";
import type { Caller, CallOptions, FullService, RequestContext } from "../../src/service.ts";

export function serviceOf(caller: Caller, context: RequestContext = {}): FullService {
  const names = Object.keys(operations) as OperationName[];
  const answers = names.map((name) => [
    name,
    (input: unknown, call?: CallOptions) => caller.answer(name, input, { ...context, ...call }),
  ]);
  return Object.fromEntries(answers) as FullService;
}
