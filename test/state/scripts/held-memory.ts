/**
 * Prints as JSON how many bytes the results of `validate` and `plan` hold for each manifest of a folder. Requires
 * `--expose-gc`. The folder contains manifests of forms of `shop/order`. The layouts of these forms show the sixty
 * fields of the object.
 */

import { openLocalService } from "../../../src/engine/local.ts";
import { randomId } from "../../../src/engine/ids.ts";
import { openProject } from "../../../src/project/project.ts";
import { storeTarget } from "../../../src/state/target.ts";
import { openScratchSqlite } from "../../../src/store/sqlite.ts";
import { systemHost } from "../../../src/composition/system-host.ts";

const [root = ""] = process.argv.slice(2);
const now = () => new Date();
const local = openLocalService({ store: await openScratchSqlite(), now, newId: randomId });
const fields = Array.from({ length: 60 }, (_, at) => ({ key: `field_${at}`, name: "Field", type: "TEXT" as const }));
const objects = [{ key: "order", name: "Order", fields }];
const modules = [{ key: "shop", name: "Shop", objects }];
await local.seed({ organizations: [{ key: "acme", name: "Acme", modules }] });
const target = storeTarget({ store: "store.db", local });
const world = systemHost();
const processes = () => world.processes();
const host = { env: {}, now, processes, readFile: async () => new Uint8Array(), sleep: async () => undefined };
const project = openProject({ root, target }, host);

function heldBytes(): number {
  for (let round = 0; round < 3; round++) globalThis.gc!();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Returns the bytes that the result of `work` holds for each file of the folder. */
async function heldBy(work: (paths: readonly string[]) => Promise<{ sources: ReadonlyMap<string, string> }>) {
  // The first run loads the modules and fills their caches.
  await work(["one"]);
  const before = heldBytes();
  const result = await work(["all"]);
  const held = heldBytes() - before;
  return Math.round(held / result.sources.size);
}

const validate = await heldBy((paths) => project.validate({ paths }));
const plan = await heldBy((paths) => project.plan({ paths }));
process.stdout.write(JSON.stringify({ validate, plan }));
await local.close();
