/** The notation of faults: `WHERE:WHAT[:WHEN...]`. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FormctlError } from "../../src/base/error.ts";
import { FAULT_GRAMMAR, parseFault } from "../../src/schemas/fault.ts";
import { operations } from "../../src/schemas/operations.ts";

const names = Object.keys(operations);
const reads = names.filter((name) => operations[name as keyof typeof operations].method === "GET");

const TEXTS: [text: string, fault: object][] = [
  ["publishLayout:504:after", { effect: { kind: "status", status: 504 }, isAfter: true, turn: { kind: "always" } }],
  [
    "write:429:first=20:retry-after=2",
    {
      effect: { kind: "status", status: 429, retryAfter: { seconds: 2, asDate: false } },
      turn: { kind: "first", number: 20 },
    },
  ],
  ["listForms:slow=3s:at=2", { effect: { kind: "slow", ms: 3_000 }, turn: { kind: "at", number: 2 }, isAfter: false }],
  ["saveDraft:reset:after:at=1", { effect: { kind: "reset" }, turn: { kind: "at", number: 1 }, isAfter: true }],
  ["*:500:rate=0.05", { effect: { kind: "status", status: 500 }, turn: { kind: "rate", rate: 0.05 } }],
  ["read:503:retry-date=1", { effect: { kind: "status", status: 503, retryAfter: { seconds: 1, asDate: true } } }],
  ["*:wrong-token:every=3", { effect: { kind: "wrong-token" }, turn: { kind: "every", number: 3 } }],
  ["*:slow=0.5s", { effect: { kind: "slow", ms: 500 } }],
  ["*:drip=2m", { effect: { kind: "drip", ms: 120_000 } }],
  ["*:html", { effect: { kind: "html", status: 502 } }],
  ["*:html=200", { effect: { kind: "html", status: 200 } }],
  ["write:cut=64", { effect: { kind: "cut", bytes: 64 } }],
  ["write:after:framing=close:cut=0", { effect: { kind: "cut", bytes: 0, framing: "close" }, isAfter: true }],
  ["*:reset=700:framing=chunked", { effect: { kind: "reset", bytes: 700, framing: "chunked" } }],
  ["*:rate=1:before:hang", { effect: { kind: "hang" }, turn: { kind: "rate", rate: 1 }, isAfter: false }],
];

describe("a fault", () => {
  it.each(TEXTS)("is read from %s", (text, fault) => {
    expect(parseFault(text)).toMatchObject({ text, ...fault });
  });

  it("names an operation, the reads, the writes or all", () => {
    expect([...parseFault("read:500").operations]).toEqual(reads);
    expect([...parseFault("write:500").operations]).toEqual(names.filter((name) => !reads.includes(name)));
    expect([...parseFault("*:500").operations]).toEqual(names);
    expect([...parseFault("saveDraft:500").operations]).toEqual(["saveDraft"]);
  });
});

const REFUSED: [text: string, message: RegExp, hint?: string][] = [
  ["publishLyout:504", /unknown part "publishLyout"/, "Did you mean publishLayout? "],
  ["write:429:frist=2", /unknown part "frist=2"/, "Did you mean first=? "],
  ["writes:429", /unknown part "writes"/, "Did you mean write? "],
  ["write:rest", /unknown part "rest"/, "Did you mean reset? "],
  ["publishLayout", /lacks what happens/],
  ["write:at=1", /lacks what happens/],
  ["*:399", /from 400 to 599/],
  ["*:600", /from 400 to 599/],
  ["*:500:at=0", /a whole number from 1 in "at=0"/],
  ["*:500:rate=0", /above 0, up to 1/],
  ["*:500:rate=2", /above 0, up to 1/],
  ["*:slow=3", /such as 500ms or 3s/],
  ["*:slow=11m", /a time up to 10m/],
  ["*:500:reset", /besides another part of this kind/],
  ["*:500:at=1:first=2", /besides another part of this kind/],
  ["*:500:before:after", /besides another part of this kind/],
  ["*:reset:retry-after=1", /Retry-After without a status/],
  ["*:cut:framing=close", /a framing without BYTES/],
  ["*:cut=1:framing=length", /unknown part "framing=length"/],
  ["*:cut=half", /a number of bytes in "cut=half"/],
  ["*:html=302", /200, or a status from 400 to 599, in "html=302"/],
  ["*:drip=11m", /a time up to 10m/],
  ["*:status=404", /unknown part "status=404"/],
  ["*:after=1", /unknown part "after=1"/, "Did you mean after? "],
  ["toString:500", /unknown part "toString"/],
  ["__proto__:500", /unknown part "__proto__"/],
  ["constructor:500", /unknown part "constructor"/],
  ["", /unknown part ""/],
];

it.each(REFUSED)("%s is refused with the grammar and the nearest word", (text, message, hint = "") => {
  expect(() => parseFault(text)).toThrow(
    expect.objectContaining({
      code: "USAGE",
      message: expect.stringMatching(message),
      hint: `${hint}${FAULT_GRAMMAR}`,
    }),
  );
});

/** Returns what the reader makes of a text. Any other error is thrown. */
function read(text: string): string {
  try {
    return parseFault(text).operations.size > 0 ? "a fault" : "nothing";
  } catch (error) {
    if (!(error instanceof FormctlError)) throw error;
    return error.code;
  }
}

it("no other error is thrown for any text", () => {
  const part = fc.oneof(
    fc.constantFrom("*", "write", "500", "after", "at=1", "rate=.5", "slow=1s", "__proto__", "constructor=1", ""),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      expect(read(parts.join(":"))).toMatch(/^(a fault|USAGE)$/);
    }),
  );
});
