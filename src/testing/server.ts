/** The server of `formctl serve` in this process, for tests of programs that use a client. */

import { FormctlError } from "../base/error.ts";
import { serveOnLoopback } from "../composition/loopback.ts";
import { VERSION } from "../composition/version.ts";
import type { LocalService } from "../local-service.ts";
import { type Fault, type FaultFraming, parseFault } from "../schemas/fault.ts";
import type { OperationName } from "../schemas/operations.ts";
import type { Permission } from "../schemas/words.ts";

/** When a request has a fault. Without a turn, each matching request has the fault. */
export type FaultTurnOptions = {
  /** Only the request with this number. */
  at?: number;
  /** Only the first requests, as many as this number. */
  first?: number;
  /** Each request whose number is a multiple of this number. */
  every?: number;
  /** The share of the requests, above 0 and up to 1. */
  rate?: number;
};

/** What happens to a request. */
export type FaultOptions = FaultTurnOptions & {
  /** Whether the request is carried out before the fault. Default: false. */
  after?: boolean;
} & (
    | { status: number; /** The seconds of the header Retry-After. */ retryAfter?: number }
    | { /** The delay in milliseconds. */ slow: number }
    | { /** The milliseconds in which the answer arrives, in pieces. */ drip: number }
    | {
        /** Resets the connection, or ends it: without `bytes`, before or in the middle of the answer. */
        effect: "reset" | "cut";
        /** The bytes of the answer that are sent before. */
        bytes?: number;
        /** How the answer declares its end, with `bytes`. Default: with its length. */
        framing?: FaultFraming;
      }
    | {
        /** Answers with a page, as a proxy does. */
        effect: "html";
        /** 200, or a status from 400 to 599. Default: 502. */
        status?: number;
      }
    | {
        /**
         * - `hang`: sends no answer
         * - `wrong-token`: refuses the token
         * - `dead`: resets this connection and all later ones
         */
        effect: "hang" | "wrong-token" | "dead";
      }
  );

/**
 * Returns a fault for {@link startServer}.
 *
 * ```ts
 * const faults = [fault("publishLayout", { status: 504, after: true }), fault("write", { status: 429, first: 2 })];
 * ```
 *
 * @param where an operation, all operations that only read, all that write, or all
 * @throws USAGE if a value is outside of its limits
 */
export function fault(where: OperationName | "read" | "write" | "*", options: FaultOptions): Fault {
  const { after = false, at, first, every, rate } = options;
  const turn = Object.entries({ at, first, every, rate }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  );
  return faultOf([where, ...effectOf(options), after ? "after" : "before", ...turn].join(":"));
}

function faultOf(text: string): Fault {
  try {
    return parseFault(text);
  } catch (error) {
    if (!(error instanceof FormctlError)) throw error;
    throw new FormctlError(error.code, `the fault "${text}" ${error.message}`, error.hint);
  }
}

function effectOf(options: FaultOptions): string[] {
  if ("slow" in options) return [`slow=${options.slow}ms`];
  if ("drip" in options) return [`drip=${options.drip}ms`];
  const value = (name: string, of: number | string | undefined) => (of === undefined ? [] : [`${name}=${of}`]);
  if (!("effect" in options)) return [String(options.status), ...value("retry-after", options.retryAfter)];
  const { effect, bytes, framing, status }: { effect: string; bytes?: number; framing?: string; status?: number } =
    options;
  const [what = effect] = value(effect, bytes ?? status);
  return [what, ...value("framing", framing)];
}

export type StartServerOptions = {
  /** The store. `close` of the server does not close it. */
  local: LocalService;
  /** The key of the organization of the token. Required if the store has several. */
  organization?: string;
  /** The permissions of the token. Default: all. */
  permissions?: readonly Permission[];
  /** Faults of requests: results of {@link fault}, or texts as for `formctl serve --fault`. */
  faults?: readonly (Fault | string)[];
  /** Determines which requests have a fault with a rate. Default: 0. */
  faultSeed?: number;
  /** Called for each request with a fault, before its effect. */
  onFault?: () => void;
  /** Default: a free port. */
  port?: number;
};

export type TestServer = AsyncDisposable & {
  /** The base URL, for `createClient`. */
  baseUrl: string;
  /** A token of the organization. */
  token: string;
  /** Ends the faults: later requests have none. */
  endFaults(): void;
  /** Ends the requests in progress, and stops the server. */
  close(): Promise<void>;
};

/**
 * Starts the server of `formctl serve` on this machine. Only programs of this machine can connect.
 *
 * ```ts
 * await using test = await testOrganization();
 * await using server = await startServer({ local: test.local, faults: [fault("listForms", { status: 503, first: 1 })] });
 * const client = createClient({ baseUrl: server.baseUrl, token: server.token });
 * ```
 *
 * @throws USAGE for a text that is no fault
 * @throws ORGANIZATION_UNCLEAR
 * @throws the error of the socket, such as EADDRINUSE
 */
export async function startServer(options: StartServerOptions): Promise<TestServer> {
  const { local, faults = [], faultSeed = 0, onFault, organization, permissions, port } = options;
  const list = faults.map((each) => (typeof each === "string" ? faultOf(each) : each));
  const { stop, baseUrl, token, endFaults } = await serveOnLoopback(local, {
    version: VERSION,
    name: "test server",
    organization,
    ...(permissions && { permissions }),
    ...(port !== undefined && { port }),
    faults: { list, seed: faultSeed, ...(onFault && { onFault }) },
  });
  return { baseUrl, token, endFaults, close: stop, [Symbol.asyncDispose]: stop };
}
