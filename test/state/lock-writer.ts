/** A process that writes to a lock file repeatedly. Each write is about another resource. */

import { dirname } from "node:path";
import { openLock } from "../../src/state/lock.ts";
import { turns } from "./turns.ts";

const [path = "", name = "", times = ""] = process.argv.slice(2);
for (let time = 0; time < Number(times); time++) {
  const lock = await openLock(dirname(path), "https://forms.example.com", turns);
  lock.set(`${name}/${time}`, { base: {} });
  await lock.save();
}
