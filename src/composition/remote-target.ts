/** Makes a server the target of a command. The client is loaded, and connects, with the first request. */

import type { RateGate } from "../client/rate-gate.ts";
import type { Recording } from "../client/record-exchanges.ts";
import type { UndiciFetch } from "../client/undici-fetch.ts";
import type { Transport, TransportOptions } from "../client/transport.ts";
import type { RemoteTarget } from "../config/target.ts";
import type { Host } from "../base/host.ts";
import type { Secret } from "../base/secret.ts";
import type { Observation } from "../schemas/contract/shapes.ts";
import type { RawAnswer, RawRequest, Service } from "../service.ts";

export type OpenRemoteTarget = {
  service: (options?: ServiceOptions) => Promise<Service>;
  /** Returns the service with the given token instead of the token of the target. */
  serviceFor: (token: Secret) => Promise<Service>;
  /** Returns the service of the target. `onAnswer` gets the answer to each read. */
  observed: (onAnswer: (answer: Observation) => void) => Promise<Service>;
  raw: (request: RawRequest) => Promise<RawAnswer>;
  close: () => Promise<void>;
};

export type ServiceOptions = {
  /** Whether requests are also sent after a signal, such as SIGINT, has arrived. Default: false. */
  survivesSignal?: boolean;
  onAnswer?: (answer: Observation) => void;
};

export type RemoteOptions = Pick<Host, "env" | "now" | "sleep" | "ending"> & {
  /** Called with the first request, because a command without requests needs no token. */
  token: () => Promise<Secret>;
  /** The version of the program, for the header `user-agent`. */
  version: string;
  /** The time limit of an operation, in milliseconds. */
  timeout: number;
  /** The longest wait in milliseconds after a 429. Default: a minute. */
  patience?: number | undefined;
  /** Called with a line for each attempt of a request. */
  log: ((line: string) => void) | undefined;
  warn: (text: string) => void;
  /** Returns a fetch that records the exchanges. Undefined if they are not recorded. */
  record?: Recording["record"] | undefined;
};

export function openRemoteTarget(
  { baseUrl, origin, maxRequestsPerSecond }: RemoteTarget,
  options: RemoteOptions,
): OpenRemoteTarget {
  const { env, version, record, timeout, patience, now, sleep, ending, log, warn } = options;
  let network: Promise<UndiciFetch> | undefined;
  let gate: RateGate | undefined;
  let transport: Promise<Transport> | undefined;
  const open = async () => (await import("../client/undici-fetch.ts")).undiciFetch(origin, env);
  const transportOptions = async (token: Secret): Promise<TransportOptions> => {
    const { fetch } = await (network ??= open());
    const { createRateGate } = await import("../client/rate-gate.ts");
    const { clientHeaders } = await import("../client/client-headers.ts");
    return {
      baseUrl,
      token,
      fetch: record ? record(fetch, token) : fetch,
      headers: clientHeaders(version, env),
      deadline: timeout,
      now,
      sleep,
      ending,
      random: Math.random,
      gate: (gate ??= createRateGate({ now, sleep, maxRequestsPerSecond, patience })),
      onNotice: warn,
      ...(log && {
        onAttempt: ({ method, path, outcome, milliseconds, attempt }) =>
          log(`${method} ${path} ${outcome} ${milliseconds} ms, attempt ${attempt}`),
      }),
    };
  };
  const openService = async (token: Secret, { survivesSignal = false, onAnswer }: ServiceOptions = {}) => {
    const { httpService } = await import("../client/http-service.ts");
    const { ending: signal, ...others } = await transportOptions(token);
    return httpService({ ...others, onAnswer, ...(!survivesSignal && { ending: signal }) });
  };
  /** All raw requests share one transport: a transport limits the total size of the pages of a list. */
  const openTransport = async () => {
    const { createTransport } = await import("../client/transport.ts");
    return createTransport(await transportOptions(await options.token()));
  };
  return {
    service: async (choices) => openService(await options.token(), choices),
    serviceFor: (token) => openService(token),
    observed: async (onAnswer) => openService(await options.token(), { onAnswer }),
    async raw(request) {
      const { rawCall } = await import("../client/raw-call.ts");
      return rawCall(await (transport ??= openTransport()), request);
    },
    close: async () => (await network?.catch(() => undefined))?.close(),
  };
}
