/**
 * Compares `formctl serve` with other servers: `npm run bench -- --only serve`, or
 * `npm run build && node bench/serve.ts [--turns 3] [--ms 1200] [--requests 200000] [--only NAME] [--check]`. A
 * measurement of a rate takes `--ms` milliseconds. The measurement of the memory takes `--requests` requests. `--only`
 * selects the figures with NAME in their names.
 *
 * Each server is a process, and this process sends the requests. On a machine with two cores, the load takes one core.
 * So a rate is the rate of one thread. The servers take turns on each route. Each figure is a ratio of medians.
 *
 * The control compares two static servers: the busy server's thread works for 0.1 ms in each request. The run fails if
 * the busy server is not clearly slower: then the measurement is useless.
 *
 * - Static: node:http with one fixed JSON text, the limit of any server on node:http.
 * - json-server: from npm, with the same records. It has no tokens and writes its whole file for each POST.
 * - Handwritten: hono and node:sqlite on a copy of the same store (peers/handwritten.ts).
 *
 * The reads of 1,000 forms are repeated, so `formctl serve` can repeat its answers without reading the store. The
 * figures "after a write" measure the opposite case. A write every 5 ms makes `formctl serve` recompute each answer.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { inTurn, missedTargets, report } from "./figures.ts";
import { load } from "./load.ts";
import { memoryOf, startFormctl } from "./server-process.ts";
import { CONNECTIONS, fillServed, PATH, requestsOf, requireSlowControl, startPeers } from "./serve-stage.ts";

const { values } = parseArgs({
  options: {
    turns: { type: "string", default: "3" },
    ms: { type: "string", default: "1200" },
    requests: { type: "string", default: "200000" },
    only: { type: "string", default: "" },
    check: { type: "boolean", default: false },
  },
});
const turns = Number(values.turns);
const ms = Number(values.ms);

const folder = mkdtempSync(join(tmpdir(), "formctl-bench-"));

try {
  const store = join(folder, "store.db");
  const filled = await fillServed(store);
  const servers = { formctl: await startFormctl(store, folder), ...(await startPeers(folder, store, filled)) };
  type Name = keyof typeof servers;

  const { form, list, version, post } = requestsOf(filled);
  const rate = (name: Name, request: (index: number) => string, connections = CONNECTIONS, status = 200) =>
    load({ port: servers[name].port, connections, until: { ms }, request, status });
  const show = (perSecond: number) => `${Math.round(perSecond).toLocaleString("en")}/s`;
  const isWanted = (figure: string) => figure.includes(values.only);

  if (isWanted("control")) await requireSlowControl(folder, filled, ms);

  /** Measures a route of each server in turn. Compares `formctl serve` with the faster peer. */
  const compare = async (
    name: string,
    paths: { ours: (index: number) => string; json: (index: number) => string },
    { leastOfStatic }: { leastOfStatic?: number } = {},
  ) => {
    if (!isWanted(name)) return;
    const rates = await inTurn(
      {
        formctl: () => rate("formctl", paths.ours),
        handwritten: () => rate("handwritten", paths.ours),
        json: () => rate("json-server", paths.json),
        static: () => (leastOfStatic === undefined ? 0 : rate("static", paths.ours)),
      },
      turns,
    );
    const value = show(rates.formctl);
    const peersOf = (yardstick: number) => ({
      "json-server": rates.json / yardstick,
      handwritten: rates.handwritten / yardstick,
    });
    if (leastOfStatic !== undefined) {
      report({
        name: `${name}, of static`,
        value,
        yardstick: "node:http static",
        ratio: rates.formctl / rates.static,
        target: { least: leastOfStatic },
        peers: peersOf(rates.static),
      });
    }
    const faster = Math.max(rates.json, rates.handwritten);
    report({
      name,
      value,
      yardstick: "the faster peer",
      ratio: rates.formctl / faster,
      target: { least: 1 },
      peers: peersOf(faster),
    });
  };

  await compare("serve, GET a form, 64 connections", form, { leastOfStatic: 0.2 });
  for (const limit of [20, 50]) {
    await compare(`serve, GET a list of ${limit}, 64 connections`, list(limit));
  }
  await compare("serve, GET a layout version, 64 connections", version);

  /**
   * Measures a route of the two servers on SQLite: `formctl serve` and the handwritten server. Meanwhile another
   * connection creates a form every 5 ms.
   */
  const afterWrites = async (name: string, request: (index: number) => string) => {
    if (!isWanted(name)) return;
    const measured = async (server: "formctl" | "handwritten") => {
      let writes = true;
      const text = post(PATH);
      const writing = load({
        port: servers[server].port,
        connections: 1,
        until: () => !writes,
        pause: 5,
        request: text,
        status: 201,
      });
      const reads = await rate(server, request);
      writes = false;
      await writing;
      return reads;
    };
    const rates = await inTurn({ ours: () => measured("formctl"), theirs: () => measured("handwritten") }, turns);
    report({ name, value: show(rates.ours), yardstick: "handwritten", ratio: rates.ours / rates.theirs });
  };
  await afterWrites("serve, GET a form after a write", form.ours);
  await afterWrites("serve, GET a list of 20 after a write", list(20).ours);

  if (isWanted("serve, memory after 200,000 GETs")) {
    const requests = Number(values.requests);
    const { port, pid, stop } = await startFormctl(store, folder);
    const atFirst = memoryOf(pid);
    await load({ port, connections: CONNECTIONS, until: { requests }, request: form.ours, status: 200 });
    const memory = memoryOf(pid);
    await stop();
    report({
      name: `serve, memory after ${requests.toLocaleString("en")} GETs`,
      value: `${Math.round(memory)} MiB`,
      yardstick: `200 MiB (${Math.round(atFirst)} before)`,
      ratio: memory / 200,
      target: { most: 1 },
    });
  }

  for (const [connections, least] of [
    [1, 0.7],
    [64, 2],
  ] as const) {
    const name = `serve, POST a form, ${connections} connection${connections === 1 ? "" : "s"}`;
    if (!isWanted(name)) continue;
    const rates = await inTurn(
      {
        ours: () => rate("formctl", post(PATH), connections, 201),
        theirs: () => rate("handwritten", post(PATH), connections, 201),
        json: () => rate("json-server", post("/forms"), connections, 201),
      },
      turns,
    );
    report({
      name,
      value: show(rates.ours),
      yardstick: "handwritten",
      ratio: rates.ours / rates.theirs,
      target: { least },
      peers: { "json-server": rates.json / rates.theirs },
    });
  }
  await Promise.all(Object.values(servers).map(({ stop }) => stop()));
} finally {
  await wait(0);
  rmSync(folder, { recursive: true, force: true });
}
if (values.check && missedTargets() > 0) process.exitCode = 1;
