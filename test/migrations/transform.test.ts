/** Transforms on the real engine: what they plan, what they leave out, and what they refuse. */

import { expect, it } from "vitest";
import type { Transform } from "../../src/migrations/definition.ts";
import { CANDIDATE, content, html, openScene, relabel } from "./transform-scene.ts";

it("changes published layouts and unpublished drafts as they are, and nothing else", async () => {
  const scene = await openScene();
  const published = await scene.form("Published", content({ full_name: "Name", phone: "Phone" }));
  const draft = await scene.form("Draft", undefined, content({ phone: "Phone" }));
  const other = await scene.form("Other", content({ full_name: "Name" }));
  const card = await scene.layout("Card", html("Text"));
  const rename: Transform = { match: { showsField: "phone" }, layout: relabel("New") };

  const { result, left, replaced, project } = await scene.run(rename);
  expect([result.outcome, left]).toEqual(["applied", []]);
  expect(await scene.labels(published.layoutId)).toEqual({ published: ["New", "New"], draft: undefined });
  expect(await scene.labels(draft.layoutId)).toEqual({ published: undefined, draft: ["New"] });
  expect(await scene.labels(other.layoutId)).toEqual({ published: ["Name"], draft: undefined });
  expect(await scene.labels(card)).toEqual({ published: ["Text"], draft: undefined });
  expect(replaced.map(({ address }) => address)).toEqual(["staffing/candidate/Draft", "staffing/candidate/Published"]);
  expect((await project.plan()).hasChanges).toBe(false);

  expect(await scene.back(replaced)).toEqual([]);
  expect(await scene.labels(published.layoutId)).toEqual({ published: ["Name", "Phone"], draft: undefined });
  expect(await scene.labels(draft.layoutId)).toEqual({ published: undefined, draft: ["Phone"] });
  expect((await scene.down(replaced).plan()).hasChanges).toBe(false);
});

it("requests nothing twice to plan", async () => {
  const scene = await openScene();
  for (const name of ["One", "Two", "Three"]) await scene.form(name, content({ phone: "Phone" }));
  const project = scene.project({ match: { objects: ["staffing/candidate"] }, layout: relabel("New") });
  scene.requests.length = 0;
  const { plan } = await project.plan();
  await project.replaced(plan);
  expect(scene.requests.toSorted()).toEqual(["listForms", "listVersions", "listVersions", "listVersions"]);
});

it("seals a plan that another process applies", async () => {
  const scene = await openScene();
  const { layoutId } = await scene.form("Draft", undefined, content({ phone: "Phone" }));
  const text = (await scene.project({ layout: relabel("New") }).plan()).save();
  const later = scene.project({ layout: relabel("New") });
  const { plan } = JSON.parse(text) as { plan: Parameters<typeof later.replaced>[0] };
  const replaced = await later.replaced(plan);
  expect(await later.apply({ plan: text })).toMatchObject({ outcome: "applied" });
  expect(await scene.labels(layoutId)).toEqual({ published: undefined, draft: ["New"] });
  await scene.back(replaced);
  expect(await scene.labels(layoutId)).toEqual({ published: undefined, draft: ["Phone"] });
});

it("leaves out a layout whose draft would be lost, and overwrites the draft if the user permits it", async () => {
  const scene = await openScene();
  const { layoutId } = await scene.form("Both", content({ phone: "Phone" }), content({ phone: "In progress" }));
  const same = await scene.form("Same", content({ phone: "Phone" }), content({ phone: "Phone" }));
  const run = { layout: relabel("New") };
  const first = await scene.run(run);
  expect(first.left).toMatchObject([{ address: "staffing/candidate/Both", isMeant: true }]);
  expect(first.left[0]!.hint).toContain("--allow-replace");
  expect(await scene.labels(layoutId)).toEqual({ published: ["Phone"], draft: ["In progress"] });
  expect(await scene.labels(same.layoutId)).toEqual({ published: ["New"], draft: undefined });

  const second = await scene.run(run, { allowReplace: true });
  expect([second.left, second.result.outcome]).toEqual([[], "applied"]);
  expect(await scene.labels(layoutId)).toEqual({ published: ["New"], draft: undefined });
  expect(second.replaced[0]!.lost).toEqual([expect.stringContaining("the unpublished draft")]);
});

it("changes the draft of a layout whose published version stays as it is", async () => {
  const scene = await openScene();
  const { layoutId } = await scene.form("Both", content({ phone: "New" }), content({ phone: "In progress" }));
  const { left, replaced } = await scene.run({ layout: relabel("New") });
  expect(left).toEqual([]);
  expect(await scene.labels(layoutId)).toEqual({ published: ["New"], draft: ["New"] });
  await scene.back(replaced);
  expect(await scene.labels(layoutId)).toEqual({ published: ["New"], draft: ["In progress"] });
});

it("changes the members of forms, with access and defaults, and brings them back", async () => {
  const scene = await openScene();
  const one = await scene.form("One", content({ phone: "Phone" }));
  const two = await scene.form("Two", content({ phone: "Phone" }));
  const [role] = (await scene.world.local.show("northwind")).organizations[0]!.roles;
  await scene.direct.replaceFormAccess({
    ...CANDIDATE,
    formId: one.formId,
    body: { users: [], roles: [{ roleId: role!.id, types: ["VIEW", "EDIT"] }] },
  });
  await scene.direct.updateFormDefaults({ ...CANDIDATE, body: { defaultViewFormId: two.formId } });
  const before = await scene.direct.listForms({ ...CANDIDATE, query: {} });
  const access = () => scene.direct.getFormAccess({ ...CANDIDATE, formId: one.formId });
  const accessBefore = await access();

  const transform: Transform = {
    match: { forms: ["One"] },
    form: (form) => ({
      ...form,
      name: "One renamed",
      types: ["VIEW"],
      defaultFor: ["VIEW"],
      config: { description: "x" },
    }),
  };
  const { result, left, replaced } = await scene.run(transform);
  expect([result.outcome, left]).toEqual(["applied", []]);
  const changed = (await scene.direct.listForms({ ...CANDIDATE, query: {} })).data.find(({ id }) => id === one.formId);
  expect(changed).toMatchObject({ name: "One renamed", types: ["VIEW"], isDefaultView: true });
  expect((await access()).roles).toMatchObject([{ types: ["VIEW"] }]);

  expect(await scene.back(replaced)).toEqual([]);
  const withoutTimes = ({ data }: typeof before) => data.map((form) => ({ ...form, updatedAt: undefined }));
  expect(withoutTimes(await scene.direct.listForms({ ...CANDIDATE, query: {} }))).toEqual(withoutTimes(before));
  expect(await access()).toEqual(accessBefore);
});
