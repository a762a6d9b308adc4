/** One run at a time holds a migration: on a local store and on a server. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FormctlError } from "../../src/base/error.ts";
import { type Hold, LEASE_MS, takeMigration } from "../../src/migrations/hold.ts";
import type { MigrationEntry, MigrationRecord } from "../../src/migrations/record.ts";
import { type RecordWorld, serve, store } from "./record-targets.ts";

const NAME = "1-first";
const START = Date.parse("2026-11-22T10:00:00.000Z");
const RACERS = 8;

describe.each([store, serve])("a migration on $name", (target) => {
  let world: RecordWorld;
  let time: number;
  const holds: Hold[] = [];
  const now = () => new Date(time);
  beforeEach(async () => {
    world = await target.open();
    time = START;
  });
  afterEach(async () => {
    // Ends the timers that renew leases.
    for (const hold of holds.splice(0)) await hold.end((entry) => entry).catch(() => undefined);
    await world.close();
  });

  const begin = (existing?: MigrationEntry): Omit<MigrationEntry, "holder" | "heldUntil"> => ({
    name: NAME,
    checksum: "c",
    state: "running",
    startedAt: existing?.startedAt ?? now().toISOString(),
    by: "ana@build-7",
    steps: existing?.steps ?? [],
    replaced: [],
  });

  async function take(holder: string, record?: MigrationRecord): Promise<Hold> {
    const options = { record: record ?? (await world.open()), holder, now };
    const hold = await takeMigration(options, NAME, begin);
    holds.push(hold);
    return hold;
  }

  const step = (name: string) => (entry: MigrationEntry) => ({
    ...entry,
    steps: [...entry.steps, { name, answer: null, at: now().toISOString() }],
  });
  const entries = async () => (await (await world.open()).read()).entries;
  const codeOf = (error: FormctlError) => error.code;

  it(`is taken by exactly one of ${RACERS} runs that begin at once`, async () => {
    const records = await Promise.all(Array.from({ length: RACERS }, () => world.open()));
    const taken = await Promise.all(
      records.map((record, index) => take(`holder ${index}`, record).then((hold) => hold.entry().holder, codeOf)),
    );
    expect(taken.filter((one) => one === "MIGRATION_IN_PROGRESS")).toHaveLength(RACERS - 1);
    const [winner] = taken.filter((one) => one !== "MIGRATION_IN_PROGRESS");
    expect(await entries()).toMatchObject([{ name: NAME, holder: winner }]);
  });

  it("names the user, the time and the end of the lease to another holder", async () => {
    await take("one");
    const error = await take("other").then(
      () => undefined,
      (caught: FormctlError) => caught,
    );
    expect(error?.code).toBe("MIGRATION_IN_PROGRESS");
    expect(error?.message).toBe("the migration 1-first is running: ana@build-7, since 2026-11-22T10:00:00.000Z");
    expect(error?.hint).toContain("it can be continued from 2026-11-22T10:01:00.000Z");
  });

  it("is continued at once by the same holder, whose former process has ended", async () => {
    await (await take("one")).update(step("a"));
    const again = await take("one");
    expect(again.entry().steps.map(({ name }) => name)).toEqual(["a"]);
  });

  it("is taken over when the lease has ended, and the former run stops before its next write", async () => {
    const former = await take("one");
    await former.update(step("a"));
    time += LEASE_MS;
    const next = await take("other");
    await expect(former.ensure()).rejects.toMatchObject({ code: "MIGRATION_IN_PROGRESS" });
    await expect(former.update(step("b"))).rejects.toMatchObject({ code: "MIGRATION_IN_PROGRESS" });
    await expect(former.end((entry) => entry)).rejects.toMatchObject({ code: "MIGRATION_IN_PROGRESS" });
    await next.update(step("c"));
    expect((await entries())[0]!.steps.map(({ name }) => name)).toEqual(["a", "c"]);
  });

  it("keeps its lease after a pause if no other run took it over", async () => {
    const hold = await take("one");
    time += 10 * LEASE_MS;
    await hold.ensure();
    expect((await entries())[0]!.heldUntil).toBe(new Date(time + LEASE_MS).toISOString());
  });

  it("stops if its entry was removed from the record", async () => {
    const hold = await take("one");
    const record = await world.open();
    await record.write([], (await record.read()).revision);
    await expect(hold.update(step("a"))).rejects.toMatchObject({ code: "MIGRATION_IN_PROGRESS" });
    expect(await entries()).toEqual([]);
  });

  it("keeps what other processes write into the record meanwhile", async () => {
    const hold = await take("one");
    const record = await world.open();
    const { entries: before, revision } = await record.read();
    const other = { ...begin(), name: "0-other", state: "baseline" as const, holder: "other" };
    await record.write([...before, other], revision);
    await Promise.all([hold.update(step("a")), hold.update(step("b")), hold.update(step("c"))]);
    await hold.end((entry) => ({ ...entry, state: "done" }));
    const found = await entries();
    expect(found.map(({ name, state, heldUntil }) => [name, state, heldUntil])).toEqual([
      [NAME, "done", undefined],
      ["0-other", "baseline", undefined],
    ]);
    expect(found[0]!.steps.map(({ name }) => name)).toEqual(["a", "b", "c"]);
  });

  it("is followed by the next one without a gap in which another run could begin", async () => {
    const hold = await take("one");
    await hold.advance(
      (entry) => ({ ...entry, state: "done" }),
      "2-second",
      (entry) => ({ ...begin(entry), name: "2-second" }),
    );
    await expect(take("other")).rejects.toMatchObject({ code: "MIGRATION_IN_PROGRESS" });
    const lease = new Date(time + LEASE_MS).toISOString();
    expect((await entries()).map(({ name, state, heldUntil }) => [name, state, heldUntil])).toEqual([
      [NAME, "done", undefined],
      ["2-second", "running", lease],
    ]);
    await hold.end(() => undefined);
    expect((await entries()).map(({ name, state }) => [name, state])).toEqual([[NAME, "done"]]);
  });

  it("continues when a write was carried out and its answer was lost", async () => {
    const real = await world.open();
    let losesAnswer = false;
    const record: MigrationRecord = {
      where: real.where,
      read: () => real.read(),
      async write(wanted, revision) {
        const written = await real.write(wanted, revision);
        if (losesAnswer) throw new Error("no answer");
        return written;
      },
    };
    const hold = await take("one", record);
    losesAnswer = true;
    time += 1;
    await expect(hold.update(step("a"))).rejects.toThrow("no answer");
    losesAnswer = false;
    time += 1;
    await hold.update(step("b"));
    expect((await entries())[0]!.steps.map(({ name }) => name)).toEqual(["b"]);
  });
});
