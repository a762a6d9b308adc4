/** The operations of a caller as a service. */

import { type OperationName, operations } from "../../src/schemas/operations.ts";
import type { Caller, FullService, RequestContext } from "../../src/service.ts";

export function serviceOf(caller: Caller, context: RequestContext = {}): FullService {
  const names = Object.keys(operations) as OperationName[];
  const answers = names.map((name) => [name, (input: unknown) => caller.answer(name, input, context)]);
  return Object.fromEntries(answers) as FullService;
}
