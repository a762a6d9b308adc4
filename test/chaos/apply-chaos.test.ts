/**
 * Tests an apply over a faulty connection: messages are cut, slow, forged, repeated or wrong. The apply finishes,
 * creates each record once, and reports the truth.
 */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Applied } from "../../src/commands/manifests/apply-document.ts";
import { openLocal } from "../../src/composition/local-store.ts";
import type { LocalService } from "../../src/local-service.ts";
import type { OperationName } from "../../src/schemas/operations.ts";
import type { FullService } from "../../src/service.ts";
import type { Cli } from "../commands/cli.ts";
import { layoutText } from "../commands/manifests-scene.ts";
import { openRemoteScene } from "../commands/remote-scene.ts";
import { countOf } from "../effort.ts";
import { carryOut, picture, runsFolder, setScene } from "../apply/apply-scene.ts";
import { withNewMutationIds } from "./blind-service.ts";
import { type ChaosServer, startChaos } from "./chaos-server.ts";
import { randomChaos } from "./faults.ts";
import { seeded } from "../../src/base/seeded-random.ts";
import { openChaos } from "./scene.ts";

const RUNS = countOf("chaos applies");
const SEED = 20_261_121;
const FAULT_RATE = 0.25;
/** The faults end after this number of applies. One more apply then completes the rest. */
const BROKEN_APPLIES = 8;

type Kind = "form" | "card" | "both";
/** Every third run creates both records. The other runs create one record, and are faster. */
const KINDS: readonly Kind[] = ["both", "form", "card"];

/** The expected writes of the manifests of a kind. Each write happens once. */
const ONCE: Record<Kind, Partial<Record<OperationName, number>>> = {
  form: { createForm: 1, saveDraft: 1, publishLayout: 1, replaceFormAccess: 1, updateFormDefaults: 1 },
  card: { createLayout: 1, saveDraft: 1, publishLayout: 1, replaceAssignments: 1 },
  both: { createForm: 1, createLayout: 1, saveDraft: 2, publishLayout: 2 },
};

type Scene = {
  cli: Cli;
  local: LocalService;
  direct: FullService;
  server: ChaosServer;
};

async function openScene(): Promise<Scene> {
  const { cli } = await openRemoteScene();
  const local = openLocal(join(cli.home, "local.db"), () => cli.clock.now, { serves: true });
  const server = await startChaos(local);
  onTestFinished(async () => {
    await server.close();
    await local.close();
  });
  cli.env["FORMCTL_BASE_URL"] = server.url;
  return { cli, local, direct: await local.service("northwind"), server };
}

function write(cli: Cli, kind: Kind, name: string, roleId: string): void {
  const form = `kind: Form
object: staffing/candidate
name: Form ${name}
types: [VIEW, EDIT]
defaultFor: [VIEW]
access: {users: [], roles: [{roleId: ${roleId}, types: [VIEW]}]}
layout: ./form.layout.yaml
`;
  const card = `kind: Layout
surface: CONTRACTOR
name: Card ${name}
supportedModes: [VIEW]
assignments: {organizationDefault: true, roles: [{roleId: ${roleId}, priority: 1}]}
layout:
  schemaVersion: 1
  regions: [{key: main, label: Main, layout: grid, columns: 12}]
  blocks:
    - {id: f_risk, type: field, source: custom_field, ref: {fieldKey: risk_class}, regionKey: main, config: {label: Risk}}
`;
  const wanted = { form: [form], card: [card], both: [form, card] }[kind];
  // Removes the journals of earlier runs, because reading them takes time.
  for (const folder of ["manifests", ".formctl"]) rmSync(join(cli.cwd, folder), { recursive: true, force: true });
  cli.file("manifests/all.yaml", wanted.join("---\n"));
  if (kind === "card") return;
  cli.file("manifests/form.layout.yaml", layoutText("full_name", "email"));
}

/** The number of writes after the audit entry `seq`, by operation. */
async function effectsSince(local: LocalService, seq: number): Promise<Map<string, number>> {
  const effects = (await local.log({ limit: 40 })).filter((entry) => entry.seq > seq);
  return new Map([...Map.groupBy(effects, ({ operation }) => operation)].map(([name, of]) => [name, of.length]));
}

const lastSeq = async (local: LocalService) => (await local.log({ limit: 1 }))[0]?.seq ?? 0;

/** Returns a difference between the report of an apply and its effects. */
function lieOf(code: number, applied: Applied | undefined, effects: ReadonlyMap<string, number>): string | undefined {
  const steps = applied?.resources.flatMap((resource) => resource.steps) ?? [];
  if (!applied && effects.size > 0) return `refused with ${code}, and something was done`;
  if (applied && applied.exitCode !== code) return `the document says ${applied.exitCode}, the process ${code}`;
  for (const [operation, count] of effects) {
    const told = steps.filter(
      (step) => step.operation === operation && (step.status === "done" || step.status === "unknown"),
    );
    if (count > told.length) return `${operation} was done ${count} times, and told ${told.length} times`;
  }
  return undefined;
}

it(`finishes with each record once, in ${RUNS} runs (seed ${SEED})`, async () => {
  const { cli, local, direct, server } = await openScene();
  const { organizations } = await local.show();
  const roleId = organizations.find(({ key }) => key === "northwind")!.roles[0]!.id;
  const strip = async (name: string) =>
    JSON.stringify(await picture(direct))
      .replaceAll(name, "NAME")
      .replace(/"sha256":"\w+"/g, "");
  const expected = new Map<Kind, string>();
  const wrong: string[] = [];
  let applies = 0;
  let unknown = 0;
  for (let run = 0; run < RUNS; run++) {
    const seed = SEED + run;
    const random = seeded(seed);
    const name = `x${seed}x`;
    const kind = KINDS[run % KINDS.length]!;
    write(cli, kind, name, roleId);
    const first = await lastSeq(local);
    const chaos = randomChaos(random, FAULT_RATE, { isQuick: true });
    // The first run of each kind has no faults. All runs of the kind must give its result.
    let code = -1;
    for (let attempt = 0; code !== 0 && attempt <= BROKEN_APPLIES; attempt++) {
      server.set(run < KINDS.length || attempt === BROKEN_APPLIES ? {} : chaos);
      const before = await lastSeq(local);
      const outcome = await cli.run(
        "apply",
        "manifests",
        "--yes",
        "--timeout",
        "5",
        "--concurrency",
        run % 2 === 0 ? "1" : "16",
        "-o",
        "json",
      );
      applies++;
      await server.idle();
      code = outcome.code;
      const applied = outcome.stdout === "" ? undefined : (outcome.json() as Applied);
      unknown += applied?.summary.steps.unknown ?? 0;
      const lie = lieOf(code, applied, await effectsSince(local, before));
      if (lie) wrong.push(`${seed}: ${lie}`);
      if (code !== 0 && ![6, 7, 9].includes(code)) wrong.push(`${seed}: exit ${code}: ${outcome.stderr}`);
    }
    if (code !== 0) wrong.push(`${seed}: never ended: ${code}`);
    const effects = await effectsSince(local, first);
    for (const [operation, once] of Object.entries(ONCE[kind])) {
      if (effects.get(operation) !== once) wrong.push(`${seed}: ${operation} was done ${effects.get(operation)} times`);
    }
    const seen = await strip(name);
    if (run < KINDS.length) expected.set(kind, seen);
    if (seen !== expected.get(kind)) wrong.push(`${seed}: ends otherwise: ${seen}`);
    await clear(direct);
  }
  const { requests, faults } = server.counts();
  process.stderr.write(
    `apply chaos: seed ${SEED}, ${RUNS} runs, ${applies} applies, ${requests} requests, ${faults} faults, ${unknown} outcomes unknown\n`,
  );
  expect(wrong).toEqual([]);
  expect(faults).toBeGreaterThan(RUNS * 2);
  expect(unknown).toBeGreaterThan(RUNS / 20);
  expect(await local.check()).toEqual([]);
});

/** Restores the state before the first run. */
async function clear(direct: FullService): Promise<void> {
  const object = { moduleKey: "staffing", objectKey: "candidate" };
  const none = { defaultViewFormId: null, defaultEditFormId: null, defaultCreateFormId: null };
  await direct.updateFormDefaults({ ...object, body: none });
  for (const { id } of (await direct.listForms(object)).data) await direct.deleteForm({ ...object, formId: id });
  for (const { id } of await direct.listLayouts({})) await direct.archiveLayout({ layoutId: id });
}

it("finds duplicates if an apply repeats requests without an id and without reading (control)", async () => {
  let doubled = 0;
  for (let run = 0; run < 12; run++) {
    const scene = await openChaos();
    const world = { local: scene.local, as: async () => scene.direct } as never;
    const { plan } = await setScene(world);
    let ids = 0;
    const blind = withNewMutationIds(scene.blind, () => `blind-${++ids}`) as FullService;
    scene.server.set(randomChaos(seeded(SEED + run), FAULT_RATE, { isQuick: true }));
    await carryOut(plan, { service: blind, folder: runsFolder() }).catch(() => undefined);
    await scene.idle();
    const seen = (await picture(scene.direct)) as { form?: string; layout?: string; versions: unknown[] }[];
    const names = seen.map(({ form, layout }) => form ?? layout);
    if (new Set(names).size < names.length) doubled++;
  }
  expect(doubled).toBeGreaterThan(0);
});
