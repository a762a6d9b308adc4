/** Reads the faults of `formctl serve --fault`: `WHERE:WHAT[:WHEN...]`. */

import { FormctlError } from "../base/error.ts";
import { nearest } from "../base/nearest.ts";
import { type OperationName, operationRow, operations } from "./operations.ts";

/** What happens to a request. Times are in milliseconds. */
export type FaultEffect =
  | { kind: "status"; status: number; retryAfter?: { seconds: number; asDate: boolean } }
  | { kind: "slow"; ms: number }
  | { kind: "reset" | "cut" | "hang" | "html" | "wrong-token" | "dead" };

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
  "WHAT: a status from 400 to 599, reset, cut, hang, slow=TIME, html, wrong-token or dead. " +
  "WHEN: before or after, at=N, first=N, every=N or rate=0.05; with a status also retry-after=SECONDS or retry-date=SECONDS.";

const NAMES = Object.keys(operations) as OperationName[];
const isRead = (name: OperationName) => operationRow(name).method === "GET";
const GROUPS = new Map<string, readonly OperationName[]>([
  ["*", NAMES],
  ["read", NAMES.filter(isRead)],
  ["write", NAMES.filter((name) => !isRead(name))],
]);

/** What a fault can name before its first colon. */
export const FAULT_PLACES: readonly string[] = [...GROUPS.keys(), ...NAMES];

const SIMPLE = ["reset", "cut", "hang", "html", "wrong-token", "dead"] as const;
const MOMENTS = ["before", "after"] as const;
const TURNS = ["at", "first", "every"] as const;
const WORDS = [
  ...SIMPLE,
  ...MOMENTS,
  ...["slow", "rate", "retry-after", "retry-date", ...TURNS].map((key) => `${key}=`),
];
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };
const MAX_MS = 10 * 60_000;

/** @throws FormctlError USAGE with the grammar and the nearest word */
export function parseFault(text: string): Fault {
  const [where = "", ...parts] = text.split(":");
  const named = GROUPS.get(where) ?? NAMES.filter((name) => name === where);
  if (named.length === 0) throw unknownWord(where, FAULT_PLACES);
  const found: Found = {};
  for (const part of parts) {
    const [member, value] = readPart(part);
    if (found[member] !== undefined) throw invalid(`has "${part}" besides another part of this kind: "${text}"`);
    Object.assign(found, { [member]: value });
  }
  const { effect, isAfter = false, turn = { kind: "always" }, retryAfter } = found;
  if (!effect) throw invalid(`lacks what happens: "${text}"`);
  if (retryAfter && effect.kind !== "status") throw invalid(`has Retry-After without a status: "${text}"`);
  return { text, operations: new Set(named), effect: { ...effect, ...(retryAfter && { retryAfter }) }, isAfter, turn };
}

type Found = {
  effect?: FaultEffect;
  isAfter?: boolean;
  turn?: FaultTurn;
  retryAfter?: { seconds: number; asDate: boolean };
};

function readPart(part: string): [member: keyof Found, value: unknown] {
  const simple = SIMPLE.find((word) => word === part);
  if (simple) return ["effect", { kind: simple }];
  if (/^\d+$/.test(part)) {
    const status = Number(part);
    if (status < 400 || status > 599) throw invalid(`must have a status from 400 to 599, not "${part}"`);
    return ["effect", { kind: "status", status }];
  }
  if (MOMENTS.some((word) => word === part)) return ["isAfter", part === "after"];
  const [key = "", value = ""] = part.split("=");
  const turn = TURNS.find((word) => word === key);
  if (turn) return ["turn", { kind: turn, number: numberIn(part, value, /^[1-9]\d{0,8}$/, "a whole number from 1") }];
  switch (key) {
    case "rate":
      return ["turn", { kind: key, rate: numberIn(part, value, /^(0?\.\d{1,9}|1)$/, "a number above 0, up to 1") }];
    case "retry-after":
    case "retry-date":
      return [
        "retryAfter",
        { seconds: numberIn(part, value, /^\d{1,5}$/, "a number of seconds"), asDate: key === "retry-date" },
      ];
    case "slow":
      return ["effect", { kind: "slow", ms: timeIn(part, value) }];
    default:
      throw unknownWord(part, WORDS);
  }
}

function numberIn(part: string, value: string, shape: RegExp, what: string): number {
  if (!shape.test(value) || (Number(value) === 0 && part.startsWith("rate")))
    throw invalid(`must have ${what} in "${part}"`);
  return Number(value);
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
