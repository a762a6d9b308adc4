/**
 * The ids that an interrupted run created, on a server that lists no layouts. The next run must find these ids in the
 * lock.
 */

import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openLock } from "../../src/state/lock.ts";
import { recoverCreatedIds } from "../../src/apply/lock-update.ts";
import type { RecordedRun } from "../../src/apply/recorded-runs.ts";
import { temporaryFolder } from "../temporary.ts";
import { turns } from "../state/turns.ts";

const at = "2026-03-02T09:00:00.000Z";
const HERE = "https://forms.example.com";
const CARD = "CONTRACTOR/Card";

function run(target: string, layoutId: string, outcome?: "done" | "partial"): RecordedRun {
  const entries = [
    { event: "begin" as const, at, plan: "p", target },
    { event: "done" as const, at, resource: CARD, step: 0, ids: { layoutId } },
    { event: "done" as const, at, resource: "staffing/candidate/A", step: 2, ids: {} },
  ];
  return { path: "", plan: "p", target, entries, ...(outcome && { outcome }) };
}

async function recovered(runs: readonly RecordedRun[], target = HERE) {
  const { path: folder, remove } = temporaryFolder();
  onTestFinished(remove);
  const path = join(folder, "lock.json");
  const before = await openLock(dirname(path), HERE, turns);
  before.set(CARD, { layoutId: "lay_old", base: { content: "0".repeat(64) } });
  await before.save();
  await recoverCreatedIds(runs, (where) => openLock(dirname(path), where, turns));
  return (await openLock(dirname(path), target, turns)).get(CARD);
}

it("writes the ids of an interrupted run to the lock of its target, and keeps the digests", async () => {
  const base = { content: "0".repeat(64) };
  expect(await recovered([run(HERE, "lay_1")])).toEqual({ layoutId: "lay_1", base });
  expect(await recovered([run(HERE, "lay_1"), run(HERE, "lay_2")])).toEqual({ layoutId: "lay_2", base });
  expect(await recovered([run("https://other.example", "lay_1")])).toEqual({ layoutId: "lay_old", base });
  expect(await recovered([run("https://other.example", "lay_1")], "https://other.example")).toEqual({
    layoutId: "lay_1",
    base: {},
  });
});

it("ignores interrupted runs before one that ended, which has updated the lock itself", async () => {
  expect(await recovered([run(HERE, "lay_1"), run(HERE, "lay_2", "partial")])).toMatchObject({ layoutId: "lay_old" });
  expect(await recovered([run(HERE, "lay_1", "done"), run(HERE, "lay_3")])).toMatchObject({ layoutId: "lay_3" });
});
