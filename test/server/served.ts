/**
 * Starts a server in its own process on a new store (scripts/served.ts), and reads the measurements of the process.
 * Works without vitest.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { newFolder } from "../faults/loop.ts";
import { createStore, openLocal } from "../../src/composition/local-store.ts";
import { PERMISSIONS } from "../../src/schemas/words.ts";
import { contractOrganizations } from "../contract/organizations.ts";

export type Measured = {
  /**
   * The longest time for which the event loop was blocked since the previous measurement, in milliseconds of processor
   * time.
   */
  longest: number;
  /** In bytes. */
  rss: number;
  heapUsed: number;
};

export type Served = {
  url: string;
  token: string;
  /** `collect`: garbage is collected before the measurement. `block` and `leak` are for controls. */
  measure: (how?: "collect" | "block" | "leak") => Promise<Measured>;
  stop: () => Promise<void>;
};

const SCRIPT = fileURLToPath(new URL("./scripts/served.ts", import.meta.url));

export async function startServed(): Promise<Served> {
  const folder = newFolder();
  const path = join(folder.path, "store.db");
  await createStore(path);
  const local = openLocal(path, () => new Date());
  await local.seed(contractOrganizations);
  const { token } = await local.createToken({
    organization: "northwind",
    name: "measure",
    permissions: PERMISSIONS,
    expiresAt: null,
  });
  await local.close();
  const child = spawn(process.execPath, ["--expose-gc", SCRIPT, path], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => (await lines.next()).value as string;
  const url = await nextLine();
  return {
    url,
    token,
    async measure(how) {
      child.stdin.write(`${how ?? "measure"}\n`);
      return JSON.parse(await nextLine()) as Measured;
    },
    async stop() {
      child.stdin.end();
      await once(child, "close");
      folder.remove();
    },
  };
}
