import { setImmediate, setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { OrganizationWrites } from "../../../src/store/postgres/organization-writes.ts";
import type { Tx } from "../../../src/store/store.ts";
import type { Job } from "../../../src/store/transaction-queue.ts";

const fail = () => new Error("the write waits too long");
const tx = {} as Tx;

async function runAll(jobs: readonly Job[]): Promise<boolean> {
  for (const job of jobs) await job.run(tx);
  for (const job of jobs) job.settle();
  return true;
}

/** Waits until all queues have begun what they can begin. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await setImmediate();
}

it("runs the writes of an organization one after another, and those of others meanwhile", async () => {
  const commits: string[] = [];
  const writes = new OrganizationWrites({
    timeoutMs: 60_000,
    commit(orgId, jobs) {
      commits.push(`${orgId}: ${jobs.length}`);
      return runAll(jobs);
    },
  });
  const running: string[] = [];
  const begin = (organization: string, name: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const work = async () => {
      running.push(name);
      await promise;
      running.splice(running.indexOf(name), 1);
      return name;
    };
    const done = writes.add(organization, work, fail);
    return async () => {
      resolve();
      expect(await done).toBe(name);
      await turns();
    };
  };
  const endFirst = begin("o1", "first");
  await turns();
  const endSecond = begin("o1", "second");
  const endThird = begin("o1", "third");
  const endOther = begin("o2", "other");
  await turns();
  expect(running).toEqual(["first", "other"]);
  await endFirst();
  expect(running).toEqual(["other", "second"]);
  // The second write gets its result with the third: they share a commit.
  const second = endSecond();
  await turns();
  expect(running).toEqual(["other", "third"]);
  await endThird();
  await second;
  await endOther();
  expect(commits).toEqual(["o1: 1", "o2: 1", "o1: 2"]);
});

it("gives up a write if no commit of its organization succeeds in time, and only then", async () => {
  let isStuck = false;
  const unstuck = Promise.withResolvers<void>();
  const writes = new OrganizationWrites({
    timeoutMs: 200,
    async commit(_orgId, jobs) {
      if (isStuck) await unstuck.promise;
      return runAll(jobs.slice(0, 1)).then(() => runAll(jobs.slice(1)));
    },
  });
  const slow = () => setTimeout(40);
  // Together these writes take longer than the limit, but their commits succeed.
  for (let round = 0; round < 8; round++) await writes.add("o1", slow, fail);
  isStuck = true;
  let hasRun = false;
  const first = writes.add("o1", async () => "done", fail);
  await turns();
  const late = writes.add("o1", async () => (hasRun = true), fail);
  expect(await Promise.allSettled([first, late])).toEqual([
    { status: "rejected", reason: fail() },
    { status: "rejected", reason: fail() },
  ]);
  isStuck = false;
  unstuck.resolve();
  expect(await writes.add("o1", async () => "next", fail)).toBe("next");
  expect(hasRun).toBe(false);
});

/** Runs six writes of an organization. @returns how many ran at once at most, their order and the number of commits */
async function observe(add: (work: () => Promise<void>) => Promise<void>, commits: unknown[]) {
  let [running, atOnce] = [0, 0];
  const order: number[] = [];
  const write = async (number: number) => {
    atOnce = Math.max(atOnce, ++running);
    // The first writes take the longest, so that writes at once would end in another order.
    for (let turn = 6; turn > number; turn--) await setImmediate();
    order.push(number);
    running--;
  };
  await Promise.all(Array.from({ length: 6 }, (_write, number) => add(() => write(number))));
  return { atOnce, order, commits: commits.length };
}

it("runs six writes in their order with one commit, and the observation finds writes without order or shared commits", async () => {
  const commits: unknown[] = [];
  const shared = new OrganizationWrites({
    timeoutMs: 60_000,
    commit: (_orgId, jobs) => (commits.push(jobs), runAll(jobs)),
  });
  const ordered = { atOnce: 1, order: [0, 1, 2, 3, 4, 5] };
  expect(await observe((work) => shared.add("o1", work, fail), commits)).toEqual({ ...ordered, commits: 1 });

  const alone: unknown[] = [];
  const separate = new OrganizationWrites({
    timeoutMs: 60_000,
    async commit(_orgId, jobs) {
      for (const job of jobs) {
        alone.push(job);
        await runAll([job]);
      }
      return true;
    },
  });
  expect(await observe((work) => separate.add("o1", work, fail), alone)).toEqual({ ...ordered, commits: 6 });

  const unordered = await observe((work) => work(), []);
  expect(unordered.atOnce).toBe(6);
  expect(unordered.order).not.toEqual(ordered.order);
});
