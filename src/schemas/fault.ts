/** Reads the faults of `formctl serve --fault`: `WHERE:WHAT[:WHEN...]`. */

import { FormctlError } from "../base/error.ts";
import { nearest } from "../base/nearest.ts";
import { type OperationName, operationRow, operations } from "./operations.ts";

/** How an answer declares its end instead of with its length: in chunks, or only by the end of the connection. */
export type FaultFraming = "chunked" | "close";

/** What happens to a request. Times are in milliseconds. */
export type FaultEffect =
  | { kind: "status"; status: number; retryAfter?: { seconds: number; asDate: boolean } }
  | { kind: "html"; status: number }
  | { kind: "slow" | "drip"; ms: number }
  /** The connection ends or breaks after the first bytes of the answer. Without a number, a cut is in its middle. */
  | { kind: "cut" | "reset"; bytes?: number; framing?: FaultFraming }
  | { kind: "hang" | "wrong-token" | "dead" };

/** Which of the matching requests have the fault. */
export type FaultTurn =
  | { kind: "always" }
  | { kind: "at" | "first" | "every"; number: number }
  | { kind: "rate"; rate: number };

export type Fault = {
  /** The fault as it was specified. */
  text: string;
  operations: ReadonlySet<OperationName>;
  effect: FaultEffect;
  /** Whether the request is carried out before the fault. */
  isAfter: boolean;
  turn: FaultTurn;
};

export const FAULT_GRAMMAR =
  "A fault is WHERE:WHAT[:WHEN...]. WHERE: an operation such as publishLayout, read, write or *. " +
  "WHAT: a status from 400 to 599, reset, cut, reset=BYTES, cut=BYTES, hang, slow=TIME, drip=TIME, html, html=STATUS, wrong-token or dead. " +
  "WHEN: before or after, at=N, first=N, every=N or rate=0.05; with a status also retry-after=SECONDS or retry-date=SECONDS; " +
  "with BYTES also framing=chunked or framing=close.";

const NAMES = Object.keys(operations) as OperationName[];
const isRead = (name: OperationName) => operationRow(name).method === "GET";
const GROUPS = new Map<string, readonly OperationName[]>([
  ["*", NAMES],
  ["read", NAMES.filter(isRead)],
  ["write", NAMES.filter((name) => !isRead(name))],
]);

/** What a fault can name before its first colon. */
export const FAULT_PLACES: readonly string[] = [...GROUPS.keys(), ...NAMES];

type Found = {
  effect?: FaultEffect;
  isAfter?: boolean;
  turn?: FaultTurn;
  retryAfter?: { seconds: number; asDate: boolean };
  framing?: FaultFraming;
};

/** The parts of a fault without a value. */
const WORDS = new Map<string, Found>([
  ["reset", { effect: { kind: "reset", bytes: 0 } }],
  ["html", { effect: { kind: "html", status: 502 } }],
  ...(["cut", "hang", "wrong-token", "dead"] as const).map((kind) => [kind, { effect: { kind } }] as const),
  ["before", { isAfter: false }],
  ["after", { isAfter: true }],
  ["framing=chunked", { framing: "chunked" }],
  ["framing=close", { framing: "close" }],
]);

/** The parts of a fault with a value. */
const VALUES = ["at", "first", "every", "rate", "slow", "drip", "cut", "reset", "html", "retry-after", "retry-date"];

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };
const MAX_MS = 10 * 60_000;

/** @throws FormctlError USAGE with the grammar and the nearest word */
export function parseFault(text: string): Fault {
  const [where = "", ...parts] = text.split(":");
  const named = GROUPS.get(where) ?? NAMES.filter((name) => name === where);
  if (named.length === 0) throw unknownWord(where, FAULT_PLACES);
  const found: Found = {};
  for (const part of parts) {
    const read = readPart(part);
    if (Object.keys(read).some((member) => member in found))
      throw invalid(`has "${part}" besides another part of this kind: "${text}"`);
    Object.assign(found, read);
  }
  const { effect, isAfter = false, turn = { kind: "always" }, retryAfter, framing } = found;
  if (!effect) throw invalid(`lacks what happens: "${text}"`);
  if (retryAfter && effect.kind !== "status") throw invalid(`has Retry-After without a status: "${text}"`);
  if (framing && !("bytes" in effect)) throw invalid(`has a framing without BYTES: "${text}"`);
  const whole = { ...effect, ...(retryAfter && { retryAfter }), ...(framing && { framing }) };
  return { text, operations: new Set(named), effect: whole, isAfter, turn };
}

function readPart(part: string): Found {
  const word = WORDS.get(part);
  if (word) return word;
  const isStatus = /^\d+$/.test(part);
  const [key = "", value = ""] = isStatus ? ["", part] : part.split("=");
  const number = (shape: RegExp, what: string): number => {
    if (!shape.test(value)) throw invalid(`must have ${what} in "${part}"`);
    return Number(value);
  };
  if (isStatus) return { effect: { kind: "status", status: number(/^[45]\d\d$/, "a status from 400 to 599") } };
  switch (key) {
    case "html":
      return { effect: { kind: key, status: number(/^(200|[45]\d\d)$/, "200, or a status from 400 to 599,") } };
    case "slow":
    case "drip":
      return { effect: { kind: key, ms: timeIn(part, value) } };
    case "cut":
    case "reset":
      return { effect: { kind: key, bytes: number(/^\d{1,7}$/, "a number of bytes") } };
    case "at":
    case "first":
    case "every":
      return { turn: { kind: key, number: number(/^[1-9]\d{0,8}$/, "a whole number from 1") } };
    case "rate":
      return { turn: { kind: key, rate: number(/^(0?\.(?=.*[1-9])\d{1,9}|1)$/, "a number above 0, up to 1") } };
    case "retry-after":
    case "retry-date":
      return {
        retryAfter: { seconds: number(/^\d{1,5}$/, "a number of seconds"), asDate: key === "retry-date" },
      };
    default:
      throw unknownWord(part, [...WORDS.keys(), ...VALUES.map((name) => `${name}=`)]);
  }
}

function timeIn(part: string, value: string): number {
  const [, number, unit = ""] = /^(\d{1,6}(?:\.\d{1,3})?)(ms|s|m)$/.exec(value) ?? [];
  const ms = number === undefined ? NaN : Number(number) * UNITS[unit]!;
  if (!(ms <= MAX_MS)) throw invalid(`must have a time up to 10m in "${part}", such as 500ms or 3s`);
  return ms;
}

function unknownWord(word: string, known: readonly string[]): FormctlError {
  const similar = nearest(word, known);
  return invalid(`has the unknown part "${word}"`, similar === undefined ? "" : `Did you mean ${similar}? `);
}

function invalid(message: string, hint = ""): FormctlError {
  return new FormctlError("USAGE", message, `${hint}${FAULT_GRAMMAR}`);
}
