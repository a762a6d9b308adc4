/** Random faults: those of `formctl serve --fault`, and those of a network. */

import type { Random } from "../../src/base/seeded-random.ts";
import { type Fault, parseFault } from "../../src/schemas/fault.ts";
import type { OperationName } from "../../src/schemas/operations.ts";
import { forgedAnswer, type NetworkFault } from "./network.ts";

/** Decides the faults of each request. Without a function, there are none. */
export type Chaos = {
  served?: (name: OperationName) => Fault | undefined;
  network?: (request: Buffer) => NetworkFault | undefined;
};

export const FRAMINGS = ["length", "chunked", "close"] as const;

/** Returns the fault that ends an answer to a request that was carried out, after its first bytes. */
export function cutAnswer(at: number, reset: boolean, framing: (typeof FRAMINGS)[number]): Fault {
  const suffix = framing === "length" ? "" : `:framing=${framing}`;
  return parseFault(`*:${reset ? "reset" : "cut"}=${at}:after${suffix}`);
}

const INSTEAD = ["429:retry-after=1", "429:retry-after=3600", "500", "503:retry-date=1", "html", "html=200", "reset"];
/** Without 429: the client would rightly conclude that the request was not carried out. */
const AFTER = ["500", "503", "504", "html", "html=200", "reset"];

const HTML = "<!doctype html><title>Log in</title><h1>Welcome to the airport</h1>";
const JSON_ERROR = '{"error":{"code":"UNAVAILABLE","message":"try again"}}';

/** Answers that our server does not give, but networks and other servers do. */
const FORGED = [
  forgedAnswer(200, "text/html", HTML),
  forgedAnswer(302, "text/html", "", ["location: https://login.example/"]),
  forgedAnswer(307, "text/html", "", ["location: http://127.0.0.1:1/"]),
  forgedAnswer(503, "application/json", JSON_ERROR, ["retry-after: junk"]),
  forgedAnswer(503, "text/plain", "busy"),
  forgedAnswer(504, "text/html", ""),
];

function servedFault(random: Random, isQuick: boolean): Fault {
  switch (random.int(8)) {
    case 0:
      return parseFault(`*:${random.pick(INSTEAD)}`);
    case 1:
      return parseFault(`*:${random.pick(AFTER)}:after`);
    case 2:
    case 3:
      return parseFault(!isQuick && random.int(6) === 0 ? "*:drip=20s" : "*:drip=10ms");
    default:
      return cutAnswer(random.int(16) * 64, random.int(2) === 0, random.pick(FRAMINGS));
  }
}

function networkFault(random: Random): NetworkFault {
  switch (random.int(4)) {
    case 0:
      return { kind: "cutRequest", at: random.int(16) * 64, reset: random.int(2) === 0 };
    case 1:
      return { kind: "duplicate" };
    case 2:
      return { kind: "wrongLength", by: random.pick([-40, -1, 1, 40]) };
    default:
      return { kind: "forged", when: random.pick(["instead", "after"]), answer: random.pick(FORGED) };
  }
}

/**
 * Returns random faults, half of them of the server and half of the network.
 *
 * @param rate the share of the requests with a fault
 * @param isQuick whether no answer takes longer than the client waits
 */
export function randomChaos(random: Random, rate: number, { isQuick = false } = {}): Chaos {
  // The server does not receive each request.
  const [served, network] = [rate * 0.6, rate / 2];
  return {
    served: () => (random.next() < served ? servedFault(random, isQuick) : undefined),
    network: () => (random.next() < network ? networkFault(random) : undefined),
  };
}
