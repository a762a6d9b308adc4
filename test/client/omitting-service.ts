/** A service without HTTP whose writes omit refused members as the client does. */

import { createOmissions } from "../../src/client/optional-members.ts";
import type { OperationName } from "../../src/schemas/operations.ts";
import type { CallOptions, Service } from "../../src/service.ts";

type AnyCall = (input: { body?: unknown }, options?: CallOptions) => Promise<unknown>;

export function omittingService<S extends Service>(service: S): S {
  const send = createOmissions();
  const calls = Object.entries(service) as unknown as [OperationName, AnyCall][];
  const wrapped = calls.map(([name, call]): [string, AnyCall] => [
    name,
    (input, options = {}) =>
      send(name, input?.body, options, (body) => call(body === input?.body ? input : { ...input, body }, options)),
  ]);
  return Object.fromEntries(wrapped) as unknown as S;
}
