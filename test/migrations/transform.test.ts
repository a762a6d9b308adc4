/** Transforms on the real engine: what they plan, what they leave out, and what they refuse. */

import { describe, expect, it } from "vitest";
import { LocatedError } from "../../src/documents/located-error.ts";
import type { Transform } from "../../src/migrations/definition.ts";
import { ServiceError } from "../../src/service.ts";
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

it("requests the versions of layouts while the forms are still listed", async () => {
  const versions = Promise.withResolvers<void>();
  const scene = await openScene(({ listForms, listVersions }) => ({
    listForms: async (input) => {
      await versions.promise;
      return listForms(input);
    },
    listVersions: (input) => {
      versions.resolve();
      return listVersions(input);
    },
  }));
  for (const name of ["One", "Two"]) await scene.form(name, content({ phone: "Phone" }));
  scene.requests.length = 0;
  const { summary } = await scene.project({ layout: relabel("New") }).plan();
  expect(summary).toMatchObject({ update: 2 });
  expect(scene.requests.toSorted()).toEqual(["listForms", "listLayouts", "listVersions", "listVersions"]);
});

it("requests no versions ahead for a match that names forms", async () => {
  const scene = await openScene();
  for (const name of ["One", "Two"]) await scene.form(name, content({ phone: "Phone" }));
  scene.requests.length = 0;
  await scene.project({ match: { forms: ["One"] }, layout: relabel("New") }).plan();
  expect(scene.requests.toSorted()).toEqual(["listForms", "listLayouts", "listVersions"]);
});

it("sends no more requests after an error", async () => {
  const refusal = new ServiceError(401, { code: "UNAUTHORIZED", message: "the token expired" });
  const scene = await openScene(() => ({ listVersions: () => Promise.reject(refusal) }));
  for (let index = 0; index < 20; index++) await scene.form(`Form ${index}`, undefined);
  scene.requests.length = 0;
  const match = { objects: ["staffing/candidate"] };
  await expect(scene.project({ match, layout: relabel("New") }, { concurrency: 2 }).plan()).rejects.toBe(refusal);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(scene.requests.filter((name) => name === "listVersions")).toHaveLength(2);
});

it("seals a plan that another process applies", async () => {
  const scene = await openScene();
  const { layoutId } = await scene.form("Draft", undefined, content({ phone: "Phone" }));
  const planned = await scene.project({ layout: relabel("New") }).plan();
  const text = planned.save();
  const later = scene.project({ layout: relabel("New") });
  const replaced = await later.replaced(planned.plan);
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
  const [role] = (await scene.local.show("northwind")).organizations[0]!.roles;
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

describe("a function of a migration", () => {
  const refused: [string, Transform, string][] = [
    [
      "throws",
      {
        layout: () => {
          throw thrown("no such label");
        },
      },
      "staffing/candidate/One: no such label",
    ],
    ["returns a promise", { layout: (async (layout: unknown) => layout) as never }, "layout returns a promise"],
    [
      "returns another value",
      { layout: () => "garbage" as never },
      'layout returns "garbage", and must return the content',
    ],
    [
      "returns nothing",
      { layout: () => undefined as never },
      "layout returns nothing. Return the content, or null to leave it as it is",
    ],
    [
      "returns a function",
      { layout: (layout) => ({ ...layout, metadata: { note: () => "" } }) },
      "layout returns an invalid value: metadata.note is a function",
    ],
    ["returns a list", { layout: (({ blocks }: { blocks: unknown }) => blocks) as never }, "layout returns a list"],
    [
      "returns a number that JSON can't represent",
      { layout: (layout) => ({ ...layout, metadata: { a: Number.NaN } }) },
      "metadata.a",
    ],
    [
      "returns a block that refers to the content",
      { layout: (layout) => Object.assign(layout, { blocks: [Object.assign(layout.blocks[0]!, { parent: layout })] }) },
      "layout returns a value that JSON can't represent: an object refers to itself, directly or through its members",
    ],
    ["returns another shape", { layout: ({ regions: _omitted, ...layout }) => layout as never }, "regions"],
    [
      "shows an unknown field",
      { layout: (layout) => ({ ...layout, blocks: content({ absent: "?" }).blocks }) },
      'unknown field "absent"',
    ],
    [
      "returns a form with an unknown member",
      { form: (form) => ({ ...form, colour: "red" }) },
      'unknown member "colour"',
    ],
    ["returns a form with an invalid member", { form: (form) => ({ ...form, types: ["READ"] as never }) }, "types"],
    ["returns a form without a member", { form: ({ name, types }) => ({ name, types }) }, "the returned form has no"],
    ["returns a default that can't be", { form: (form) => ({ ...form, defaultFor: ["CREATE"] }) }, "defaultFor"],
  ];

  it.each(refused)("that %s is refused at its line, and nothing is written", async (_name, transform, text) => {
    const scene = await openScene();
    const { layoutId } = await scene.form("One", content({ phone: "Phone" }));
    const error = (await scene.run(transform).catch((each: unknown) => each)) as LocatedError;
    expect(error).toBeInstanceOf(LocatedError);
    expect(error.message).toContain(text);
    expect(error.message).toContain("staffing/candidate/One");
    expect(error.location).toMatchObject({ file: "migrations/one.ts", line: transform.layout ? 3 : 9 });
    expect(await scene.labels(layoutId)).toEqual({ published: ["Phone"], draft: undefined });
  });
});

/** The error that a loaded migration throws. */
function thrown(message: string): LocatedError {
  const location = { file: "migrations/one.ts", line: 3, column: 3 };
  const problems = [{ severity: "error" as const, code: "MIGRATION_FAILED", message, ...location }];
  return new LocatedError("MIGRATION_FAILED", message, { location, problems });
}

describe("a layout that can't be changed", () => {
  const ABOUT_ONE_RESOURCE = [400, 403, 404, 405, 409, 410, 422, 500];

  it.each(ABOUT_ONE_RESOURCE)(
    "is left out if its versions can't be read (status %i), and stops nothing",
    async (status) => {
      let broken = "";
      const scene = await openScene(({ listVersions }) => ({
        listVersions: (input) =>
          input.layoutId === broken
            ? Promise.reject(new ServiceError(status, { code: "REFUSED", message: "broken" }))
            : listVersions(input),
      }));
      const one = await scene.form("One", content({ phone: "Phone" }));
      broken = (await scene.form("Broken", content({ phone: "Phone" }))).layoutId;
      const { left, result } = await scene.run({ match: { showsField: "phone" }, layout: relabel("New") });
      expect(left).toMatchObject([
        { address: "staffing/candidate/Broken", isMeant: true, reason: "it can't be read: broken" },
      ]);
      expect(result.outcome).toBe("applied");
      expect(await scene.labels(one.layoutId)).toEqual({ published: ["New"], draft: undefined });
      expect((await scene.run({ match: { forms: ["One"] }, layout: relabel("Newer") })).left).toEqual([]);
    },
  );

  it("stops the migration if the server refuses every request", async () => {
    const refusal = new ServiceError(401, { code: "UNAUTHORIZED", message: "the token expired" });
    const scene = await openScene(() => ({ listVersions: () => Promise.reject(refusal) }));
    await scene.form("One", content({ phone: "Phone" }));
    await expect(scene.run({ layout: relabel("New") })).rejects.toBe(refusal);
  });

  it("is left out if its published version was invalid before, and refused if the transform makes it invalid", async () => {
    const scene = await openScene();
    const { layoutId } = await scene.form("One", content({ phone: "Phone", email: "E-mail" }));
    const two = await scene.form("Two", content({ phone: "Phone" }));
    const drop = { draftId: "d_1", action: "delete" as const, key: "email" };
    const draftVersionId = await scene.save(two.layoutId, {
      ...content({ phone: "Phone" }),
      stagedFieldDefinitions: [drop],
    });
    const body = {
      clientMutationId: "drop",
      draftVersionId,
      confirmFieldChanges: [{ draftId: "d_1", confirmValueClear: true }],
    };
    await scene.direct.publishLayout({ layoutId: two.layoutId, body });
    const { left, result } = await scene.run({ layout: relabel("New") });
    expect(left).toMatchObject([{ address: "staffing/candidate/One", isMeant: true }]);
    expect(left[0]!.reason).toContain('unknown field "email"');
    expect(result.outcome).toBe("applied");
    expect(await scene.labels(layoutId)).toEqual({ published: ["Phone", "E-mail"], draft: undefined });
    expect(await scene.labels(two.layoutId)).toEqual({ published: ["New"], draft: undefined });
  });

  it("is left out if it has the name of another, and only if it matches", async () => {
    const scene = await openScene();
    await scene.layout("Card", html("One"));
    await scene.layout("Card", html("Two"));
    const field = await scene.run({ match: { showsField: "phone" }, layout: relabel("New") });
    expect(field.left).toEqual([]);
    const { left, result } = await scene.run({ match: { blockType: "custom_html" }, layout: relabel("New") });
    expect(left.map(({ address }) => address)).toEqual(["CONTRACTOR/Card"]);
    expect(result.outcome).toBe("unchanged");
  });
});

describe("a run that continues an interrupted one", () => {
  const refusal = new ServiceError(500, { code: "INTERNAL", message: "broken" });
  const append: Transform["layout"] = (layout) => ({
    ...layout,
    blocks: [...layout.blocks, ...html("Once").blocks.map((block) => ({ ...block, id: `n_${layout.blocks.length}` }))],
  });

  it("does not change again what the interrupted run has changed", async () => {
    const scene = await openScene();
    const one = await scene.form("One", content({ phone: "Phone" }));
    const two = await scene.form("Two", undefined, content({ phone: "Phone" }));
    const three = await scene.form("Three", content({ phone: "Phone" }));
    const transform: Transform = {
      layout: append,
      form: (form) => ({ ...form, config: { description: `${form.name}!` } }),
    };
    const first = scene.project(transform);
    const { plan } = await first.plan();
    const replaced = await first.replaced(plan);
    // The first run ends after two of the three forms.
    await first.apply({ targets: ["staffing/candidate/One", "staffing/candidate/Two"] });

    const { left, result } = await scene.run(transform, { recorded: replaced });
    expect([left, result.outcome]).toEqual([[], "applied"]);
    expect(await scene.labels(one.layoutId)).toEqual({ published: ["Phone", "Once"], draft: undefined });
    expect(await scene.labels(two.layoutId)).toEqual({ published: undefined, draft: ["Phone", "Once"] });
    expect(await scene.labels(three.layoutId)).toEqual({ published: ["Phone", "Once"], draft: undefined });
    expect((await scene.run(transform, { recorded: replaced })).result.outcome).toBe("unchanged");
    // The control: without the record, the function is applied to its own result.
    await scene.run(transform);
    expect(await scene.labels(one.layoutId)).toEqual({ published: ["Phone", "Once", "Once"], draft: undefined });
  });

  it("completes forms and layouts that no longer match, because the interrupted run has changed a part of them", async () => {
    let isBroken = true;
    const scene = await openScene(({ publishLayout, replaceFormAccess }) => ({
      publishLayout: (input) => (isBroken ? Promise.reject(refusal) : publishLayout(input)),
      replaceFormAccess: (input) => (isBroken ? Promise.reject(refusal) : replaceFormAccess(input)),
    }));
    const one = await scene.form("One", content({ phone: "Phone" }));
    const two = await scene.form("Two", content({ phone: "Phone" }));
    const transform: Transform = {
      match: { forms: ["One", "Two"], showsField: "phone" },
      layout: (layout, { name }) =>
        name === "One" ? relabel("New")(layout, {} as never) : { ...layout, ...content({ notes: "New" }) },
      form: (form) => ({
        ...form,
        name: `${form.name} renamed`,
        access: { users: [], roles: [{ role: "recruiter", types: ["VIEW"] }] },
      }),
    };
    const first = scene.project(transform);
    const replaced = await first.replaced((await first.plan()).plan);
    expect((await first.apply()).outcome).not.toBe("applied");
    const names = async () =>
      (await scene.direct.listForms({ ...CANDIDATE, query: {} })).data.map(({ name }) => name).toSorted();
    expect(await names()).toEqual(["One renamed", "Two renamed"]);
    // A user publishes the draft of "Two". The published layout no longer shows the field.
    const { draft } = await scene.contents(two.layoutId);
    await scene.direct.publishLayout({
      layoutId: two.layoutId,
      body: { clientMutationId: "m", draftVersionId: draft!.id },
    });

    isBroken = false;
    const { left, result } = await scene.run(transform, { recorded: replaced });
    expect([left, result.outcome]).toEqual([[], "applied"]);
    expect(await names()).toEqual(["One renamed", "Two renamed"]);
    expect(await scene.labels(one.layoutId)).toEqual({ published: ["New"], draft: undefined });
    expect(await scene.labels(two.layoutId)).toEqual({ published: ["New"], draft: undefined });
    for (const { formId } of [one, two]) {
      expect((await scene.direct.getFormAccess({ ...CANDIDATE, formId })).roles).toMatchObject([{ types: ["VIEW"] }]);
    }
    expect(await scene.back(replaced)).toEqual([]);
    expect(await names()).toEqual(["One", "Two"]);
    expect(await scene.labels(two.layoutId)).toEqual({ published: ["Phone"], draft: undefined });
  });

  it("does not give back a default that another form of the transform took", async () => {
    const scene = await openScene();
    await scene.form("One", content({ phone: "Phone" }));
    const two = await scene.form("Two", content({ phone: "Phone" }));
    await scene.direct.updateFormDefaults({ ...CANDIDATE, body: { defaultViewFormId: two.formId } });
    const transform: Transform = { form: (form) => (form.name === "One" ? { ...form, defaultFor: ["VIEW"] } : form) };
    const { replaced } = await scene.run(transform);
    expect(replaced.map(({ members }) => members)).toEqual([{ defaultFor: [] }, { defaultFor: ["VIEW"] }]);
    const { left, result } = await scene.run(transform, { recorded: replaced });
    expect([left, result.outcome]).toEqual([[], "unchanged"]);
  });

  it("leaves out what another user has changed in between", async () => {
    const scene = await openScene();
    const { layoutId } = await scene.form("One", content({ phone: "Phone" }));
    const transform: Transform = { layout: append };
    const { replaced } = await scene.run(transform);
    await scene.publish(layoutId, content({ phone: "By hand" }));
    const { left } = await scene.run(transform, { recorded: replaced });
    expect(left).toMatchObject([{ address: "staffing/candidate/One", isMeant: true }]);
    expect(await scene.labels(layoutId)).toEqual({ published: ["By hand"], draft: undefined });
  });
});

it("requires objects from a server that does not list layouts", async () => {
  const scene = await openScene(() => ({
    listLayouts: () => Promise.reject(new ServiceError(404, { code: "NOT_FOUND", message: "no such endpoint" })),
  }));
  const { layoutId } = await scene.form("One", content({ phone: "Phone" }));
  await expect(scene.run({ layout: relabel("New") })).rejects.toMatchObject({ code: "NOT_FOUND" });
  await scene.run({ match: { objects: ["staffing/candidate"] }, layout: relabel("New") });
  expect(await scene.labels(layoutId)).toEqual({ published: ["New"], draft: undefined });
});

it("applies changes of fields that the transform stages, and confirms them", async () => {
  const scene = await openScene();
  const { layoutId } = await scene.form("One", content({ home_city: "City" }));
  const transform: Transform = {
    match: { forms: ["One"] },
    layout: (layout) => ({
      ...layout,
      stagedFieldDefinitions: [{ draftId: "d_1", action: "update", key: "home_city", type: "NUMBER" }],
    }),
    confirmFieldChanges: ["d_1", "d_2"],
  };
  const { result, replaced } = await scene.run(transform);
  expect(result.outcome).toBe("applied");
  const { fields } = (await scene.local.show("northwind")).organizations[0]!.modules.flatMap(
    ({ objects }) => objects,
  ).find(({ key }) => key === "candidate")!;
  expect(fields.find(({ key }) => key === "home_city")).toMatchObject({ type: "NUMBER" });
  expect(replaced[0]!.lost).toEqual([expect.stringContaining("values that a change of its type cleared")]);
  expect((await scene.contents(layoutId)).published?.version).toBe(2);
});
