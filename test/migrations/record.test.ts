/** The contract of the record of migrations, on every kind of target. */

import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FormctlError } from "../../src/base/error.ts";
import type { MigrationRecord } from "../../src/migrations/record.ts";
import { MIGRATION_RECORD } from "../../src/lists/layouts.ts";
import { RECORD_FILE } from "../../src/migrations/record-file.ts";
import { entry, everyTarget, type RecordWorld, store } from "./record-targets.ts";

const WRITERS = 10;
const REFUSALS = Array.from({ length: WRITERS - 1 }, () => "MIGRATIONS_CHANGED");

describe.each(everyTarget)("the record of migrations on $name", (target) => {
  const { holds } = target;
  let world: RecordWorld;
  beforeEach(async () => {
    world = await target.open();
  });
  afterEach(() => world.close());

  const steps = [
    {
      name: "create the form",
      answer: { id: "frm_1", text: 'Zoë \u0000 \ud800 "q"', __proto__: null },
      at: "2026-11-22T10:00:00.500Z",
    },
    { name: "nothing", answer: null, at: "2026-11-22T10:00:00.600Z" },
  ];
  const replaced = [
    {
      address: "staffing/candidate/Intake",
      kind: "Form" as const,
      layoutId: "lay_1",
      formId: "frm_1",
      publishedVersionId: null,
      members: { name: "Intake", types: ["VIEW"] },
      draft: { blocks: [] },
      sha256: "1".repeat(64),
      written: { sha256: "2".repeat(64), members: { name: "3".repeat(64) } },
      lost: ["the field phone, which the migration deleted, and its values"],
    },
  ];

  it("is empty before the first write", async () => {
    const record = await world.open();
    expect(await record.read()).toEqual({ entries: [], revision: null });
    expect(await world.local.check()).toEqual([]);
  });

  it("returns the entries that were written, in their order, to another process", async () => {
    const entries = [
      entry("2-second", { steps }),
      entry("1-first", { replaced, state: "running", heldUntil: "2026-11-22T10:01:00.000Z" }),
    ];
    const record = await world.open();
    const revision = await record.write(entries, (await record.read()).revision);
    expect(await record.read()).toEqual({ entries, revision });
    expect(await (await world.open()).read()).toEqual({ entries, revision });
  });

  it("changes its revision with each change, and removes, changes and reorders entries", async () => {
    const record = await world.open();
    let revision = await write(record, null, ["1", "2", "3"]);
    for (const names of [["3", "1", "2"], ["3"], [], ["4", "3"]]) {
      const former = revision;
      revision = await write(record, revision, names);
      expect(revision).not.toBe(former);
      expect((await (await world.open()).read()).entries.map(({ name }) => name)).toEqual(names);
    }
    expect(await world.local.check()).toEqual([]);
  });

  it("refuses a write over a state that was not read", async () => {
    const [one, other] = [await world.open(), await world.open()];
    const first = await write(one, (await one.read()).revision, ["1"]);
    const read = (await other.read()).revision;
    await write(one, first, ["1", "2"]);
    await expect(write(other, read, ["1", "3"])).rejects.toMatchObject({ code: "MIGRATIONS_CHANGED" });
    await expect(write(other, null, ["1", "3"])).rejects.toMatchObject({ code: "MIGRATIONS_CHANGED" });
    expect((await other.read()).entries).toHaveLength(2);
  });

  it("lets exactly one of several first writes succeed", async () => {
    expect(await race(world, async () => null)).toEqual({ winners: 1, entries: 1, refusals: REFUSALS });
  });

  it("lets exactly one of several later writes succeed", async () => {
    await seeded();
    const outcome = await race(world, async (record) => (await record.read()).revision);
    expect(outcome).toEqual({ winners: 1, entries: 1, refusals: REFUSALS });
  });

  it("keeps entries of more than 1 MiB", async () => {
    // Random data can't be compressed.
    const large = { name: "large", answer: randomBytes(900_000).toString("base64"), at: "2026-11-22T10:00:00.000Z" };
    const entries = [entry("1-large", { steps: [large] })];
    const record = await world.open();
    const revision = await record.write(entries, (await record.read()).revision);
    expect(await (await world.open()).read()).toEqual({ entries, revision });
  });

  it(`is kept in the ${holds}`, async () => {
    const { record } = await seeded();
    const isInFile = existsSync(join(world.folder, RECORD_FILE));
    const layouts = await (await world.local.service("northwind")).listLayouts({});
    const isInLayout = layouts.some(({ name }) => name === MIGRATION_RECORD.name);
    expect({ isInFile, isInLayout }).toEqual({ isInFile: holds === "file", isInLayout: holds === "layout" });
    const where = {
      store: /^the local store$/,
      file: /[/\\]migrations[/\\]\.record\.json$/,
      layout: /^the layout "formctl migrations" \(lay_\w+\)$/,
    };
    expect(record.where).toMatch(where[holds]);
  });

  async function seeded() {
    const record = await world.open();
    return { record, revision: await write(record, (await record.read()).revision, ["1"]) };
  }
});

function write(record: MigrationRecord, revision: string | null, names: readonly string[]): Promise<string> {
  return record.write(
    names.map((name) => entry(name)),
    revision,
  );
}

/**
 * Several processes write at once, each with its own entry. Counts the successful writes. Also counts how many of their
 * entries the record has at the end.
 */
async function race(
  { open }: Pick<RecordWorld, "open">,
  revisionOf: (record: MigrationRecord) => Promise<string | null>,
) {
  const records = await Promise.all(Array.from({ length: WRITERS }, () => open()));
  const revisions = await Promise.all(records.map(revisionOf));
  const outcomes = await Promise.allSettled(
    records.map((record, index) => record.write([entry(`1-writer-${index}`)], revisions[index]!)),
  );
  const winners = outcomes.flatMap(({ status }, index) => (status === "fulfilled" ? [`1-writer-${index}`] : []));
  const refusals = outcomes.flatMap((each) => (each.status === "rejected" ? [(each.reason as FormctlError).code] : []));
  const { entries } = await (await open()).read();
  return { winners: winners.length, entries: entries.filter(({ name }) => winners.includes(name)).length, refusals };
}

it("counts several winners if a record is written without its revision (control)", async () => {
  const world = await store.open();
  const stored = world.local.migrations("northwind");
  const open = async (): Promise<MigrationRecord> => {
    const record = await world.open();
    const overwrite: MigrationRecord["write"] = async ([only]) => {
      const rows = [{ name: only!.name, entry: only! }];
      for (;;) {
        const revision = await stored.write(rows, (await stored.read()).revision);
        if (revision !== undefined) return revision;
      }
    };
    return { ...record, write: overwrite };
  };
  expect(await race({ open }, async () => null)).toMatchObject({ winners: WRITERS, entries: 1 });
  await world.close();
});
