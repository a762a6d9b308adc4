/** A saved plan is complete and private. It is refused if the file was changed, or if the current state has changed. */

import { once } from "node:events";
import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { digestOf } from "../../src/contents/compare.ts";
import { openManifest, openPlan, type PlanFile, sealManifest, sealPlan } from "../../src/plan/plan-file.ts";
import { remainingSteps, shownResource } from "../../src/plan/shown-steps.ts";
import type { Plan } from "../../src/plan/planned.ts";
import type { Wanted } from "../../src/manifests/manifest.ts";
import { httpOverSocket } from "../contract/http-providers.ts";
import { engineOnSqlite } from "../contract/engine-provider.ts";
import { reasonOnWindows } from "../skip.ts";
import { temporaryFolders } from "../temporary.ts";
import { CANDIDATE, content, form, layout, openScene, type PlanScene } from "./plan-scene.ts";
import { writePlanFile } from "../../src/plan/seal.ts";

const newFolder = temporaryFolders();
const card = layout("Card", { content: content(), assignments: { organizationDefault: true, roles: [] } });
const profile = form("Profile", { content: content("email"), defaultFor: ["VIEW"], access: { users: [], roles: [] } });

async function sealed(scene: PlanScene, wanted: readonly Wanted[]): Promise<PlanFile> {
  const { resources } = await scene.plan(wanted);
  return {
    target: "local:northwind@/store.db",
    origin: null,
    files: { "forms.yaml": "ab" },
    manifests: wanted.map(sealManifest),
    lock: {},
    deleted: [],
    renames: {},
    publish: true,
    shown: Object.fromEntries(resources.map((resource) => [resource.address, shownResource(resource)])),
  };
}

describe("a sealed plan", () => {
  it("is made again like the plan that was sealed", async () => {
    const scene = await openScene();
    const before = await sealed(scene, [profile, card]);
    const after = openPlan(sealPlan(before));
    expect(after).toEqual(JSON.parse(JSON.stringify(before)));
    const wanted = after.manifests.map(openManifest);
    const again = await scene.plan(wanted);
    expect(again).toEqual(await scene.plan([profile, card]));
    expect(remainingSteps(again, new Map(Object.entries(after.shown)), undefined)).toEqual({ plan: again, stale: [] });
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
      (text) => text.replace('"version": 2', '"version": 1'),
      /has version 1, and only version 2 is supported/,
    ],
    ["is incomplete", (text) => text.slice(0, -20), /is not JSON/],
    ["is something else", () => '{"kind":"Form"}', /contains no such plan/],
    ["is a list", () => "[]", /contains no such plan/],
  ])("is refused when it %s", async (_, change, reason) => {
    const text = sealPlan(await sealed(await openScene(), [profile]));
    expect(() => openPlan(change(text))).toThrow(reason);
    expect(() => openPlan(change(text))).toThrow(expect.objectContaining({ code: "PLAN_UNUSABLE" }));
  });

  it.each([
    ["has an unknown kind", { kind: "Page" }],
    ["has an unknown mode", { types: ["READ"] }],
    ["has no content", { content: {} }],
  ])("is refused when it is forged with a valid hash and %s", async (_, members) => {
    const { manifests, ...rest } = await sealed(await openScene(), [profile]);
    const forged = { version: 2, ...rest, manifests: [{ ...manifests[0], ...members }] };
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
    await expect(writePlanFile(join(elsewhere, "plan.json"), "")).rejects.toMatchObject({ code: "FILE_UNWRITABLE" });
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

describe.each([engineOnSqlite, httpOverSocket])("a plan for $name", (provider) => {
  const stale = async (scene: PlanScene, wanted: readonly Wanted[], { shown, deleted }: PlanFile) => {
    const prune = new Set(deleted.map(({ formId }) => formId));
    const now: Plan = await scene.plan(wanted, { prune });
    return remainingSteps(now, new Map(Object.entries(shown)), undefined).stale;
  };

  it("is up to date while the current state does not change, and deletes no form that was created since", async () => {
    const scene = await openScene(provider);
    await scene.make([profile, card]);
    const surplus = await scene.service.createForm({ ...CANDIDATE, body: { name: "Surplus", types: ["VIEW"] } });
    const wanted = [profile, card, form("New")];
    const { resources } = await scene.plan(wanted, { prune: true });
    const shown = Object.fromEntries(resources.map((resource) => [resource.address, shownResource(resource)]));
    const file = { ...(await sealed(scene, wanted)), deleted: [{ object: CANDIDATE, formId: surplus.id }], shown };
    expect(await stale(scene, wanted, file)).toEqual([]);
    await scene.service.createForm({ ...CANDIDATE, body: { name: "Another", types: ["VIEW"] } });
    expect(await stale(scene, wanted, file)).toEqual([]);
  });

  it("is stale after a form, its access, its draft, a default or a layout changes", async () => {
    const scene = await openScene(provider);
    const other = form("Other", { content: content("phone") });
    await scene.make([profile, card, other]);
    // This plan changes each resource. A plan that does not change the content does not depend on drafts.
    const wanted = [
      { ...profile, content: content("email", "notes") },
      { ...card, content: content(), metadata: { plan: "new" } },
      { ...other, isPublic: true },
      form("New"),
    ];
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
      expect(await stale(scene, wanted, file)).toEqual(addresses);
    }
    const file = await sealed(scene, wanted);
    await scene.service.updateFormDefaults({ ...CANDIDATE, body: { defaultViewFormId: null } });
    const [remove, addresses] = changes.at(-1)!;
    await remove();
    expect(await stale(scene, wanted, file)).toEqual([profile.address, ...addresses]);
  });
});
