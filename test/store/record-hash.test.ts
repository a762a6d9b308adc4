/** The hash of a record is part of the file format. So each version of the program must compute the same hash. */

import { expect, it } from "vitest";
import { hashOf } from "../../src/store/record-hash.ts";

it.each([
  [[], "0bdcb81aee8d83"],
  [[null], "013f2f593cfacb"],
  [[""], "1394a33d2cd45d"],
  [["frm_1", 1, null, "Name"], "1780902e7c13d3"],
  [["é", 12_345_678_901_234_567_890n], "1656638d3de2e2"],
])("keeps the hash of stored values", (values, hash) => {
  expect(hashOf(values)).toBe(hash);
});
