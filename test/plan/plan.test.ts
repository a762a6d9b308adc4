/** Checks plans that are made from manifests and the current state. After a plan is applied, the next plan is empty. */

import { describe, expect, it } from "vitest";
import type { Wanted } from "../../src/manifests/manifest.ts";
import { digestOf } from "../../src/contents/compare.ts";
import { lostWith } from "../../src/plan/form-steps.ts";
import { planChanges } from "../../src/plan/plan.ts";
import type { DraftContent, StagedField } from "../../src/schemas/draft.ts";
import type { LayoutVersion } from "../../src/schemas/layout.ts";
import { httpOverSocket } from "../contract/http-providers.ts";
import { engineOnSqlite } from "../contract/engine-provider.ts";
import { CANDIDATE, content, form, layout, openScene, type PlanScene, stepsOf } from "./plan-scene.ts";
import { cpuTime } from "../cpu-time.ts";

const profile = (members = {}) => form("Profile", { content: content("full_name", "email"), ...members });

/** Checks that the next plan is empty. */
async function expectDone(scene: PlanScene, wanted: readonly Wanted[]): Promise<void> {
  const plan = await scene.plan(wanted);
  expect(plan.resources.map(({ address, action, changes, drift }) => ({ address, action, changes, drift }))).toEqual(
    wanted.map(({ address }) => ({ address, action: "none", changes: [], drift: expect.anything() })),
  );
  for (const { drift } of plan.resources) expect(new Set(Object.values(drift))).toEqual(new Set(["same"]));
}

describe.each([engineOnSqlite, httpOverSocket])("a plan against $name", (provider) => {
  it("reports a returning mode as possibly unusable only if no content is published for it", async () => {
    const scene = await openScene(provider);
    const all = ["CREATE", "VIEW", "EDIT"] as const;
    await scene.make([profile({ types: [...all] })]);
    await scene.make([profile({ types: ["CREATE", "VIEW"] })]);
    const told = ({ effects }: { effects: readonly string[] }) => effects.filter((each) => each.includes("DRAFT_ONLY"));
    const withContent = await scene.plan([profile({ types: [...all] })]);
    expect(told(withContent.resources[0]!)).toEqual([]);
    const withoutContent = await scene.plan([form("Profile", { types: [...all] })]);
    expect(told(withoutContent.resources[0]!)).toEqual([
      "EDIT can't be used until the layout is published for it (DRAFT_ONLY), unless an earlier publication was made for it",
    ]);
    await scene.make([profile({ types: [...all] })]);
    expect((await scene.form("Profile")).usableTypes).toEqual([...all]);
  });

  it("creates forms and layouts, and the next plan is empty", async () => {
    const scene = await openScene(provider);
    const { roles, members } = scene;
    const wanted = [
      profile({
        isPublic: false,
        config: { title: "Profile" },
        defaultFor: ["VIEW", "EDIT"],
        access: {
          users: [{ membershipId: members[0]!, types: ["VIEW"] }],
          roles: [{ roleId: roles.recruiter, types: ["EDIT", "VIEW"] }],
        },
      }),
      form("Intake", { types: ["CREATE"], content: content("full_name", "email"), access: { users: [], roles: [] } }),
      form("Empty", { types: ["VIEW"], isActive: false }),
      layout("Card", {
        content: content({ type: "field", source: "custom_field", ref: { fieldKey: "risk_class" }, regionKey: "main" }),
        metadata: { team: "ops" },
        assignments: { organizationDefault: true, roles: [{ roleId: roles.recruiter, priority: 5 }] },
      }),
    ];
    const plan = await scene.make(wanted);
    expect(plan.resources.map(({ action }) => action)).toEqual(["create", "create", "create", "create"]);
    expect(stepsOf(plan.resources[0]!)).toEqual([
      "create createForm",
      "content saveDraft",
      "content publishLayout",
      "access replaceFormAccess",
      "defaults updateFormDefaults",
    ]);
    expect(stepsOf(plan.resources[1]!)).toEqual(["create createForm", "content saveDraft", "content publishLayout"]);
    expect(plan.resources[0]!.steps[0]!.request).toMatchObject({ body: { isActive: true, isPublic: false } });
    await expectDone(scene, wanted);
    expect((await scene.form("Profile")).usableTypes).toEqual(["VIEW", "EDIT"]);
  });

  it("changes what differs, in an order that all rules allow", async () => {
    const scene = await openScene(provider);
    await scene.make([
      form("Old", {
        types: ["CREATE", "VIEW"],
        content: content("full_name", "email"),
        defaultFor: ["CREATE", "VIEW"],
      }),
      form("New", { types: ["VIEW"], content: content("full_name") }),
    ]);
    const wanted = [
      form("Old", { types: ["VIEW"], content: content("email"), defaultFor: [], isActive: false }),
      form("New", {
        types: ["VIEW", "CREATE"],
        content: content("full_name", "email"),
        defaultFor: ["CREATE", "VIEW"],
        config: { title: "New" },
      }),
    ];
    const plan = await scene.make(wanted);
    expect(stepsOf(plan.resources[0]!)).toEqual([
      "narrowContent saveDraft",
      "narrowContent publishLayout",
      "narrow updateForm",
    ]);
    expect(stepsOf(plan.resources[1]!)).toEqual([
      "widen updateForm",
      "content saveDraft",
      "content publishLayout",
      "defaults updateFormDefaults",
    ]);
    expect(plan.resources[1]!.effects).toContain('becomes the default for CREATE instead of "Old"');
    await expectDone(scene, wanted);
  });

  it("lists the defaults of a form, even if another form takes some of them", async () => {
    const scene = await openScene();
    await scene.make([form("Old", { defaultFor: ["VIEW", "EDIT"] }), form("New")]);
    const wanted = [form("Old", { defaultFor: [] }), form("New", { defaultFor: ["VIEW"] })];
    const [old] = (await scene.make(wanted)).resources;
    expect(old!.changes).toEqual([{ kind: "changed", path: "defaultFor", before: ["VIEW", "EDIT"], after: [] }]);
    await expectDone(scene, wanted);
  });

  it("renames instead of creating again", async () => {
    const scene = await openScene(provider);
    await scene.make([profile()]);
    const { id } = await scene.form("Profile");
    const renamed = { ...profile({ name: "Card" }), ...form("Card", { content: content("full_name", "email") }) };
    const wanted = [{ ...renamed, formerAddress: "staffing/candidate/Profile" }];
    const plan = await scene.make(wanted);
    expect(stepsOf(plan.resources[0]!)).toEqual(["widen updateForm"]);
    expect(plan.resources[0]!.steps[0]!.replaces).toEqual({ name: digestOf("Profile") });
    expect((await scene.form("Card")).id).toBe(id);
    await expectDone(scene, wanted);
  });
});

describe("contents", () => {
  it("are published again for modes that the published version does not support", async () => {
    const scene = await openScene();
    await scene.make([profile({ types: ["VIEW"] })]);
    const plan = await scene.make([profile()]);
    expect(stepsOf(plan.resources[0]!)).toEqual(["widen updateForm", "content saveDraft", "content publishLayout"]);
    expect(plan.resources[0]!.effects).toContain("will be published again, because it does not serve EDIT");
    expect((await scene.form("Profile")).usableTypes).toEqual(["VIEW", "EDIT"]);
    await expectDone(scene, [profile()]);
  });

  it("stay drafts without publishing, and are published later", async () => {
    const scene = await openScene();
    await scene.make([profile()], { publish: false });
    expect((await scene.versions("Profile")).map(({ status }) => status)).toEqual(["DRAFT"]);
    expect((await scene.plan([profile()], { publish: false })).resources[0]!.action).toBe("none");
    await expectDone(scene, [profile({ publish: false })]);
    const plan = await scene.make([profile()]);
    expect(stepsOf(plan.resources[0]!)).toEqual(["content publishLayout"]);
    await expectDone(scene, [profile()]);
  });

  it("are listed as changes of blocks, by what they show", async () => {
    const scene = await openScene();
    await scene.make([profile()]);
    const label = {
      type: "field",
      source: "dynamic_field",
      ref: { fieldKey: "email" },
      regionKey: "main",
      config: { label: "E-mail" },
    };
    const wanted = profile({ content: content("phone", "full_name", label) });
    const { changes } = (await scene.plan([wanted])).resources[0]!;
    expect(changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      "added layout.blocks[0]",
      "added layout.blocks[2].config",
    ]);
    await scene.make([wanted]);
    await expectDone(scene, [wanted]);
  });

  it("ignore another user's draft without a change, and need a confirmation to overwrite it", async () => {
    const scene = await openScene();
    await scene.make([profile()]);
    const { viewLayoutId: layoutId } = await scene.form("Profile");
    await scene.service.saveDraft({
      layoutId,
      body: { ...content("full_name", "email", "notes"), schemaVersion: 1, clientMutationId: "theirs" },
    });
    const same = (await scene.plan([profile()])).resources[0]!;
    expect([same.action, same.notes]).toEqual([
      "none",
      [expect.stringMatching(/^the unpublished draft .* will not be changed$/)],
    ]);

    const changed = (await scene.plan([profile({ content: content("full_name") })])).resources[0]!;
    expect(changed.needs).toEqual([
      {
        consent: "allow-replace",
        what: expect.stringContaining("which these manifests did not create"),
        lost: [expect.stringContaining("3 blocks in 1 region, 1 change compared with the published version")],
      },
    ]);
    const equal = (await scene.plan([profile({ content: content("full_name", "email", "notes") })])).resources[0]!;
    expect([stepsOf(equal), equal.needs]).toEqual([["content publishLayout"], []]);
  });

  it("overwrite another user's draft without a confirmation if it equals the published version", async () => {
    const scene = await openScene();
    await scene.make([profile()]);
    const theirs = content("full_name", "email", "notes");
    await publish(scene, theirs);
    await saveDraft(scene, theirs);
    const plan = (await scene.plan([profile()])).resources[0]!;
    expect([stepsOf(plan), plan.needs]).toEqual([["content saveDraft", "content publishLayout"], []]);
  });

  it("need a confirmation to overwrite another user's draft that removes everything", async () => {
    const scene = await openScene();
    await scene.make([profile()]);
    const { viewLayoutId: layoutId } = await scene.form("Profile");
    await scene.service.saveDraft({
      layoutId,
      body: { ...content(), schemaVersion: 1, clientMutationId: "theirs" },
    });
    expect((await scene.plan([profile()])).resources[0]!.notes).toEqual([
      expect.stringContaining("will not be changed"),
    ]);
    const { needs } = (await scene.plan([profile({ content: content("full_name") })])).resources[0]!;
    expect(needs.map(({ consent }) => consent)).toEqual(["allow-replace"]);
  });

  it("overwrite our own draft without a confirmation", async () => {
    const scene = await openScene();
    await scene.make([profile()], { publish: false });
    const { needs, action } = (await scene.plan([profile({ content: content("full_name") })])).resources[0]!;
    expect([action, needs]).toEqual(["update", []]);
  });

  it("report which side changed: files, target, or both", async () => {
    const scene = await openScene();
    await scene.make([profile()]);
    const mine = profile({ content: content("full_name", "email", "notes") });
    const drift = async (wanted: Wanted, lock = scene.lock) =>
      (await scene.plan([wanted], { lock })).resources[0]!.drift["content"];
    const noLock = { get: () => undefined };
    expect(await drift(mine)).toBe("files");
    expect(await drift(mine, noLock as never)).toBe("files");

    await publish(scene, content("full_name", "phone"));
    expect(await drift(profile())).toBe("target");
    expect(await drift(profile(), noLock as never)).toBe("target");
    expect(await drift(mine)).toBe("both");
    expect((await scene.plan([profile()])).resources[0]!.notes).toEqual([
      "the published layout was changed on the target: this apply replaces it; version 2 remains in the version history",
    ]);
    await scene.make([profile()]);
    await expectDone(scene, [profile()]);
  });

  it("report a restored older version as a change on the target", async () => {
    const scene = await openScene();
    await scene.make([profile()]);
    await scene.make([profile({ content: content("full_name") })]);
    const [, first] = await scene.versions("Profile");
    const { viewLayoutId: layoutId } = await scene.form("Profile");
    const path = { layoutId, versionId: first!.id };
    const { draftVersionId } = await scene.service.restoreDraft({ ...path, body: { clientMutationId: "back" } });
    await scene.service.publishLayout({ layoutId, body: { clientMutationId: "back", draftVersionId } });
    const plan = await scene.plan([profile({ content: content("full_name") })], { lock: { get: () => undefined } });
    expect(plan.resources[0]!.drift["content"]).toBe("target");
  });

  it("report an unknown origin", async () => {
    const scene = await openScene();
    await scene.service.createForm({ ...CANDIDATE, body: { name: "Profile", types: ["VIEW", "EDIT"] } });
    await publish(scene, content("phone"));
    const { drift, notes } = (await scene.plan([profile()])).resources[0]!;
    expect([drift["content"], notes]).toEqual(["differs", [expect.stringContaining("is unknown")]]);
  });
});

async function saveDraft(scene: PlanScene, what: DraftContent) {
  const { viewLayoutId: layoutId } = await scene.form("Profile");
  const clientMutationId = `theirs ${Math.random()}`;
  const { draftVersionId } = await scene.service.saveDraft({
    layoutId,
    body: { ...what, schemaVersion: 1, clientMutationId },
  });
  return { layoutId, body: { clientMutationId, draftVersionId } };
}

async function publish(scene: PlanScene, what: DraftContent): Promise<void> {
  await scene.service.publishLayout(await saveDraft(scene, what));
}

describe("staged field changes", () => {
  const grade: StagedField = { draftId: "d_grade", action: "create", key: "grade", name: "Grade", type: "TEXT" };
  const rename: StagedField = { draftId: "d_city", action: "update", key: "home_city", name: "City" };
  const drop: StagedField = { draftId: "d_notes", action: "delete", key: "notes" };
  const shown = {
    type: "field",
    source: "draft_custom_field",
    ref: { draftFieldDefinitionId: "d_grade" },
    regionKey: "main",
  } as const;
  const staging = (...staged: StagedField[]): DraftContent => ({
    ...(staged.includes(grade) ? content("full_name", "email", shown) : content("full_name", "email")),
    stagedFieldDefinitions: staged,
  });

  it.each([
    ["with stamps", { ref: "x" }],
    ["without stamps", undefined],
  ])("are applied once, %s", async (_, stamp) => {
    const scene = await openScene();
    const wanted = profile({ content: staging(grade, rename, drop), confirmFieldChanges: ["d_notes"] });
    const plan = await scene.make([wanted], { stamp });
    expect(stepsOf(plan.resources[0]!)).toEqual(["create createForm", "fields saveDraft", "fields publishLayout"]);
    expect(plan.resources[0]!.effects).toEqual([
      "creates the field grade (TEXT)",
      expect.stringContaining('changes the field home_city (name "City"); if that clears values'),
      "deletes the field notes and its values, confirmed by confirmFieldChanges",
    ]);
    expect((await scene.plan([wanted], { stamp })).resources[0]).toMatchObject({ action: "none", changes: [] });
    // The plan is the same without the lock.
    const fresh = await scene.plan([wanted], { stamp, lock: { get: () => undefined } });
    expect(fresh.resources[0]).toMatchObject({ action: "none", changes: [] });

    const later = profile({ ...wanted, content: { ...wanted.content!, blocks: wanted.content!.blocks.toReversed() } });
    const next = await scene.plan([later], { stamp });
    expect(next.resources[0]!.changes).not.toEqual([]);
  });

  it("are not repeated with other changes, if a stamp lists them", async () => {
    const scene = await openScene();
    const wanted = (blocks: string[]) =>
      profile({
        content: { ...content(...blocks), stagedFieldDefinitions: [rename, drop] },
        confirmFieldChanges: ["d_notes"],
      });
    await scene.make([wanted(["full_name"])]);
    const plan = await scene.make([wanted(["full_name", "email"])]);
    expect(plan.resources[0]!.steps[1]!.request).toMatchObject({ confirmFieldChanges: [] });
    await expectDone(scene, [wanted(["full_name", "email"])]);
  });

  it("are applied again when a file is reverted", async () => {
    const scene = await openScene();
    const named = (name: string) => profile({ content: staging({ ...rename, name }) });
    for (const name of ["City", "Town", "City"]) await scene.make([named(name)]);
    await expectDone(scene, [named("City")]);
    const { organizations } = await scene.world.local.show();
    const objects = organizations.flatMap(({ modules }) => modules.flatMap((module) => module.objects));
    const { fields } = objects.find(({ key }) => key === "candidate")!;
    expect(fields.find(({ key }) => key === "home_city")!.name).toBe("City");
  });

  it("are not applied again after an older version was restored", async () => {
    const scene = await openScene();
    await scene.make([profile()]);
    const wanted = profile({ content: staging(drop), confirmFieldChanges: ["d_notes"] });
    await scene.make([wanted]);
    const first = (await scene.versions("Profile")).at(-1)!;
    const { viewLayoutId: layoutId } = await scene.form("Profile");
    const path = { layoutId, versionId: first.id };
    const { draftVersionId } = await scene.service.restoreDraft({ ...path, body: { clientMutationId: "back" } });
    await scene.service.publishLayout({ layoutId, body: { clientMutationId: "back", draftVersionId } });
    expect((await scene.versions("Profile"))[0]!.sourceVersionId).toBe(first.id);
    await expectDone(scene, [wanted]);
  });

  it("are applied though a former draft lists them", async () => {
    const kept: LayoutVersion[] = [];
    const scene = await openScene(undefined, (service) => ({
      ...service,
      listVersions: async (input) => [...(await service.listVersions(input)), ...kept],
    }));
    await scene.make([profile()], { stamp: undefined });
    const wanted = profile({ content: staging(rename) });
    await scene.make([wanted], { publish: false });
    const [draft] = await scene.versions("Profile");
    kept.push({ ...draft!, id: "ver_former", status: "ARCHIVED" });
    // Another user publishes other content. Then the file is reverted.
    await publish(scene, content("full_name", "email"));
    const lock = { get: () => undefined };
    const again = await scene.plan([profile({ content: { ...wanted.content!, blocks: [] } })], { lock });
    expect(again.resources[0]!.effects).toEqual([expect.stringContaining("changes the field home_city")]);
  });

  it("are applied before contents that show new fields, and after contents that showed old ones", async () => {
    const scene = await openScene();
    const creator = profile({ content: staging(grade) });
    const reader = form("Reader", { types: ["VIEW"], content: content("grade") });
    const wanted = [reader, creator];
    await scene.make(wanted);
    await expectDone(scene, wanted);

    const dropping = form("Reader", {
      types: ["VIEW"],
      content: { ...content("email"), stagedFieldDefinitions: [drop] },
      confirmFieldChanges: ["d_notes"],
    });
    expect(stepsOf((await scene.plan([dropping])).resources[0]!)).toEqual([
      "loseFields saveDraft",
      "loseFields publishLayout",
    ]);
    await scene.make([dropping, creator]);
    await expectDone(scene, [dropping, creator]);
  });

  it("are applied late for a form that loses modes, and contents that show the fields even later", async () => {
    const scene = await openScene();
    await scene.make([profile({ types: ["CREATE", "VIEW"] })]);
    const wanted = [
      form("Reader", { types: ["VIEW"], content: content("grade") }),
      profile({ types: ["VIEW"], content: { ...staging(grade), blocks: [shown] } }),
    ];
    const plan = await scene.make(wanted);
    expect(stepsOf(plan.resources[0]!)).toEqual([
      "create createForm",
      "loseFields saveDraft",
      "loseFields publishLayout",
    ]);
    await expectDone(scene, wanted);
  });
});

describe("effects", () => {
  it("list lost access, lost defaults, and modes that can't be used", async () => {
    const scene = await openScene();
    const { roles, members } = scene;
    const access = {
      users: [{ membershipId: members[0]!, types: ["EDIT" as const] }],
      roles: [{ roleId: roles.recruiter, types: ["EDIT" as const, "VIEW" as const] }],
    };
    await scene.make([form("Profile", { access, defaultFor: ["EDIT"] })]);
    const nameOf = (kind: string, id: string) => (kind === "role" && id === roles.recruiter ? "Recruiter" : undefined);
    const wanted = form("Profile", { types: ["VIEW", "CREATE"] });
    const plan = await scene.plan([wanted], { nameOf });
    expect(plan.resources[0]!.effects).toEqual([
      "CREATE can't be used until the layout is published for it (DRAFT_ONLY)",
      `member ${members[0]} loses EDIT, and with it the whole access row`,
      "role Recruiter loses EDIT",
      "the object no longer has a default for EDIT: the form can no longer be its default",
    ]);
    await scene.apply(plan);
    await expectDone(scene, [wanted]);
  });

  it("list what happens to public and inactive forms", async () => {
    const scene = await openScene();
    await scene.make([form("Profile", { isPublic: false })]);
    const opened = await scene.make([form("Profile", { isPublic: true })]);
    expect(opened.resources[0]!.effects).toEqual(["everyone with its public link can submit it"]);
    const closed = await scene.make([form("Profile", { isPublic: false, isActive: false })]);
    const made = await scene.plan([form("Intake", { isPublic: true })]);
    expect(made.resources[0]!.effects).toContain("everyone with its public link can submit it");
    expect(closed.resources[0]!.effects).toEqual([
      "its public link stops working permanently: a new link has another address",
      "it can't be used until it is active again",
    ]);
    await expectDone(scene, [form("Profile", { isPublic: false, isActive: false })]);
  });
});

describe("access", () => {
  it("ignores order, and is listed row by row with names", async () => {
    const scene = await openScene();
    const { recruiter, account_manager: manager } = scene.roles;
    const rows = [
      { roleId: recruiter, types: ["VIEW" as const, "EDIT" as const] },
      { roleId: manager, types: ["VIEW" as const] },
    ];
    await scene.make([form("Profile", { access: { users: [], roles: rows } })]);
    const turned = rows.toReversed().map((row) => ({ ...row, types: row.types.toReversed() }));
    await expectDone(scene, [form("Profile", { access: { users: [], roles: turned } })]);

    const nameOf = (_: string, id: string) => (id === recruiter ? "Recruiter" : undefined);
    const changed = form("Profile", { access: { users: [], roles: [{ roleId: recruiter, types: ["VIEW"] }] } });
    const plan = await scene.plan([changed], { nameOf });
    expect(plan.resources[0]!.changes).toEqual([
      { kind: "removed", path: `access.roles.${manager}`, before: ["VIEW"] },
      { kind: "changed", path: "access.roles.Recruiter", before: ["VIEW", "EDIT"], after: ["VIEW"] },
    ]);
    const emptied = form("Profile", { access: { users: [], roles: [] } });
    await scene.make([emptied]);
    await expectDone(scene, [emptied]);
  });
});

describe("layouts of the organization", () => {
  it("hand the default over, in any order of manifests", async () => {
    const scene = await openScene();
    const card = (name: string, isDefault: boolean, modes: ("VIEW" | "EDIT")[] = ["VIEW", "EDIT"]) =>
      layout(name, { supportedModes: modes, assignments: { organizationDefault: isDefault, roles: [] } });
    await scene.make([card("One", true)]);
    const wanted = [card("Two", true), card("One", false)];
    const plan = await scene.make(wanted);
    expect(stepsOf(plan.resources[0]!)).toEqual(["create createLayout", "defaults replaceAssignments"]);
    await expectDone(scene, wanted);

    // "Two" keeps VIEW, and hands EDIT over to "One".
    const shared = [card("One", true, ["EDIT"]), card("Two", true, ["VIEW"])];
    await expect(scene.make(shared)).resolves.toBeDefined();
    await expectDone(scene, shared);
  });

  it("note another default that no manifest describes", async () => {
    const scene = await openScene();
    await scene.make([layout("Theirs", { assignments: { organizationDefault: true, roles: [] } })]);
    const { notes } = (await scene.plan([layout("Mine", { assignments: { organizationDefault: true, roles: [] } })]))
      .resources[0]!;
    expect(notes).toEqual([expect.stringMatching(/^the layout "Theirs" .* the server refuses this layout \(409\)/)]);
  });

  it("are changed in name, modes, metadata and roles", async () => {
    const scene = await openScene();
    const { recruiter } = scene.roles;
    await scene.make([
      layout("Card", { metadata: { team: "ops", since: 1 }, assignments: { organizationDefault: false, roles: [] } }),
    ]);
    const wanted = layout("Contractor", {
      formerAddress: "CONTRACTOR/Card",
      supportedModes: ["VIEW", "CREATE"],
      metadata: { team: "hr", since: 1 },
      assignments: { organizationDefault: false, roles: [{ roleId: recruiter, priority: 3 }] },
    });
    const plan = await scene.make([wanted]);
    expect(stepsOf(plan.resources[0]!)).toEqual([
      "widen updateLayout",
      "access replaceAssignments",
      "narrow updateLayout",
    ]);
    expect(plan.resources[0]!.changes).toEqual([
      { kind: "changed", path: "name", before: "Card", after: "Contractor" },
      { kind: "changed", path: "supportedModes", before: ["VIEW", "EDIT"], after: ["CREATE", "VIEW"] },
      { kind: "changed", path: "metadata.team", before: "ops", after: "hr" },
      { kind: "added", path: `assignments.roles.${recruiter}`, after: { priority: 3 } },
    ]);
    await expectDone(scene, [wanted]);
  });
});

describe("pruning", () => {
  it("deletes forms without a manifest, of objects with manifests, and lists what is lost", async () => {
    const scene = await openScene();
    const { recruiter } = scene.roles;
    await scene.make([
      profile(),
      form("Old", {
        types: ["VIEW"],
        defaultFor: ["VIEW"],
        access: { users: [], roles: [{ roleId: recruiter, types: ["VIEW"] }] },
      }),
      form("Placement", { object: { moduleKey: "staffing", objectKey: "placement" } }),
    ]);
    const plan = await scene.plan([profile()], { prune: true });
    expect(plan.resources.map(({ address, action }) => `${action} ${address}`)).toEqual([
      "none staffing/candidate/Profile",
      "delete staffing/candidate/Old",
    ]);
    const { needs, effects } = plan.resources[1]!;
    expect(stepsOf(plan.resources[1]!)).toEqual(["defaults updateFormDefaults", "delete deleteForm"]);
    expect(effects).toEqual(["the object no longer has a default for VIEW"]);
    expect(needs).toEqual([
      {
        consent: "allow-delete",
        what: 'delete the form "Old", which no manifest names',
        lost: [
          'the form "Old", its layout with every version and draft',
          "the access of 1 role",
          "files that were uploaded through it, which the API does not list",
        ],
      },
    ]);
    await scene.apply(plan);
    expect(await scene.form("Old")).toBeUndefined();
    expect((await scene.plan([profile()], { prune: true })).resources).toHaveLength(1);
  });

  it("lists no access of a form that has none", () => {
    expect(lostWith({ name: "Old", directUserAccessCount: 0, roleAccessCount: 0 })).toEqual([
      'the form "Old", its layout with every version and draft',
      "files that were uploaded through it, which the API does not list",
    ]);
  });

  it("identifies forms of one name by their ids", async () => {
    const scene = await openScene();
    for (let count = 0; count < 2; count++) {
      await scene.service.createForm({ ...CANDIDATE, body: { name: "Twin", types: ["VIEW"] } });
    }
    await scene.make([profile()]);
    const plan = await scene.plan([profile()], { prune: true });
    const [, one, two] = plan.resources.map(({ address }) => address);
    expect([one, two]).toEqual([expect.stringMatching(/candidate\/frm_/), expect.stringMatching(/candidate\/frm_/)]);
    await scene.apply(plan);
    expect((await scene.service.listForms(CANDIDATE)).data).toHaveLength(1);
  });
});

describe("targets", () => {
  it("limit the plan, also what is pruned", async () => {
    const scene = await openScene();
    await scene.service.createForm({ ...CANDIDATE, body: { name: "Old", types: ["VIEW"] } });
    const wanted = [profile(), form("Intake", { types: ["CREATE"] })];
    const options = { prune: true, targets: ["staffing/candidate/Intake"] };
    expect((await scene.plan(wanted, options)).resources.map(({ address }) => address)).toEqual(options.targets);
    const both = await scene.plan(wanted, { prune: true, targets: ["staffing/candidate/Old"] });
    expect(both.resources.map(({ action }) => action)).toEqual(["delete"]);
  });

  it("must be addresses, and the nearest one is suggested", async () => {
    const scene = await openScene();
    const hintFor = (target: string) =>
      scene.plan([profile()], { targets: [target] }).then(
        () => undefined,
        ({ code, hint }: { code: string; hint: string }) => `${code}: ${hint}`,
      );
    const offer = 'USAGE: Did you mean "staffing/candidate/Profile"?';
    expect(await hintFor("staffing/candidate/Profil")).toBe(offer);
    expect(await hintFor("Profile")).toBe(offer);
    expect(await hintFor("forms/profile.yaml")).toBe(
      'USAGE: Use an address as a plan prints it: "staffing/candidate/Profile".',
    );
  });
});

describe("a plan of many manifests", () => {
  it("takes time linear in their number", async () => {
    const scene = await openScene();
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) =>
        form(`Form ${index}`, { content: content("full_name"), defaultFor: [], access: { users: [], roles: [] } }),
      );
    const current = await scene.read(many(1));
    const options = { current, lock: scene.lock, prune: true, targets: [], publish: true, stamp: {} };
    const perManifest = async (wanted: Wanted[]) =>
      (await cpuTime(() => planChanges({ ...options, wanted }), 4)) / wanted.length;
    const [few, lots] = [many(1_000), many(10_000)];
    await perManifest(few);
    // If each manifest was compared with all others, each manifest would take ten times as long.
    expect((await perManifest(lots)) / (await perManifest(few))).toBeLessThan(4);
  });
});
