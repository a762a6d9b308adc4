/** The order in which concurrently read contents are processed. */

import { expect, it } from "vitest";
import { readContent } from "../../src/state/versions.ts";

it("lets the event loop receive answers between two contents that arrive together", async () => {
  const events: string[] = [];
  let isRunning = true;
  const loop = () => {
    events.push("turn");
    if (isRunning) setImmediate(loop);
  };
  setImmediate(loop);
  const service = {
    listVersions: async () => [],
    getVersion: async () => {
      throw new Error("unexpected request");
    },
  };
  const read = async (layoutId: string) => {
    await readContent(service, layoutId, "DYNAMIC_OBJECT");
    events.push(layoutId);
  };
  await Promise.all([read("a"), read("b"), read("c")]);
  isRunning = false;
  expect(events.filter((event) => event !== "turn")).toEqual(["a", "b", "c"]);
  const [first, second, third] = ["a", "b", "c"].map((layoutId) => events.indexOf(layoutId));
  expect(events.slice(first, second)).toContain("turn");
  expect(events.slice(second, third)).toContain("turn");
});
