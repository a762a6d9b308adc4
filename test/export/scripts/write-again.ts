/** Overwrites a file with two texts in turn, until this process is killed. */

import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { carryOutWrites } from "../../../src/export/write.ts";

const [path = ""] = process.argv.slice(2);
const nobody = () => undefined;
const lock = {
  get: nobody,
  entries: () => [],
  fileOf: nobody,
  unreadFileOf: nobody,
  layoutOfOtherProfile: nobody,
  adopt: () => undefined,
  set: nobody,
  setFile: nobody,
  claim: nobody,
  save: async () => undefined,
};
const nothing = { outcomes: [], locked: new Map(), fresh: new Map(), missing: [], notes: [] };

for (let before = readFileSync(path, "utf8"); ;) {
  const text = `${before.startsWith("a") ? "b" : "a"}${before.slice(1)}`;
  await carryOutWrites({ ...nothing, files: [{ path, text: () => text, before }] }, dirname(path), lock);
  process.stdout.write(".");
  before = text;
}
