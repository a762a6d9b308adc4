/**
 * A saved plan is complete and private. It is refused if the file was changed, if it contradicts its steps, or if the
 * current state has changed.
 */

import { once } from "node:events";
import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { digestOf } from "../../src/manifests/content/compare.ts";
import {
  openPlan,
  type SealedPlan,
  sealPlan,
  staleResources,
  verifyResource,
  writePlanFile,
} from "../../src/manifests/plan/plan-file.ts";
import { readSubjects } from "../../src/manifests/current/read.ts";
import { knownLayouts } from "../../src/manifests/lock.ts";
import type { NameOf } from "../../src/manifests/references.ts";
import type { PlannedResource } from "../../src/manifests/plan/planned.ts";
import type { Wanted } from "../../src/manifests/manifest.ts";
import { httpOverSocket } from "../contract/http-providers.ts";
import { engineOnSqlite } from "../contract/engine-provider.ts";
import { reasonOnWindows } from "../skip.ts";
import { temporaryFolders } from "../temporary.ts";
import { CANDIDATE, content, form, layout, openScene, type PlanScene } from "./plan-scene.ts";

const newFolder = temporaryFolders();
const card = layout("Card", { content: content(), assignments: { organizationDefault: true, roles: [] } });
const profile = form("Profile", { content: content("email"), defaultFor: ["VIEW"], access: { users: [], roles: [] } });

async function sealed(scene: PlanScene, wanted: readonly Wanted[], prune = false): Promise<SealedPlan> {
  const plan = await scene.plan(wanted, { prune });
  return { version: 1, place: "local:northwind@/store.db", origin: null, files: { "forms.yaml": "ab" }, plan };
}

describe("a sealed plan", () => {
  it("is applied like the plan that was sealed", async () => {
    const scene = await openScene();
    await scene.make([form("Old")]);
    const before = await sealed(scene, [profile, card], true);
    const after = openPlan(sealPlan(before));
    expect(after).toEqual(JSON.parse(JSON.stringify(before)));
    await scene.apply(after.plan);
    const left = await scene.plan([profile, card], { prune: true });
    expect(left.resources.map(({ action }) => action)).toEqual(["none", "none"]);
  });

  it.each<[string, (text: string) => string, RegExp]>([
    ["was changed", (text) => text.replace('"name": "Profile"', '"name": "profile"'), /changed after it was created/],
    [
      "has no hash",
      (text) => text.replace(/"sha256": "[0-9a-f]{64}"\n/, '"sha256": ""\n'),
      /changed after it was created/,
    ],
    [
      "is of another version",
      (text) => text.replace('"version": 1', '"version": 2'),
      /has version 2, and only version 1 is supported/,
    ],
    ["is incomplete", (text) => text.slice(0, -20), /is not JSON/],
    ["is something else", () => '{"kind":"Form"}', /contains no plan/],
    ["is a list", () => "[]", /contains no plan/],
  ])("is refused when it %s", async (_, change, reason) => {
    const text = sealPlan(await sealed(await openScene(), [profile]));
    expect(() => openPlan(change(text))).toThrow(reason);
    expect(() => openPlan(change(text))).toThrow(expect.objectContaining({ code: "PLAN_UNUSABLE" }));
  });

  it.each([
    ["has an unknown operation", { phase: "create", request: { operation: "archiveLayout" } }],
    ["has an invalid step", { phase: "delete", request: { operation: "deleteForm" }, replaces: null }],
  ])("is refused when it is forged with a valid hash and %s", async (_, step) => {
    const { plan, ...rest } = await sealed(await openScene(), [profile]);
    const [resource] = plan.resources;
    const steps = [step];
    const forged = { ...rest, plan: { resources: [{ ...resource, steps }] } };
    const text = JSON.stringify({ ...forged, sha256: digestOf(forged) });
    expect(() => openPlan(text)).toThrow(/has the hash of a plan, but is not a valid plan/);
  });

  it("is written completely, for its owner only, and replaces a link", async () => {
    const folder = newFolder();
    const [path, elsewhere] = [join(folder, "plan.json"), join(folder, "elsewhere")];
    writeFileSync(elsewhere, "untouched");
    symlinkSync(elsewhere, path);
    await writePlanFile(path, "{}\n");
    expect(readFileSync(path, "utf8")).toBe("{}\n");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(elsewhere, "utf8")).toBe("untouched");
    expect(readdirSync(folder).toSorted()).toEqual(["elsewhere", "plan.json"]);
    await expect(writePlanFile(folder, "")).rejects.toThrow(/is a folder/);
    await expect(writePlanFile(join(elsewhere, "plan.json"), "")).rejects.toMatchObject({ code: "FILE_UNFIT" });
  });

  it("does not replace a socket, pipe or device, or a link to one", async ({ skip }) => {
    skip(reasonOnWindows !== undefined, reasonOnWindows);
    const folder = newFolder();
    const [socket, link] = [join(folder, "socket"), join(folder, "link")];
    const server = createServer().listen(socket);
    onTestFinished(() => void server.close());
    await once(server, "listening");
    symlinkSync(socket, link);
    for (const path of [socket, link]) {
      await expect(writePlanFile(path, "{}\n")).rejects.toMatchObject({
        message: `${path} is a device or a pipe, not a file`,
        hint: "Name another file, as in --out plan.json",
      });
    }
    expect(lstatSync(socket).isSocket() && lstatSync(link).isSymbolicLink()).toBe(true);
  });
});

describe("the changes that a sealed plan lists", () => {
  const nameOf = (kind: string, id: string) => (kind === "role" ? `Name of ${id}` : undefined);

  /** A plan that changes a content, access, assignments, a default and a record. It also creates and deletes forms. */
  async function planned() {
    const scene = await openScene();
    const { recruiter, account_manager: manager, compliance_officer: officer } = scene.roles;
    const access = (roleId: string) => ({ users: [], roles: [{ roleId, types: ["VIEW" as const] }] });
    const assigned = (roleId: string) => ({ organizationDefault: false, roles: [{ roleId, priority: 1 }] });
    await scene.make([
      form("Profile", { content: content("email"), access: access(recruiter) }),
      form("Holder", { defaultFor: ["VIEW"] }),
      form("Old"),
      layout("Card", { metadata: { team: "ops" }, assignments: assigned(recruiter) }),
    ]);
    const wanted = [
      form("Profile", { content: content("full_name"), access: access(manager), defaultFor: ["VIEW"] }),
      form("Holder", { types: ["VIEW"], defaultFor: [], isActive: true }),
      form("New", { types: ["VIEW"], isPublic: true, config: { title: "New" } }),
      layout("Card", { supportedModes: ["VIEW"], metadata: { team: "hr" }, assignments: assigned(officer) }),
    ];
    const plan = await scene.plan(wanted, { prune: true, nameOf });
    const { plan: opened } = openPlan(
      sealPlan({ version: 1, place: "local:northwind@/store.db", origin: null, files: {}, plan }),
    );
    const subjects = opened.resources.map(({ subject }) => subject);
    const known = knownLayouts(scene.lock, opened.resources);
    const current = await readSubjects({ service: scene.service, subjects, known, concurrency: 4 });
    const verify = (resource: PlannedResource, names: NameOf = nameOf) =>
      verifyResource(resource, { plan: opened, current, lock: scene.lock, nameOf: names });
    return { resources: opened.resources, verify, manager };
  }

  it("are those of its steps, for every kind of step", async () => {
    const { resources, verify } = await planned();
    const listed = resources.flatMap(({ changes }) => changes);
    expect(new Set(listed.map(({ path }) => /^[a-zA-Z]+/.exec(path)![0]))).toEqual(
      new Set([
        "layout",
        "access",
        "assignments",
        "defaultFor",
        "types",
        "isPublic",
        "config",
        "form",
        "metadata",
        "supportedModes",
      ]),
    );
    for (const resource of resources) expect(verify(resource)).toEqual(resource);
  });

  it("are refused where one is false, missing or added", async () => {
    const { resources, verify } = await planned();
    for (const resource of resources) {
      const { changes } = resource;
      const [first] = changes;
      const falseLists = changes.flatMap((change, index) => [
        changes.with(index, { ...change, path: `${change.path}.other` }),
        changes.with(index, { ...change, kind: change.kind === "removed" ? "added" : "removed" }),
        changes.with(index, { ...change, before: "something else" }),
        changes.with(index, { ...change, after: "something else" }),
        changes.toSpliced(index, 1),
      ]);
      for (const list of [...falseLists, [...changes, { ...first!, path: "config.hidden" }]]) {
        expect(() => verify({ ...resource, changes: list })).toThrow(/lists other changes than its steps make/);
      }
    }
  });

  it("are refused under the name of another role, and shown by ids where no name is known", async () => {
    const { resources, verify, manager } = await planned();
    const planForProfile = resources.find(({ address }) => address.endsWith("/Profile"))!;
    const named = (name: string) =>
      planForProfile.changes.map((change) => ({
        ...change,
        path: change.path.replace(`["Name of ${manager}"]`, name),
      }));
    expect(() => verify({ ...planForProfile, changes: named(".Intern") })).toThrow(/lists other changes/);
    expect(verify({ ...planForProfile, changes: named(`.${manager}`) }).changes).toEqual(planForProfile.changes);
    const paths = verify({ ...planForProfile, changes: named(".Intern") }, () => undefined).changes.map(
      ({ path }) => path,
    );
    expect(paths).toContain(`access.roles.${manager}`);
    expect(paths.join()).not.toContain("Intern");
  });
});

describe.each([engineOnSqlite, httpOverSocket])("a plan for $name", (provider) => {
  const stale = async (scene: PlanScene, { plan }: SealedPlan) =>
    staleResources(plan, { service: scene.service, known: new Map(), concurrency: 4 });

  it("is up to date while the current state does not change", async () => {
    const scene = await openScene(provider);
    await scene.make([profile, card]);
    await scene.service.createForm({ ...CANDIDATE, body: { name: "Surplus", types: ["VIEW"] } });
    const file = openPlan(sealPlan(await sealed(scene, [profile, card, form("New")], true)));
    expect(await stale(scene, file)).toEqual([]);
    await scene.service.createForm({ ...CANDIDATE, body: { name: "Another", types: ["VIEW"] } });
    expect(await stale(scene, file)).toEqual([]);
  });

  it("is stale after a form, its access, its draft, a default or a layout changes", async () => {
    const scene = await openScene(provider);
    const other = form("Other", { content: content("phone") });
    await scene.make([profile, card, other]);
    // This plan changes the content of Profile. A plan without this change would not depend on the drafts of Profile.
    const wanted = [{ ...profile, content: content("email", "notes") }, card, other, form("New")];
    const { id: formId, viewLayoutId: layoutId } = await scene.form("Profile");
    const otherId = (await scene.form("Other")).id;
    const path = { ...CANDIDATE, formId };
    const cardId = scene.lock.get("CONTRACTOR/Card")!.layoutId!;
    const { recruiter } = scene.roles;
    const changes: [() => Promise<unknown>, string[]][] = [
      [() => scene.service.updateForm({ ...path, body: { config: { title: "x" } } }), [profile.address]],
      [
        () =>
          scene.service.replaceFormAccess({
            ...path,
            body: { users: [], roles: [{ roleId: recruiter, types: ["VIEW"] }] },
          }),
        [profile.address],
      ],
      [
        () =>
          scene.service.saveDraft({ layoutId, body: { ...content("phone"), schemaVersion: 1, clientMutationId: "d" } }),
        [profile.address],
      ],
      [
        () => scene.service.updateFormDefaults({ ...CANDIDATE, body: { defaultViewFormId: otherId } }),
        [profile.address, other.address],
      ],
      [() => scene.service.updateLayout({ layoutId: cardId, body: { metadata: { a: 1 } } }), [card.address]],
      [
        () => scene.service.createForm({ ...CANDIDATE, body: { name: "New", types: ["VIEW"] } }),
        ["staffing/candidate/New"],
      ],
      [() => scene.service.deleteForm({ ...CANDIDATE, formId: otherId }), [other.address]],
    ];
    for (const [change, addresses] of changes.slice(0, -1)) {
      const file = await sealed(scene, wanted);
      await change();
      expect(await stale(scene, file)).toEqual(addresses);
    }
    const file = await sealed(scene, wanted);
    await scene.service.updateFormDefaults({ ...CANDIDATE, body: { defaultViewFormId: null } });
    const [remove, addresses] = changes.at(-1)!;
    await remove();
    expect(await stale(scene, file)).toEqual([profile.address, ...addresses]);
  });
});
