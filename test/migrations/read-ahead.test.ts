import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { openReadAhead } from "../../src/migrations/read-ahead.ts";

/** A service whose reads wait until the test answers them. */
function slowService() {
  const answers: (() => void)[] = [];
  const service = {
    listVersions: () => {
      const { promise, resolve } = Promise.withResolvers<[]>();
      answers.push(() => resolve([]));
      return promise;
    },
  };
  return { service, answers };
}

it("reads a limited number of layouts at once", async () => {
  const { service, answers } = slowService();
  openReadAhead(service, 2).start(["a", "b", "c", "d"]);
  await setImmediate();
  expect(answers).toHaveLength(2);
  answers[0]!();
  await setImmediate();
  expect(answers).toHaveLength(3);
});

it("sends no more requests after it was stopped", async () => {
  const { service, answers } = slowService();
  const ahead = openReadAhead(service, 1);
  ahead.start(["a", "b"]);
  await setImmediate();
  ahead.stop();
  answers[0]!();
  await setImmediate();
  expect(answers).toHaveLength(1);
});
