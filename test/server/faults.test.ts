/** The attack loops on a server, in a few of their turns; test/faults/ runs them at their full numbers. */

import { describe, expect, it } from "vitest";
import { bodiesAtLimits } from "../faults/serve-bodies.ts";
import { manyRequests } from "../faults/serve-requests.ts";

const SEED = 20_261_122;

describe("bodies at their limits and beyond", () => {
  it("are answered with 200, 400 or 413, and none blocks the others for 200 ms", async () => {
    expect((await bodiesAtLimits.run(bodiesAtLimits.sample, SEED)).violations).toEqual([]);
  });

  it("would be found to block the others: the control", async () => {
    const { violations } = await bodiesAtLimits.control(SEED);
    expect(violations).toEqual([expect.stringMatching(/^blocked for \d+ ms$/)]);
  });
});

describe("thousands of requests", () => {
  it("leave the memory of the server as it is", async () => {
    expect((await manyRequests.run(manyRequests.sample, SEED)).violations).toEqual([]);
  });

  it("would be found to leave something behind: the control", async () => {
    const { violations } = await manyRequests.control(SEED);
    expect(violations).toContainEqual(expect.stringMatching(/^heapUsed grows/));
  });
});
