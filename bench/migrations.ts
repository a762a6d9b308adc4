/**
 * Measures a transform on a distant server:
 * `npm run bench:migrations [-- --layouts 3000] [-- --rounds 1] [-- --check]`.
 *
 * The bound is the time of the requests alone: requests · delay / concurrency. With `--check`, the run fails if a ratio
 * to the bound exceeds its target. The server is a separate process.
 *
 * undici is loaded before the measurement. Its sources take 60 ms to load, but the built program loads a compiled
 * chunk. `bench:startup` measures the time of that chunk.
 */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pMap from "p-map";
import "undici";
import { createClient, type DraftContent, replaceBlocks, serverTarget } from "../src/index.ts";
import { createStore, openLocal } from "../src/composition/local-store.ts";
import { transformProject } from "../src/migrations/transform.ts";
import { systemHost } from "../src/composition/system-host.ts";
import { missedTargets, report } from "./figures.ts";
import { benchDraft, benchOrganization } from "./manifest-folder.ts";
import { definedMigration } from "../src/migrations/defined.ts";

const { values } = parseArgs({
  options: {
    layouts: { type: "string", default: "3000" },
    rounds: { type: "string", default: "1" },
    delay: { type: "string", default: "50" },
    concurrency: { type: "string", default: "32" },
    check: { type: "boolean", default: false },
  },
});
const layouts = Number(values.layouts);
const delay = Number(values.delay);
const concurrency = Number(values.concurrency);
const root = mkdtempSync(join(tmpdir(), "formctl-bench-migrations-"));

/** Creates the published layouts of `layouts` forms, with 40 fields each. */
async function fillStore(path: string): Promise<void> {
  await createStore(path);
  const local = openLocal(path, () => new Date());
  await local.seed(benchOrganization);
  const service = await local.service("bench");
  const draft = benchDraft(40);
  const numbers = Array.from({ length: layouts }, (_form, index) => index);
  await pMap(
    numbers,
    async (index) => {
      const object = { moduleKey: "bench", objectKey: `object_${index % 10}` };
      const form = await service.createForm({ ...object, body: { name: `Form ${index}`, types: ["VIEW", "EDIT"] } });
      const layoutId = form.viewLayoutId;
      const { draftVersionId } = await service.saveDraft({
        layoutId,
        body: { ...draft, clientMutationId: `save ${index}` },
      });
      await service.publishLayout({ layoutId, body: { clientMutationId: `publish ${index}`, draftVersionId } });
    },
    { concurrency: 64 },
  );
  await local.close();
}

async function answerOf(server: ChildProcess): Promise<{ url: string; token: string; requests: number }> {
  const [message] = (await once(server, "message")) as [{ url: string; token: string; requests: number }];
  return message;
}

/** Reports the time of a part and its ratio to the bound of its requests. */
function reportPart(name: string, requests: number, milliseconds: number): void {
  // With few layouts, the ratio has no target: the lists take most of the time, and lists are requested one after
  // another.
  const target = layouts >= 3000 ? { target: { most: 1.15 } } : {};
  report({
    name: `${name} of a transform of ${layouts} layouts`,
    value: `${(milliseconds / 1000).toFixed(2)} s`,
    yardstick: `${requests} requests alone`,
    ratio: milliseconds / ((requests * delay) / concurrency),
    ...target,
  });
}

async function bench(): Promise<void> {
  const store = join(root, "local.db");
  await fillStore(store);
  const server = fork(join(import.meta.dirname, "delayed-server.ts"), [store, String(delay)], {
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  try {
    const { url, token } = await answerOf(server);
    const client = createClient({ baseUrl: url, token });
    const counted = async () => {
      server.send("count");
      return (await answerOf(server)).requests;
    };
    const target = serverTarget({ baseUrl: url, service: client });
    for (let round = 0; round < Number(values.rounds); round++) {
      const transform = {
        match: { showsField: "field_1" },
        layout: (content: DraftContent) =>
          replaceBlocks(content, { field: "field_1" }, (block) => ({ ...block, config: { label: `Round ${round}` } })),
      };
      const code = definedMigration(transform);
      const project = transformProject({ root, target, concurrency, transform, code }, { ...systemHost(), env: {} });
      await counted();
      let start = performance.now();
      const { summary } = await project.plan();
      reportPart("plan", await counted(), performance.now() - start);
      if (summary.update !== layouts) throw new Error(`the plan changes ${summary.update} layouts`);
      start = performance.now();
      const { outcome } = await project.apply({
        confirm: async ({ plan }) => (await project.replaced(plan)).length === layouts,
      });
      reportPart("run", await counted(), performance.now() - start);
      if (outcome !== "applied") throw new Error(`the run ended with ${outcome}`);
      if ((await project.plan()).hasChanges) throw new Error("the transform changes its own result");
    }
    await client.close();
  } finally {
    server.disconnect();
    await once(server, "exit");
  }
}

try {
  process.stdout.write(
    `Node ${process.version}; a transform of ${layouts} layouts, ${delay} ms away, ${concurrency} at once\n`,
  );
  await bench();
  if (values.check && missedTargets() > 0) process.exitCode = 1;
} finally {
  rmSync(root, { recursive: true, force: true });
}
