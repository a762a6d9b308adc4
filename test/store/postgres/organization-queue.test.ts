import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { OrganizationQueue } from "../../../src/store/postgres/organization-queue.ts";

const fail = () => new Error("the task waits too long");

it("runs the tasks of an organization one after another, and those of others meanwhile", async () => {
  const queue = new OrganizationQueue(60_000);
  const running: string[] = [];
  const begin = (organization: string, name: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const task = async () => {
      running.push(name);
      await promise;
      running.splice(running.indexOf(name), 1);
    };
    const done = queue.run(organization, task, fail);
    return async () => {
      resolve();
      await done;
      await setImmediate();
    };
  };
  const endFirst = begin("o1", "first");
  const endSecond = begin("o1", "second");
  const endOther = begin("o2", "other");
  await setImmediate();
  expect(running).toEqual(["first", "other"]);
  await endFirst();
  // The second task is running, so a later one must wait for it.
  const endThird = begin("o1", "third");
  await setImmediate();
  expect(running).toEqual(["other", "second"]);
  await endSecond();
  expect(running).toEqual(["other", "third"]);
  await endThird();
  await endOther();
});
