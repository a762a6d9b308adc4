/** Runs random operations in random order: the store stays intact, and no organization sees records of another. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FullService } from "../../src/service.ts";
import { countOf } from "../effort.ts";
import { tamper } from "../store/sound-store.ts";
import { type Move, runHistory, type Sabotage } from "./histories.ts";
import { anyEvent, anyRequest } from "./random-inputs.ts";

const RUNS = countOf("histories of operations");
const MOVES = 45;

const by = fc.oneof(
  { weight: 3, arbitrary: fc.constant("north" as const) },
  { weight: 1, arbitrary: fc.constant("south" as const) },
);

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 40,
    arbitrary: fc.record({
      kind: fc.constant("request" as const),
      by,
      reader: fc.nat(15).map((number) => number === 0),
      plan: anyRequest,
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("event" as const), by, event: anyEvent }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("again" as const), index: fc.nat(100) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("wait" as const), hours: fc.constantFrom(1, 200) }) },
  { weight: 1, arbitrary: fc.constant({ kind: "reopen" as const }) },
);

const moves = fc.array(move, { minLength: MOVES, maxLength: MOVES });

describe("random histories of two organizations", () => {
  it(`break no invariant, and requests fail only with refusals (${RUNS} histories of ${MOVES} moves)`, async () => {
    const property = fc.asyncProperty(moves, (history) => runHistory(history));
    const result = await fc.check(property, { numRuns: RUNS });
    // The moves are functions. The log in the error describes them.
    expect(
      result.failed ? `seed ${result.seed}, path ${result.counterexamplePath}: ${String(result.errorInstance)}` : "",
    ).toBe("");
  });
});

describe("detects a service with a planted fault:", () => {
  async function complaint(sabotage: Sabotage): Promise<string> {
    const property = fc.asyncProperty(moves, (history) => runHistory(history, sabotage));
    const { failed, errorInstance } = await fc.check(property, { numRuns: 60, seed: 7, endOnFailure: true });
    return failed ? String(errorInstance) : "nothing";
  }

  it.each([
    ["a form that lost its modes", "DELETE FROM form_types", "I03"],
    ["a form that lost its layout", "DELETE FROM layouts WHERE owner_form_id IS NOT NULL", "I01"],
    ["a version that was changed", `UPDATE layout_contents SET content = '{"regions":[],"blocks":[]}'`, "I16"],
  ])("%s", async (_what, statements, invariant) => {
    const found = await complaint({ file: (path) => tamper(path, statements) });
    expect(found).toContain(`"invariant":"${invariant}"`);
  });

  it.each<[string, Sabotage["service"], string | RegExp]>([
    [
      "a service that forgets whose records they are",
      (honest, { foreign }) => ({
        ...honest,
        listLayouts: async (input) => [...(await honest.listLayouts(input)), ...(await foreign.listLayouts(input))],
      }),
      "which belongs to",
    ],
    [
      "a service that answers strangers",
      (honest, { foreign }) => ({
        ...honest,
        getLayout: (input) => honest.getLayout(input).catch(() => foreign.getLayout(input)),
      }),
      /which belongs to|was answered about a record of/,
    ],
    [
      "a service that stumbles",
      (honest) => ({
        ...honest,
        // A programming error instead of a refusal.
        updateForm: async (input) =>
          honest.updateForm({ ...input, body: JSON.parse(`{"name":${input.body.name}}`) as never }),
      }),
      "SyntaxError",
    ],
    [
      "a service that does the same thing twice",
      (honest) => ({
        ...honest,
        saveDraft: (input) => honest.saveDraft({ ...input, body: withNewId(input.body) }),
      }),
      "a replay got another answer",
    ],
    [
      "a service that answers with a member that the schema does not have",
      (honest) => ({ ...honest, listForms: async (input) => ({ ...(await honest.listForms(input)), count: 1 }) }),
      "members that its schema does not describe",
    ],
    [
      "a service that asks for no permission",
      (honest, { own }) => ({ ...honest, createForm: own.createForm }),
      "somebody without permission was answered",
    ],
  ])("%s", async (_what, service, words) => {
    expect(await complaint({ service: service! })).toMatch(words);
  });
});

let ids = 0;

function withNewId(body: Parameters<FullService["saveDraft"]>[0]["body"]): typeof body {
  return body?.clientMutationId === undefined ? body : { ...body, clientMutationId: `new-${++ids}` };
}
