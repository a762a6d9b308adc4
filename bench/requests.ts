/**
 * Counts the requests that commands send to a server: `node bench/requests.ts [--check]`.
 *
 * An apply may send these requests:
 * - its writes
 * - two lists of each object: before and after the creations
 * - one request for each layout with compared versions
 *
 * A plan may have at most `--concurrency` requests in flight. The counts do not depend on the speed of the machine. The
 * run fails if a plan sends no request: then nothing is counted.
 */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createClient, openProject, type Project, serverTarget } from "../src/index.ts";
import { createStore, openLocal } from "../src/composition/local-store.ts";
import { missedTargets, report } from "./figures.ts";
import { benchOrganization, OBJECTS, writeManifests } from "./manifest-folder.ts";

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });

const FORMS = 3;
const MANY = 100;
const CONCURRENCY = 8;
/** The delay of each answer in milliseconds. The delay makes requests overlap. */
const DELAY = 10;

const root = mkdtempSync(join(tmpdir(), "formctl-bench-requests-"));
const references = { roles: { Clerk: "rol_clerk" }, members: {} };
type Counts = { requests: number; most: number };

async function startServer(): Promise<{ server: ChildProcess; url: string; token: string }> {
  const store = join(root, "local.db");
  await createStore(store);
  const local = openLocal(store, () => new Date());
  await local.seed(benchOrganization);
  await local.close();
  const server = fork(join(import.meta.dirname, "delayed-server.ts"), [store, String(DELAY)], {
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  const [{ url, token }] = (await once(server, "message")) as [{ url: string; token: string }];
  return { server, url, token };
}

async function bench(server: ChildProcess, open: (folder: string) => Project): Promise<void> {
  /** Returns the number of requests of `work`, and the largest number of requests in flight. */
  const countsOf = async (work: () => Promise<unknown>): Promise<Counts> => {
    await work();
    server.send("count");
    const [counts] = (await once(server, "message")) as [Counts];
    if (counts.requests === 0) throw new Error("no request was counted: this run measures nothing");
    return counts;
  };
  const reportCount = (name: string, count: number, yardstick: string, allowed: number) =>
    report({
      name,
      value: `${count}`,
      yardstick: `${yardstick} (${allowed})`,
      ratio: count / allowed,
      target: { most: 1 },
    });
  const objects = Math.min(FORMS, OBJECTS.length);

  writeManifests(join(root, "few"), FORMS);
  let writes = 0;
  const applied = await countsOf(async () => {
    const { outcome, summary } = await open("few").apply({ confirm: () => true });
    if (outcome !== "applied" || summary.resources.created !== FORMS) throw new Error(`the apply ended as ${outcome}`);
    writes = summary.steps.done;
  });
  const allowed = writes + 2 * objects + FORMS;
  reportCount(`requests of apply, ${FORMS} new forms`, applied.requests, "writes, lists and versions", allowed);
  const again = await countsOf(() => open("few").plan());
  // A plan also compares the access of each form, with one request per form.
  reportCount(
    `requests of plan, ${FORMS} unchanged forms`,
    again.requests,
    "lists, versions and access",
    objects + 2 * FORMS,
  );

  writeManifests(join(root, "many"), MANY);
  await countsOf(() => open("many").apply({ confirm: () => true }));
  const first = await countsOf(() => open("many").plan());
  reportCount(`requests in flight of plan, ${MANY} forms`, first.most, "--concurrency", CONCURRENCY);
}

const { server, url, token } = await startServer();
const client = createClient({ baseUrl: url, token });
try {
  process.stdout.write(`Node ${process.version}; counts of requests to formctl serve\n`);
  const target = serverTarget({ baseUrl: url, service: client, references });
  await bench(server, (folder) => openProject({ root, manifests: folder, target, concurrency: CONCURRENCY }));
  if (values.check && missedTargets() > 0) process.exitCode = 1;
} finally {
  await client.close();
  server.disconnect();
  await once(server, "exit");
  rmSync(root, { recursive: true, force: true });
}
