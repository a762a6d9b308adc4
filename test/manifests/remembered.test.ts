/** What a run that was cut off has made, on a server that lists no layouts: it is found again, and not made twice. */

import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { RecordedRun } from "../../src/manifests/apply/recorded-run.ts";
import { openLock } from "../../src/manifests/lock.ts";
import { rememberMade } from "../../src/manifests/apply/remembered.ts";
import { temporaryFolder } from "../temporary.ts";
import { turns } from "./turns.ts";

const at = "2026-03-02T09:00:00.000Z";
const HERE = "https://forms.example.com";
const CARD = "CONTRACTOR/Card";

function run(place: string, layoutId: string, outcome?: "done" | "partial"): RecordedRun {
  const lines = [
    { event: "begin" as const, at, plan: "p", place },
    { event: "done" as const, at, resource: CARD, step: 0, ids: { layoutId } },
    { event: "done" as const, at, resource: "staffing/candidate/A", step: 2, ids: {} },
  ];
  return { path: "", plan: "p", place, lines, ...(outcome && { outcome }) };
}

async function remembered(runs: readonly RecordedRun[], place = HERE) {
  const { path: folder, remove } = temporaryFolder();
  onTestFinished(remove);
  const path = join(folder, "lock.json");
  const before = await openLock(path, HERE, turns);
  before.set(CARD, { layoutId: "lay_old", base: { content: "0".repeat(64) } });
  await before.save();
  await rememberMade(runs, (where) => openLock(path, where, turns));
  return (await openLock(path, place, turns)).get(CARD);
}

it("is put into the lock of its place, whose digests stay", async () => {
  const base = { content: "0".repeat(64) };
  expect(await remembered([run(HERE, "lay_1")])).toEqual({ layoutId: "lay_1", base });
  expect(await remembered([run(HERE, "lay_1"), run(HERE, "lay_2")])).toEqual({ layoutId: "lay_2", base });
  expect(await remembered([run("https://other.example", "lay_1")])).toEqual({ layoutId: "lay_old", base });
  expect(await remembered([run("https://other.example", "lay_1")], "https://other.example")).toEqual({
    layoutId: "lay_1",
    base: {},
  });
});

it("is not taken from runs before one that came to an end, which has kept it itself", async () => {
  expect(await remembered([run(HERE, "lay_1"), run(HERE, "lay_2", "partial")])).toMatchObject({ layoutId: "lay_old" });
  expect(await remembered([run(HERE, "lay_1", "done"), run(HERE, "lay_3")])).toMatchObject({ layoutId: "lay_3" });
});
