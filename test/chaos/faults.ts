/** The faults between client and server. */

import { forgedAnswer, FRAMINGS, type Framing, type Message } from "./messages.ts";
import type { Random } from "../../src/base/seeded-random.ts";

export type Fault =
  | { kind: "none" }
  /** The request is cut: only its first `at` bytes arrive. */
  | { kind: "cutRequest"; at: number; reset: boolean }
  /** The server executes the request. The answer is cut: only its first `at` bytes arrive. */
  | { kind: "cutAnswer"; at: number; reset: boolean; framing: Framing }
  /** The answer arrives in pieces of `bytes` bytes, with a pause in milliseconds after each. */
  | { kind: "drip"; bytes: number; pause: number }
  /**
   * The client receives a forged answer: `instead` of sending the request to the server, or `after` the server executed
   * it.
   */
  | { kind: "forge"; when: "instead" | "after"; message: Message }
  | { kind: "duplicate" }
  /** The response is shorter or longer than its declared length. */
  | { kind: "lie"; by: number };

const HTML = "<!doctype html><title>Log in</title><h1>Welcome to the airport</h1>";
const JSON_ERROR = '{"error":{"code":"UNAVAILABLE","message":"try again"}}';

/** Answers of proxies, gateways and overloaded servers. */
const FORGED: Message[] = [
  forgedAnswer(429, "application/json", JSON_ERROR, ["retry-after: 1"]),
  forgedAnswer(429, "application/json", JSON_ERROR, ["retry-after: 3600"]),
  forgedAnswer(500, "application/json", JSON_ERROR),
  forgedAnswer(502, "text/html", HTML),
  forgedAnswer(503, "application/json", JSON_ERROR, ["retry-after: junk"]),
  forgedAnswer(503, "text/plain", "busy"),
  forgedAnswer(504, "text/html", ""),
  forgedAnswer(200, "text/html", HTML),
  forgedAnswer(302, "text/html", "", ["location: https://login.example/"]),
  forgedAnswer(307, "text/html", "", ["location: http://127.0.0.1:1/"]),
];

/**
 * The forged answers to a request that the server has executed. A forged 429 is left out: the client would rightly
 * conclude that the request was not executed.
 */
const FORGED_AFTER = FORGED.filter(({ head }) => !head.includes(" 429 "));

export function randomFault(random: Random): Fault {
  const at = random.int(16) * 64;
  const reset = random.int(2) === 0;
  switch (random.int(8)) {
    case 0:
    case 1:
      return { kind: "cutAnswer", at, reset, framing: random.pick(FRAMINGS) };
    case 2:
      return { kind: "cutRequest", at, reset };
    case 3:
      return { kind: "forge", when: "instead", message: random.pick(FORGED) };
    case 4:
      return { kind: "forge", when: "after", message: random.pick(FORGED_AFTER) };
    case 5:
      return { kind: "duplicate" };
    case 6:
      return { kind: "lie", by: random.pick([-40, -1, 1, 40]) };
    default:
      return random.int(6) === 0 ? { kind: "drip", bytes: 1, pause: 20 } : { kind: "drip", bytes: 200, pause: 1 };
  }
}
