/** Layouts whose creation was not answered: which they are, by the records of all runs of a place. */

import { expect, it } from "vitest";
import type { JournalLine } from "../../src/manifests/apply/journal.ts";
import type { RecordedRun } from "../../src/manifests/apply/recorded-run.ts";
import { unknownLayouts } from "../../src/manifests/apply/unknown-layouts.ts";

const CARD = "CONTRACTOR/Card";

const sent = (at: string, operation = "createLayout", step = 0): JournalLine => ({
  event: "intent",
  at,
  resource: CARD,
  step,
  operation,
  mutation: "m",
});
const failed = (unknown: boolean, step = 0): JournalLine => ({
  event: "failed",
  at: "9",
  resource: CARD,
  step,
  code: "X",
  message: "x",
  unknown,
});
const done = (step = 0): JournalLine => ({ event: "done", at: "9", resource: CARD, step, ids: {} });

const found = (...runs: readonly JournalLine[][]) =>
  [
    ...unknownLayouts(
      runs.map((lines, index): RecordedRun => ({ path: `run ${index}`, plan: "p", place: "here", lines })),
    ),
  ].map(([address, { since, record }]) => [address, since, record]);

it.each<[string, JournalLine[][], unknown[]]>([
  ["was sent by a run that was cut off", [[sent("1")]], [[CARD, "1", "run 0"]]],
  ["failed, and may have been done", [[sent("1"), failed(true)]], [[CARD, "1", "run 0"]]],
  ["was answered", [[sent("1"), done()]], []],
  ["was refused", [[sent("1"), failed(false)]], []],
  ["was sent again, and lost again", [[sent("1")], [sent("2"), failed(true)]], [[CARD, "2", "run 1"]]],
  ["was sent again, and refused", [[sent("1")], [sent("2"), failed(false)]], []],
  ["was found since, and worked on", [[sent("1")], [sent("2", "saveDraft"), done()]], []],
  [
    "was found since, and could not be worked on",
    [[sent("1")], [sent("2", "saveDraft"), failed(false)]],
    [[CARD, "1", "run 0"]],
  ],
  ["is of no interest to other runs", [[sent("1")], [], []], [[CARD, "1", "run 0"]]],
  ["is of something else", [[sent("1", "createForm")]], []],
])("a creation that %s", (_, runs, expected) => {
  expect(found(...runs)).toEqual(expected);
});
