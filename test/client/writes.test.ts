/**
 * Tests which answers count as stored responses. Either a header reports it, or the record is older than the request.
 */

import { expect, it } from "vitest";
import type { Answer } from "../../src/client/exchange.ts";
import { isReplay } from "../../src/client/writes.ts";

const AT = "Mon, 02 Mar 2026 09:00:00 GMT";

function answer(record: object | undefined, headers: Record<string, string> = { date: AT }): Answer {
  const body = record ? ({ kind: "json", value: record } as const) : ({ kind: "empty", certain: true } as const);
  return { status: 201, headers: { get: (name) => headers[name] ?? null, all: headers }, body };
}

/** An answer with an old record. */
const replayed = (reported: string) =>
  answer({ data: { createdAt: "2026-03-01T08:50:00Z" } }, { date: AT, "idempotency-replayed": reported });

it.each<[string, Answer, boolean | undefined]>([
  ["reports it", answer(undefined, { "idempotency-replayed": "true" }), true],
  ["reports that it is not", answer(undefined, { "idempotency-replayed": "false" }), false],
  ["reports that it is not, for an old record", replayed("false"), false],
  ["reports nothing", answer({ data: { id: "frm_1" } }), undefined],
  ["shows a record of a moment ago", answer({ data: { createdAt: "2026-03-02T08:59:00.000Z" } }), undefined],
  ["shows one that is ten minutes old", answer({ data: { createdAt: "2026-03-02T08:50:00.000Z" } }), true],
  ["shows one without an envelope", answer({ createdAt: "2026-03-01T08:50:00+00:00" }), true],
  ["shows one in another zone", answer({ data: { createdAt: "2026-03-02T10:00:00+01:00" } }), undefined],
  ["shows a time without its zone", answer({ data: { createdAt: "2026-03-01T08:50:00" } }), undefined],
  ["shows an invalid time", answer({ data: { createdAt: "2026" } }), undefined],
  ["has no time of the server", answer({ data: { createdAt: "2026-03-01T08:50:00Z" } }, {}), undefined],
])("an answer that %s: %#", (_, given, isOld) => {
  expect(isReplay(given, { status: 201 })).toBe(isOld);
});

it("ignores the age of a record that existed before", () => {
  expect(isReplay(answer({ data: { createdAt: "2026-03-01T08:50:00Z" } }), { status: 200 })).toBeUndefined();
});
