/** `openProject` in a program, on a local store and without the command line. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import {
  createClient,
  type NamedIds,
  openLocal,
  openProject,
  type Progress,
  type Project,
  type ProjectTarget,
  type Proposal,
  serverTarget,
  storeTarget,
} from "../../src/index.ts";
import { randomId } from "../../src/engine/ids.ts";
import { type Service, ServiceError } from "../../src/service.ts";
import { openRemoteScene } from "../commands/remote-scene.ts";
import { contractOrganizations } from "../contract/organizations.ts";
import { seededStore } from "../seeded-store.ts";
import { temporaryFolders } from "../temporary.ts";

const newFolder = temporaryFolders();
const seed = seededStore(contractOrganizations, { now: () => new Date("2026-03-02T09:00:00Z"), newId: randomId });

const FORMS = { moduleKey: "staffing", objectKey: "candidate" };
const form = (name: string) => `kind: Form\nobject: staffing/candidate\nname: ${name}\ntypes: [VIEW]\n`;
const layout = (key: string) =>
  `layout:\n  schemaVersion: 1\n  regions: [{key: main, layout: grid, columns: 12}]\n` +
  `  blocks: [{type: field, source: dynamic_field, ref: {fieldKey: ${key}}, regionKey: main}]\n`;

type Scene = {
  root: string;
  service: Service;
  target: ProjectTarget;
  project: Project;
  write: (name: string, text: string) => void;
  /** The names of the forms on the target. */
  names: () => Promise<string[]>;
};

it("reports the files that validate has read", async () => {
  const { root, target } = await openScene();
  const stages: unknown[] = [];
  const onProgress = (progress: { stage: string; done?: number; total?: number | undefined }) =>
    stages.push([progress.stage, progress.done, progress.total]);
  const project = openProject({ root, manifests: "manifests", target, onProgress });
  expect((await project.validate()).isValid).toBe(true);
  expect(stages).toEqual([
    ["validating", 0, 2],
    ["validating", 1, 2],
    ["ended", undefined, undefined],
  ]);
});

/** A project with the manifests of two forms. @param change returns the operations of the service to replace */
async function openScene(change: (service: Service) => Partial<Service> = () => ({})): Promise<Scene> {
  const root = newFolder();
  const store = join(root, "store.db");
  await seed(store);
  const local = await openLocal(store);
  onTestFinished(() => local.close());
  const service: Service = await local.service("northwind");
  const target = storeTarget({
    store,
    local,
    organization: "northwind",
    service: async () => ({ ...service, ...change(service) }),
  });
  mkdirSync(join(root, "manifests"));
  const write = (name: string, text: string) => writeFileSync(join(root, "manifests", name), text);
  write("one.yaml", form("One"));
  write("two.yaml", form("Two"));
  return {
    root,
    service,
    target,
    project: openProject({ root, manifests: "manifests", target }),
    write,
    names: async () => (await service.listForms({ ...FORMS, query: {} })).data.map(({ name }) => name).toSorted(),
  };
}

it("returns the problems of manifests with their positions", async () => {
  const { project, write } = await openScene();
  expect(await project.validate()).toMatchObject({ isValid: true, problems: [], files: { length: 2 } });
  write("one.yaml", form("One").replace("VIEW", "READ"));
  expect(await project.validate()).toMatchObject({
    isValid: false,
    problems: [{ severity: "error", file: "manifests/one.yaml", line: 4 }],
  });
  await expect(project.plan()).rejects.toMatchObject({ code: "MANIFESTS_INVALID", problems: [{ line: 4 }] });
});

it("applies a saved plan once, and refuses other choices for it", async () => {
  const { project, names } = await openScene();
  const planned = await project.plan();
  expect([planned.hasChanges, planned.summary.create]).toEqual([true, 2]);
  const plan = planned.save();
  await expect(project.apply({ plan, prune: true })).rejects.toMatchObject({ code: "USAGE" });

  const applied = await project.apply({ plan });
  expect(applied).toMatchObject({ outcome: "applied", summary: { resources: { created: 2 } } });
  expect(await names()).toEqual(["One", "Two"]);
  await expect(project.apply({ plan })).rejects.toMatchObject({ code: "PLAN_STALE" });
  expect(await project.apply()).toMatchObject({ outcome: "unchanged" });
  expect((await project.plan()).hasChanges).toBe(false);
});

it("writes nothing on the target in a plan and in a dry run", async () => {
  const { project, names } = await openScene();
  await project.plan();
  expect(await project.apply({ dryRun: true })).toMatchObject({
    outcome: "planned",
    resources: [{ steps: [{ status: "planned" }] }, { steps: [{ status: "planned" }] }],
  });
  expect(await names()).toEqual([]);
});

it("deletes no form without prune", async () => {
  const { project, service, names } = await openScene();
  await service.createForm({ ...FORMS, body: { name: "Old", types: ["VIEW"] } });
  expect((await project.plan()).summary).toMatchObject({ create: 2, delete: 0 });
  await project.apply({ allowDelete: true });
  expect(await names()).toEqual(["Old", "One", "Two"]);
});

it("publishes an unchanged layout again for a new mode", async () => {
  const { project, service, write } = await openScene();
  for (const modes of ["[VIEW]", "[VIEW, EDIT]"]) {
    write("one.yaml", form("One").replace("[VIEW]", modes) + layout("email"));
    await project.apply();
  }
  const { data } = await service.listForms(FORMS);
  expect(data.find(({ name }) => name === "One")).toMatchObject({ usableTypes: ["VIEW", "EDIT"] });
});

it("returns the layouts that a plan writes, with their contents before and after", async () => {
  const { project, write } = await openScene();
  write("one.yaml", form("One") + layout("email"));
  const shown = async (publish = true) =>
    (await project.plan({ publish })).layouts().map(({ address, before, content, catalog }) => ({
      address,
      before: before && before.blocks[0]?.ref?.fieldKey,
      after: content.blocks[0]?.ref?.fieldKey,
      knowsFields: catalog.fields?.some(({ key }) => key === "email"),
    }));
  const address = "staffing/candidate/One";
  expect(await shown()).toEqual([{ address, before: null, after: "email", knowsFields: true }]);
  await project.apply();
  expect(await shown()).toEqual([]);
  write("one.yaml", form("One") + layout("phone"));
  expect(await shown()).toEqual([{ address, before: "email", after: "phone", knowsFields: true }]);
  await project.apply({ publish: false });
  write("one.yaml", form("One") + layout("full_name"));
  expect(await shown()).toMatchObject([{ before: "email", after: "full_name" }]);
  expect(await shown(false)).toMatchObject([{ before: "phone", after: "full_name" }]);
});

it("deletes a form only with permission, from an option or from confirm", async () => {
  const { project, write, service, names } = await openScene();
  const addOld = () => service.createForm({ ...FORMS, body: { name: "Old", types: ["VIEW"] } });
  await addOld();
  await expect(project.apply({ prune: true })).rejects.toMatchObject({
    code: "CONSENT_MISSING",
    message: expect.stringContaining('the form "Old"'),
    hint: "To confirm, add --allow-delete.",
  });
  const proposals: Proposal[] = [];
  const confirm = (answer: boolean) => (proposal: Proposal) => {
    proposals.push(proposal);
    return answer;
  };
  await expect(project.apply({ prune: true, confirm: confirm(false) })).rejects.toMatchObject({
    code: "CONSENT_MISSING",
    message: "cancelled",
  });
  expect(await names()).toEqual(["Old"]);
  await project.apply({ prune: true, confirm: confirm(true) });
  expect(proposals).toMatchObject([
    { steps: 3, resources: 3, needs: [{ consent: "allow-delete" }] },
    { steps: 3, resources: 3, needs: [{ consent: "allow-delete" }] },
  ]);
  expect(await names()).toEqual(["One", "Two"]);

  await addOld();
  write("two.yaml", form("Two").replace("[VIEW]", "[VIEW, EDIT]"));
  await project.apply({ prune: true, allowDelete: true, confirm: confirm(true) });
  expect(proposals.at(-1)).toMatchObject({ resources: 2, needs: [] });
  expect(await names()).toEqual(["One", "Two"]);
});

it("returns the failure of a step with its resource, and completes the others", async () => {
  const refusal = new ServiceError(403, { code: "FORBIDDEN", message: "not allowed" });
  const { project } = await openScene(({ createForm }) => ({
    async createForm(input, options) {
      if (input.body.name === "One") throw refusal;
      return createForm(input, options);
    },
  }));
  const { outcome, summary, resources } = await project.apply();
  expect([outcome, summary.resources]).toMatchObject(["partial", { created: 1, unfinished: 1 }]);
  expect(resources[0]!.steps[0]).toMatchObject({ status: "failed", error: refusal });
});

it("stops before the next request when its signal is aborted", async () => {
  const { project, names } = await openScene();
  const result = await project.apply({ signal: AbortSignal.abort() });
  expect(result).toMatchObject({ outcome: "interrupted", summary: { steps: { skipped: 2 } } });
  expect(await names()).toEqual([]);
  expect(await project.apply()).toMatchObject({ outcome: "applied" });
});

it("states which side changed, and exports the change into the file", async () => {
  const { project, service, root } = await openScene();
  await project.apply();
  const states = async () => (await project.status()).resources.map(({ state }) => state);
  expect(await states()).toEqual(["in sync", "in sync"]);
  const { data } = await service.listForms({ ...FORMS, query: {} });
  const formId = data.find(({ name }) => name === "One")!.id;
  await service.updateForm({ ...FORMS, formId, body: { types: ["VIEW", "EDIT"] } });
  expect(await states()).toEqual(["changed on target", "in sync"]);

  const request = { objects: [FORMS], into: "manifests" };
  const dry = await project.export({ ...request, dryRun: true });
  expect(dry.written!.files).toMatchObject([
    { path: "manifests/one.yaml", status: "updated" },
    { status: "unchanged" },
  ]);
  expect(await states()).toEqual(["changed on target", "in sync"]);
  await project.export(request);
  expect(readFileSync(join(root, "manifests/one.yaml"), "utf8")).toContain("types: [VIEW, EDIT]");
  expect(await states()).toEqual(["in sync", "in sync"]);

  const single = await project.export({ forms: [{ ...FORMS, form: "Two" }] });
  expect(single.exported.map(({ address }) => address)).toEqual(["staffing/candidate/Two"]);
  await expect(project.export({ forms: [{ ...FORMS, form: "Tow" }] })).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
});

it("reports progress and warnings to its callbacks", async () => {
  const { root, target } = await openScene();
  const stages: string[] = [];
  const warnings: string[] = [];
  const project = openProject({
    root,
    manifests: "manifests",
    target,
    onProgress: (progress) => {
      stages.push("step" in progress && progress.step ? `${progress.done}/${progress.total}` : progress.stage);
    },
    onWarning: ({ message }) => void warnings.push(message),
  });
  await project.apply({ notCreated: ["staffing/candidate/One@2026-01-01T00:00:00.000Z"] });
  expect(new Set(stages)).toEqual(new Set(["reading", "ended", "applying", "1/2", "2/2"]));
  expect(stages.at(-1)).toBe("ended");
  expect(warnings).toEqual([expect.stringContaining("has no effect")]);
});

it("counts a failed step not as done", async () => {
  const refusal = new ServiceError(403, { code: "FORBIDDEN", message: "refused" });
  const { root, target } = await openScene((service) => ({
    createForm: async (input) => (input.body.name === "One" ? Promise.reject(refusal) : service.createForm(input)),
  }));
  const steps: unknown[] = [];
  const onProgress = (progress: Progress) => {
    if (progress.stage === "applying" && progress.step)
      steps.push([progress.done, progress.total, progress.step.address, progress.step.status]);
  };
  const project = openProject({ root, manifests: "manifests", target, concurrency: 1, onProgress });
  expect(await project.apply()).toMatchObject({ outcome: "partial", summary: { steps: { done: 1, failed: 1 } } });
  expect(steps).toEqual([
    [0, 2, "staffing/candidate/One", "failed"],
    [1, 2, "staffing/candidate/Two", "done"],
  ]);
});

it("works on a server through a client, with roles by name", async () => {
  const { url, token } = await openRemoteScene();
  const client = createClient({ baseUrl: url, token });
  onTestFinished(() => client.close());
  const { root, write } = await openScene();
  write("one.yaml", `${form("One")}access: {users: [], roles: [{role: Recruiter, types: [VIEW]}]}\n`);
  const open = (references?: NamedIds) =>
    openProject({ root, manifests: "manifests", target: serverTarget({ baseUrl: url, service: client, references }) });

  const unknown = expect.stringContaining("references.roles has no such role");
  await expect(open().plan()).rejects.toMatchObject({ code: "MANIFESTS_INVALID", problems: [{ message: unknown }] });
  expect((await open().validate()).notRun).toContainEqual(expect.stringContaining("whether the roles"));

  const roleId = "role_1";
  const planned = await open({ roles: { Recruiter: roleId }, members: {} }).plan();
  expect(planned.target).toBe(url);
  expect(planned.plan.resources[0]!.steps).toContainEqual(
    expect.objectContaining({
      request: { operation: "replaceFormAccess", body: { users: [], roles: [{ roleId, types: ["VIEW"] }] } },
    }),
  );
  write("one.yaml", form("One"));
  expect(await open().apply()).toMatchObject({ outcome: "applied", target: url });
  expect(await open().apply()).toMatchObject({ outcome: "unchanged" });
});

it("names targets by their address, profile and organization", async () => {
  const service = {} as Service;
  const key = (profile?: string) => serverTarget({ baseUrl: "https://forms.example.com/eu/", profile, service }).key();
  expect([await key(), await key("prod")]).toEqual([
    "https://forms.example.com/eu",
    "https://forms.example.com/eu#prod",
  ]);
  const { root, target } = await openScene();
  const store = join(root, "store.db");
  expect(await target.key()).toBe(`local:northwind@${store}`);
  const local = await openLocal(store);
  onTestFinished(() => local.close());
  await expect(storeTarget({ store, local }).key()).rejects.toMatchObject({
    code: "USAGE",
    message: "the local store has several organizations",
  });
});
