/**
 * Writes to the demo store, and prints a line for each acknowledged write. The first session is so long that SQLite
 * copies the log into the main file while the store is open. The other sessions are shorter: SQLite copies and removes
 * the log when the store is closed.
 */

import { writeSync } from "node:fs";
import { openLocalService } from "../../../src/engine/local.ts";
import { randomId } from "../../../src/engine/ids.ts";
import { openSqlite } from "../../../src/store/sqlite.ts";

const [path = "", writes = "0", sessions = "1"] = process.argv.slice(2);
const OBJECT = { moduleKey: "staffing", objectKey: "candidate" };

for (let session = 0; session < Number(sessions); session++) {
  const store = openSqlite(path, { create: false });
  const local = openLocalService({ store, now: () => new Date(), newId: randomId });
  const service = await local.service("northwind");
  const create = async (name: string) => {
    const form = await service.createForm({ ...OBJECT, body: { name, types: ["VIEW", "EDIT"] } });
    writeSync(1, `created ${name}\n`);
    return form;
  };
  const total = Number(writes) * (session === 0 ? 3 : 1);
  for (let number = 0; number < total; number++) {
    const name = `Form ${session} ${number}`;
    if (number % 4 === 0) {
      // The three creations share a commit.
      await Promise.all([create(`${name} a`), create(`${name} b`), create(`${name} c`)]);
      continue;
    }
    const { id: formId } = await create(name);
    if (number % 4 === 1) continue;
    await service.updateForm({ ...OBJECT, formId, body: { name: `${name} again`, types: ["VIEW"] } });
    writeSync(1, `updated ${name}\n`);
    if (number % 4 === 2) continue;
    await service.deleteForm({ ...OBJECT, formId });
    writeSync(1, `deleted ${name}\n`);
  }
  await local.close();
}
