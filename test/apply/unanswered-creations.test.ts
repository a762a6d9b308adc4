/** Tests which creations of layouts count as unanswered in the journals of all runs on a target. */

import { expect, it } from "vitest";
import type { JournalEntry, RecordedRun } from "../../src/apply/recorded-runs.ts";
import { unansweredCreations } from "../../src/apply/unanswered-creations.ts";

const CARD = "CONTRACTOR/Card";

const sent = (at: string, operation = "createLayout", step = 0): JournalEntry => ({
  event: "intent",
  at,
  resource: CARD,
  step,
  operation,
  mutation: "m",
});
const failed = (unknown: boolean, step = 0): JournalEntry => ({
  event: "failed",
  at: "9",
  resource: CARD,
  step,
  code: "X",
  message: "x",
  unknown,
});
const done = (step = 0): JournalEntry => ({ event: "done", at: "9", resource: CARD, step, ids: {} });

const found = (...runs: readonly JournalEntry[][]) =>
  [
    ...unansweredCreations(
      runs.map((entries, index): RecordedRun => ({ path: `run ${index}`, plan: "p", target: "here", entries })),
    ),
  ].map(([address, { sentAt, journal }]) => [address, sentAt, journal]);

it.each<[string, JournalEntry[][], unknown[]]>([
  ["is reported if the run that sent it was interrupted", [[sent("1")]], [[CARD, "1", "run 0"]]],
  ["is reported if it failed and may have been done", [[sent("1"), failed(true)]], [[CARD, "1", "run 0"]]],
  ["is not reported if it was answered", [[sent("1"), done()]], []],
  ["is not reported if it was refused", [[sent("1"), failed(false)]], []],
  [
    "is reported once, with the last time it was sent",
    [[sent("1")], [sent("2"), failed(true)]],
    [[CARD, "2", "run 1"]],
  ],
  ["is not reported if it was sent again and refused", [[sent("1")], [sent("2"), failed(false)]], []],
  ["is not reported if a later step of the layout was done", [[sent("1")], [sent("2", "saveDraft"), done()]], []],
  [
    "is reported if a later step of the layout failed",
    [[sent("1")], [sent("2", "saveDraft"), failed(false)]],
    [[CARD, "1", "run 0"]],
  ],
  ["is reported after runs of other plans", [[sent("1")], [], []], [[CARD, "1", "run 0"]]],
  ["is not reported if it creates a form", [[sent("1", "createForm")]], []],
])("a creation %s", (_, runs, expected) => {
  expect(found(...runs)).toEqual(expected);
});
