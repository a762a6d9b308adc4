/** A server as the place where a command works: the client is loaded and connects when it is first needed. */

import type { UndiciFetch } from "./client/undici-fetch.ts";
import type { Transport, TransportOptions } from "./client/transport.ts";
import type { RemotePlace } from "./config/target.ts";
import type { Secret } from "./schemas/secret.ts";
import type { RawAnswer, RawRequest, Service } from "./service.ts";

export type RemoteTarget = {
  service: () => Promise<Service>;
  /** The service for the holder of another token than the target's own. */
  serviceFor: (token: Secret) => Promise<Service>;
  raw: (request: RawRequest) => Promise<RawAnswer>;
  close: () => Promise<void>;
};

export type RemoteWiring = {
  /** Asked with the first request: what needs no request needs no token. */
  token: () => Promise<Secret>;
  env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds. */
  timeout: number;
  now: () => Date;
  sleep: (milliseconds: number, ending?: AbortSignal) => Promise<void>;
  /** Aborted when the program is told to end. */
  ending: AbortSignal;
  /** Told of each attempt, where somebody wants to see them. */
  log: ((line: string) => void) | undefined;
  warn: (text: string) => void;
};

export function remoteTarget({ baseUrl, origin }: RemotePlace, wiring: RemoteWiring): RemoteTarget {
  const { env, timeout, now, sleep, ending, log, warn } = wiring;
  let network: Promise<UndiciFetch> | undefined;
  let transport: Promise<Transport> | undefined;
  const open = async () => (await import("./client/undici-fetch.ts")).undiciFetch(origin, env);
  const options = async (token: Secret): Promise<TransportOptions> => {
    const { fetch } = await (network ??= open());
    return {
      baseUrl,
      token,
      fetch,
      deadline: timeout,
      now,
      sleep,
      ending,
      random: Math.random,
      onNotice: warn,
      ...(log && {
        onAttempt: ({ method, path, outcome, milliseconds, attempt }) =>
          log(`${method} ${path} ${outcome} ${milliseconds} ms, attempt ${attempt}`),
      }),
    };
  };
  const serviceFor = async (token: Secret) => {
    const { httpService } = await import("./client/http-service.ts");
    return httpService(await options(token));
  };
  /** One for all requests: it counts what the pages of a list cost together. */
  const openTransport = async () => {
    const { createTransport } = await import("./client/transport.ts");
    return createTransport(await options(await wiring.token()));
  };
  return {
    service: async () => serviceFor(await wiring.token()),
    serviceFor,
    async raw(request) {
      const { rawCall } = await import("./client/raw-call.ts");
      return rawCall(await (transport ??= openTransport()), request);
    },
    close: async () => (await network?.catch(() => undefined))?.close(),
  };
}
