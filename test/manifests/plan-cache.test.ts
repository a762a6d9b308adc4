/** What earlier plans have found in place saves requests, and never an answer. */

import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readCurrent } from "../../src/manifests/current/current.ts";
import type { Wanted } from "../../src/manifests/manifest.ts";
import { planChanges } from "../../src/manifests/plan/plan.ts";
import type { Plan } from "../../src/manifests/plan/planned.ts";
import { openPlanCache } from "../../src/manifests/plan/cache.ts";
import type { FullService } from "../../src/service.ts";
import { temporaryFolders } from "../temporary.ts";
import { CANDIDATE, content, form, openScene, type PlanScene } from "./plan-scene.ts";

const newFolder = temporaryFolders();
const PLACE = "https://forms.example.com";

/** Plans as a command does. @returns the plan, and how often each operation was asked for */
async function planIn(folder: string, scene: PlanScene, wanted: readonly Wanted[]) {
  const calls: Record<string, number> = {};
  const service = Object.fromEntries(
    Object.entries(scene.service).map(([name, operation]) => [
      name,
      (input: never) => {
        calls[name] = (calls[name] ?? 0) + 1;
        return (operation as (input: never) => unknown)(input);
      },
    ]),
  ) as unknown as FullService;
  const cache = await openPlanCache(folder, PLACE);
  const inPlace = await cache.inPlace(wanted);
  const current = await readCurrent({ service, wanted, known: new Map(), concurrency: 4, inPlace });
  await cache.keep(wanted, current);
  const options = { prune: false, targets: [], publish: true, stamp: {}, lock: scene.lock };
  return { plan: planChanges({ wanted, current, ...options }), calls };
}

function actions({ resources }: Plan): string[] {
  return resources.map(({ action }) => action);
}

const access = (scene: PlanScene) => ({
  users: [],
  roles: [{ roleId: scene.roles.recruiter, types: ["VIEW" as const] }],
});

describe("a second plan", () => {
  it("asks for the pages and once for each form, and comes to the same", async () => {
    const scene = await openScene();
    const wanted = Array.from({ length: 12 }, (_, index) =>
      form(`Form ${index}`, { content: content("email"), access: access(scene) }),
    );
    await scene.make(wanted);
    const folder = newFolder();
    const first = await planIn(folder, scene, wanted);
    expect(first.calls).toEqual({ listForms: 1, listVersions: 12, getFormAccess: 12 });
    const second = await planIn(folder, scene, wanted);
    expect(second.calls).toEqual({ listForms: 1, getFormAccess: 12 });
    expect(second.plan).toEqual(first.plan);
    expect(new Set(actions(second.plan))).toEqual(new Set(["none"]));
  });

  it("reads again what the manifest says otherwise, what was published there, and what got modes", async () => {
    const scene = await openScene();
    const wanted = ["A", "B", "C", "D"].map((name) => form(name, { types: ["VIEW"], content: content("email") }));
    await scene.make(wanted);
    const folder = newFolder();
    await planIn(folder, scene, wanted);

    const { viewLayoutId: layoutId } = await scene.form("B");
    const body = { ...content("phone"), schemaVersion: 1 as const, clientMutationId: "theirs" };
    const { draftVersionId } = await scene.service.saveDraft({ layoutId, body });
    await scene.service.publishLayout({ layoutId, body: { clientMutationId: "theirs", draftVersionId } });
    const { id: formId } = await scene.form("C");
    await scene.service.updateForm({ ...CANDIDATE, formId, body: { types: ["VIEW", "EDIT"] } });
    const changed = [
      form("A", { types: ["VIEW"], content: content("email", "phone") }),
      wanted[1]!,
      form("C", { types: ["VIEW", "EDIT"], content: content("email") }),
      wanted[3]!,
    ];
    const { plan, calls } = await planIn(folder, scene, changed);
    expect(calls["listVersions"]).toBe(3);
    expect(actions(plan)).toEqual(["update", "update", "update", "none"]);
  });

  it("tells of a draft beside what is in place as often as the first", async () => {
    const scene = await openScene();
    const wanted = ["A", "B"].map((name) => form(name, { types: ["VIEW"], content: content("email") }));
    await scene.make(wanted);
    const folder = newFolder();
    const { viewLayoutId: layoutId } = await scene.form("B");
    await scene.service.saveDraft({ layoutId, body: { ...content("phone"), schemaVersion: 1, clientMutationId: "b" } });
    const first = await planIn(folder, scene, wanted);
    expect(first.plan.resources.map(({ notes }) => notes)).toEqual([[], [expect.stringContaining("is left alone")]]);
    const second = await planIn(folder, scene, wanted);
    expect(second.plan).toEqual(first.plan);
    expect(second.calls["listVersions"]).toBe(1);
  });

  it("judges anew what stages field changes, by the lock and fields of its day", async () => {
    const scene = await openScene();
    const rename = { draftId: "d", action: "update", key: "home_city", name: "City" } as const;
    const wanted = [form("A", { types: ["VIEW"], content: { ...content("email"), stagedFieldDefinitions: [rename] } })];
    await scene.make([form("A", { types: ["VIEW"], content: content("email") })], { stamp: undefined });
    const folder = newFolder();
    const locked = scene.lock.get(wanted[0]!.address)!;
    scene.lock.set(wanted[0]!.address, null);
    expect(actions((await planIn(folder, scene, wanted)).plan)).toEqual(["none"]);
    scene.lock.set(wanted[0]!.address, locked);
    expect(actions((await planIn(folder, scene, wanted)).plan)).toEqual(["update"]);
  });

  it("does not take one place for another, nor a broken or foreign file for its own", async () => {
    const scene = await openScene();
    const wanted = [form("A", { types: ["VIEW"], content: content("email") })];
    await scene.make(wanted);
    const folder = newFolder();
    await planIn(folder, scene, wanted);
    expect((await (await openPlanCache(folder, "elsewhere")).inPlace(wanted)).size).toBe(0);
    expect((await (await openPlanCache(folder, PLACE)).inPlace(wanted)).size).toBe(1);

    const [name] = readdirSync(folder).filter((each) => each.endsWith(".json"));
    const path = join(folder, name!);
    const text = readFileSync(path, "utf8");
    for (const broken of [text.slice(0, -5), "[]", text.replace(PLACE, "x"), text.replace(/"key":"\w+"/, '"key":1')]) {
      writeFileSync(path, broken);
      expect((await (await openPlanCache(folder, PLACE)).inPlace(wanted)).size).toBe(0);
    }
    expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("*\n");
  });

  it("follows no link out of the project, and goes without where nothing can be written", async () => {
    const scene = await openScene();
    const wanted = [form("A", { types: ["VIEW"], content: content("email") })];
    await scene.make(wanted);
    const [elsewhere, home] = [newFolder(), newFolder()];
    symlinkSync(elsewhere, join(home, "cache"));
    expect(actions((await planIn(join(home, "cache"), scene, wanted)).plan)).toEqual(["none"]);
    expect(readdirSync(elsewhere)).toEqual([]);
    writeFileSync(join(home, "file"), "");
    expect(actions((await planIn(join(home, "file"), scene, wanted)).plan)).toEqual(["none"]);
    expect(existsSync(join(home, "file", "x"))).toBe(false);
  });
});
