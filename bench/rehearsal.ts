/**
 * Measures rehearsals: `npm run bench:rehearsal [-- --size 1000] [-- --rounds 3] [-- --check]`.
 *
 * The first plan creates forms, and the second plan changes each form. Each plan is rehearsed twice: on a copy of a
 * local store, and on a copy of a server's records. The plan is then applied to the store.
 *
 * A figure compares the time of a rehearsal with the time of the steps in the apply. With `--check`, the run fails if
 * the ratio exceeds 2.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { hostOf } from "../src/composition/library-host.ts";
import { openProject, type Progress, type ProjectTarget, serverTarget, storeTarget } from "../src/index.ts";
import { openProject as openProjectOn, type ProjectSetup } from "../src/project/project.ts";
import type { LocalService } from "../src/local-service.ts";
import { createStore, openLocal } from "../src/composition/local-store.ts";
import { rehearseOnCopy } from "../src/composition/target-copy.ts";
import { median, missedTargets, report } from "./figures.ts";
import { benchOrganization, writeManifests } from "./manifest-folder.ts";

const { values } = parseArgs({
  options: {
    size: { type: "string", default: "1000" },
    rounds: { type: "string", default: "3" },
    check: { type: "boolean", default: false },
  },
});
const size = Number(values.size);
const rounds = Number(values.rounds);
const KINDS = ["store", "server"] as const;
type Kind = (typeof KINDS)[number];

type Times = { apply: number; rehearsals: Record<Kind, number> };

/** Opens a project whose rehearsals are measured. */
function projectOf(root: string, target: ProjectTarget, onRehearsed: (milliseconds: number) => void) {
  const setup: ProjectSetup = {
    root,
    manifests: "forms",
    target,
    organizationFile: "organization.json",
    async rehearse(request) {
      const start = performance.now();
      const rehearsal = await rehearseOnCopy(request);
      onRehearsed(performance.now() - start);
      if (rehearsal.refusals.length > 0) throw new Error(rehearsal.refusals[0]!.message);
      return rehearsal;
    },
  };
  return openProjectOn(setup, hostOf(setup, undefined));
}

/** Rehearses and then applies the manifests of the folder. */
async function measure(root: string, local: LocalService): Promise<Times> {
  const store = storeTarget({ store: join(root, "local.db"), local });
  // This target reads the records of the store like a server, but without HTTP. HTTP doesn't affect the measured time,
  // because a rehearsal sends no requests.
  const server = serverTarget({
    baseUrl: "http://127.0.0.1:1",
    service: () => local.service(),
    references: { roles: { Clerk: "rol_clerk" }, members: {} },
  });
  const rehearsals = { store: 0, server: 0 };
  for (const [kind, target] of Object.entries({ store, server })) {
    const project = projectOf(root, target, (milliseconds) => (rehearsals[kind as Kind] = milliseconds));
    const { hasChanges } = await project.plan({ rehearse: true });
    if (!hasChanges) throw new Error("the plan has no changes");
  }
  let started = 0;
  let apply = 0;
  const onProgress = ({ stage }: Progress) => {
    if (stage === "applying") started ||= performance.now();
    if (stage === "ended" && started > 0) apply ||= performance.now() - started;
  };
  const { outcome } = await openProject({ root, manifests: "forms", target: store, onProgress }).apply({
    confirm: () => true,
  });
  if (outcome !== "applied") throw new Error(`the apply ended as ${outcome}`);
  return { apply, rehearsals };
}

/** Changes a label in each manifest. */
function changeAll(folder: string): void {
  for (const file of readdirSync(folder)) {
    const path = join(folder, file);
    writeFileSync(path, readFileSync(path, "utf8").replace("field number 7", "the seventh field"));
  }
}

async function round(): Promise<{ create: Times; change: Times }> {
  const root = mkdtempSync(join(tmpdir(), "formctl-bench-rehearsal-"));
  try {
    await createStore(join(root, "local.db"));
    const local = openLocal(join(root, "local.db"), () => new Date());
    await local.seed(benchOrganization);
    writeFileSync(
      join(root, "organization.json"),
      JSON.stringify({ organizations: (await local.show()).organizations }),
    );
    writeManifests(join(root, "forms"), size);
    const create = await measure(root, local);
    changeAll(join(root, "forms"));
    const change = await measure(root, local);
    await local.close();
    return { create, change };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const results = [];
for (let count = 0; count < rounds; count++) results.push(await round());
for (const plan of ["create", "change"] as const) {
  const apply = median(results.map((result) => result[plan].apply));
  for (const kind of KINDS) {
    const rehearsal = median(results.map((result) => result[plan].rehearsals[kind]));
    report({
      name: `rehearse to ${plan} ${size} forms, copy of a ${kind}`,
      value: `${rehearsal.toFixed(0)} ms`,
      yardstick: "steps of the apply",
      ratio: rehearsal / apply,
      target: { most: 2 },
    });
  }
}
if (values.check && missedTargets() > 0) process.exitCode = 1;
