/** `down` restores the former contents and members after any transform. The test compares digests. */

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { contentOf } from "../../src/lists/versions.ts";
import { contentDigest, digestOf } from "../../src/contents/compare.ts";
import type { DraftHandling } from "../../src/migrations/definition.ts";
import type { Replaced } from "../../src/migrations/record.ts";
import type { LayoutAnswer } from "../../src/schemas/answers.ts";
import { countOf } from "../effort.ts";
import { CANDIDATE, content, html, openScene, relabel } from "./transform-scene.ts";
import { anyCase, type RandomCase } from "./random-transform.ts";

type Scene = Awaited<ReturnType<typeof openScene>>;

/** The digests of everything that a transform can change, by the id of the form or layout. */
async function digests(
  { direct }: Scene,
  ids: { forms: string[]; layouts: string[] },
): Promise<Record<string, string>> {
  const { data } = await direct.listForms({ ...CANDIDATE, query: { limit: 100 } });
  const states: Record<string, string> = {};
  const digestLayout = async (layoutId: string) => {
    const versions = await direct.listVersions({ layoutId });
    const published = versions.find(({ status }) => status === "PUBLISHED");
    const digest = published && contentDigest(contentOf(published));
    const shown = versions.filter(
      (version) =>
        version === published || // A draft that equals the published version holds nothing that could be lost.
        (version.status === "DRAFT" && contentDigest(contentOf(version)) !== digest),
    );
    // The digest of a content leaves out the ids of blocks, so these ids are compared separately.
    return shown.map((version) => [
      version.status,
      contentDigest(contentOf(version)),
      JSON.stringify(version.blocks).match(/"id":"[^"]+"/g),
    ]);
  };
  for (const form of data.filter(({ id }) => ids.forms.includes(id))) {
    const { name, types, config, isActive, isPublic, isDefaultView, viewLayoutId } = form;
    const access = await direct.getFormAccess({ ...CANDIDATE, formId: form.id });
    states[form.id] = digestOf([
      [name, types.toSorted(), config, isActive, isPublic, isDefaultView],
      access.roles.map(({ roleId, types: modes }) => [roleId, modes]),
      await digestLayout(viewLayoutId),
    ]);
  }
  for (const id of ids.layouts) states[id] = digestOf(await digestLayout(id));
  return states;
}

/** Changes the recorded former state before `down` restores it. */
type Damage = (replaced: Replaced[], scene: Scene) => Replaced[] | Promise<Replaced[]>;

type Outcome = { changed: number; violations: number; left: number };

/** Runs a transform and reverses it, on new forms and layouts. Published forms have an earlier version, too. */
async function runAndBack(
  scene: Scene,
  { forms, layouts, transform }: RandomCase,
  round: string,
  damage: Damage = (replaced) => replaced,
): Promise<Outcome> {
  const ids = { forms: [] as string[], layouts: [] as string[] };
  for (const [index, { published, draft }] of forms.entries()) {
    const earlier = published && content({ notes: "Earlier" });
    const { formId, layoutId } = await scene.form(`Form ${index} of ${round}`, earlier, undefined, ["VIEW"]);
    if (published) await scene.publish(layoutId, published);
    if (draft) await scene.save(layoutId, draft);
    ids.forms.push(formId);
  }
  for (const label of layouts) ids.layouts.push(await scene.layout(`Card ${round}`, html(label)));
  const before = await digests(scene, ids);
  const { replaced, left, result } = await scene.run(transform(round));
  expect(result.resources.flatMap(({ steps }) => steps.filter(({ error }) => error))).toEqual([]);
  const between = await digests(scene, ids);
  const changed = Object.keys(before).filter((id) => before[id] !== between[id]);
  const stayed = await scene.back(await damage(replaced, scene));
  const after = await digests(scene, ids);
  for (const formId of ids.forms) await scene.direct.deleteForm({ ...CANDIDATE, formId });
  for (const layoutId of ids.layouts) await scene.direct.archiveLayout({ layoutId });
  return {
    changed: changed.length,
    violations: Object.keys(before).filter((id) => before[id] !== after[id]).length + stayed.length,
    left: left.length,
  };
}

type RunOptions = { damage?: Damage; cases?: typeof anyCase };

async function runAll(count: number, seed: number, { damage, cases = anyCase }: RunOptions = {}): Promise<Outcome> {
  let scene = await openScene();
  const total = { changed: 0, violations: 0, left: 0 };
  for (const [index, each] of fc.sample(cases, { numRuns: count, seed }).entries()) {
    // Each transform may create fields, and plans read all fields of the store.
    if (index % 25 === 24) scene = await openScene();
    const outcome = await runAndBack(scene, each, `${seed}_${index}`, damage);
    total.changed += outcome.changed;
    total.violations += outcome.violations;
    total.left += outcome.left;
  }
  return total;
}

const COUNT = countOf("reversed transforms");

it("gives all former contents and members back for random transforms", async () => {
  const { changed, left, violations } = await runAll(COUNT, 20_261_122);
  expect(violations).toBe(0);
  expect(changed).toBeGreaterThan(0.8 * COUNT);
  expect(left).toBeGreaterThan(0);
});

/** Gives each form a draft with the content of another form. */
const withDrafts = (drafts: DraftHandling): typeof anyCase =>
  anyCase.map(({ forms, transform, ...others }) => {
    const contents = forms.map(({ published, draft }) => published ?? draft);
    return {
      ...others,
      forms: contents.map((published, index) => ({ published, draft: contents[(index + 1) % contents.length] })),
      transform: (round) => ({ ...transform(round), drafts }),
    };
  });

it("gives all former drafts back that random transforms save again", async () => {
  const count = Math.ceil(COUNT / 2);
  const { changed, left, violations } = await runAll(count, 20_261_129, { cases: withDrafts("rebase") });
  expect(violations).toBe(0);
  expect(changed).toBeGreaterThan(0.8 * count);
  expect(left).toBe(0);
});

/** Returns records that wrongly name the first version of each layout as the published version. */
async function withFirstVersions(replaced: Replaced[], { direct }: Scene): Promise<Replaced[]> {
  const wrong = replaced.map(async (each) => {
    const { layoutId, draft, sha256 } = each;
    if (draft !== undefined || sha256 === undefined) return each;
    const first = (await direct.listVersions({ layoutId })).find(({ version }) => version === 1)!;
    return { ...each, publishedVersionId: first.id, sha256: contentDigest(contentOf(first)) };
  });
  return Promise.all(wrong);
}

const controls: [string, Damage][] = [
  ["leaves out a resource", (replaced) => replaced.slice(1)],
  ["leaves out members of forms", (replaced) => replaced.map(({ members: _omitted, ...rest }) => rest)],
  [
    "brings back another draft",
    (replaced) =>
      replaced.map((each) => (each.draft ? { ...each, draft: content({ notes: "Wrong" }) as never } : each)),
  ],
  ["brings back an earlier version", withFirstVersions],
];

it("finds a reversal that leaves out the drafts", async () => {
  const damage: Damage = (all) => all.map(({ rebased: _rebased, formerDraft: _former, ...rest }) => rest);
  expect((await runAll(10, 7, { damage, cases: withDrafts("rebase") })).violations).toBeGreaterThan(0);
});

it.each(controls)("finds a reversal that %s", async (_name, damage) => {
  expect((await runAll(20, 7, { damage })).violations).toBeGreaterThan(0);
});

it("leaves out what another user changed since, by name, unless the user overwrites it", async () => {
  const scene = await openScene();
  const one = await scene.form("One", content({ phone: "Phone" }));
  const two = await scene.form("Two", content({ phone: "Phone" }));
  const draft = await scene.form("Draft", undefined, content({ phone: "Phone" }));
  const { replaced } = await scene.run({
    layout: relabel("New"),
    form: (form) => ({ ...form, config: { description: "New" } }),
  });
  await scene.publish(one.layoutId, content({ phone: "By hand" }));
  await scene.publish(draft.layoutId, content({ phone: "New" }));
  await scene.direct.updateForm({ ...CANDIDATE, formId: two.formId, body: { config: { description: "By hand" } } });

  const left = await scene.back(replaced);
  expect(left.map(({ address, reason }) => [address, reason])).toEqual([
    ["staffing/candidate/Draft", "its draft was published since the migration"],
    ["staffing/candidate/One", "its layout changed since the migration"],
    ["staffing/candidate/Two", "config changed since the migration"],
  ]);
  expect(await scene.labels(one.layoutId)).toEqual({ published: ["By hand"], draft: undefined });
  expect(await scene.labels(two.layoutId)).toEqual({ published: ["New"], draft: undefined });

  expect(await scene.back(replaced, { overwrite: true })).toEqual([]);
  expect(await scene.labels(one.layoutId)).toEqual({ published: ["Phone"], draft: undefined });
  expect(await scene.labels(two.layoutId)).toEqual({ published: ["Phone"], draft: undefined });
  expect(await scene.labels(draft.layoutId)).toEqual({ published: ["New"], draft: ["Phone"] });
});

it("does not lose a draft that a user saved since", async () => {
  const scene = await openScene();
  const { layoutId } = await scene.form("One", content({ phone: "Phone" }));
  const { replaced } = await scene.run({ layout: relabel("New") });
  await scene.save(layoutId, content({ phone: "In progress" }));
  expect(await scene.back(replaced)).toMatchObject([{ hint: expect.stringContaining("--allow-replace") as string }]);
  expect(await scene.labels(layoutId)).toEqual({ published: ["New"], draft: ["In progress"] });
  expect(await scene.back(replaced, { allowReplace: true })).toEqual([]);
  expect(await scene.labels(layoutId)).toEqual({ published: ["Phone"], draft: undefined });
});

it("lists before what can't come back, and leaves out what no longer exists", async () => {
  const scene = await openScene();
  const one = await scene.form("One", content({ phone: "Phone", email: "E-mail" }));
  const two = await scene.form("Two", content({ phone: "Phone" }));
  const { replaced } = await scene.run({
    match: { forms: ["One", "Two"] },
    layout: (layout, { name }) => {
      const deletion = { draftId: "d_1", action: "delete" as const, key: "email" };
      const blocks = layout.blocks.filter(({ ref }) => ref?.fieldKey !== "email");
      return name === "One"
        ? { ...layout, blocks, stagedFieldDefinitions: [deletion] }
        : relabel("New")(layout, {} as never);
    },
    form: (form) => (form.name === "Two" ? { ...form, isPublic: false } : form),
    confirmFieldChanges: ["d_1"],
  });
  expect(replaced[0]!.lost).toEqual(["the field email, which the migration deleted, and its values"]);
  await scene.direct.deleteForm({ ...CANDIDATE, formId: two.formId });
  const project = scene.down(replaced);
  expect((await project.plan()).hasChanges).toBe(false);
  expect(project.left()).toMatchObject([
    { address: "staffing/candidate/One", reason: expect.stringContaining("no longer valid") as string },
    { address: "staffing/candidate/Two", reason: "it no longer exists" },
  ]);
  expect(await scene.labels(one.layoutId)).toEqual({ published: ["Phone"], draft: undefined });
});

it.each([false, true])("brings back layouts of no form but archived ones (listed: %s)", async (isListed) => {
  const archived: LayoutAnswer[] = [];
  const scene = await openScene(({ listLayouts }) => ({
    listLayouts: async (input) => [...(await listLayouts(input)), ...archived],
  }));
  const card = await scene.layout("Card", html("Old"));
  const page = await scene.layout("Page", html("Old"));
  const { left, replaced } = await scene.run({ match: { blockType: "custom_html" }, layout: relabel("New") });
  expect(left).toEqual([]);
  expect(await scene.labels(card)).toEqual({ published: ["New"], draft: undefined });
  const listed = await scene.direct.getLayout({ layoutId: page });
  await scene.direct.archiveLayout({ layoutId: page });
  if (isListed) archived.push({ ...listed, status: "ARCHIVED" });
  expect(await scene.back(replaced)).toMatchObject([{ address: "CONTRACTOR/Page", reason: "it no longer exists" }]);
  expect(await scene.labels(card)).toEqual({ published: ["Old"], draft: undefined });
});
