/**
 * Attacks on the record of migrations on a server. A user who may write layouts changes the record, and another user
 * with more permissions reverts or continues a migration.
 */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it, vi } from "vitest";
import { memberDigests, membersOf, noNames } from "../../src/migrations/form-members.ts";
import { checksumOf } from "../../src/migrations/folder.ts";
import type { MigrationEntry, Replaced } from "../../src/migrations/record.ts";
import { contentDigest } from "../../src/contents/compare.ts";
import { contentOf } from "../../src/lists/versions.ts";
import type { Service } from "../../src/service.ts";
import type { Outcome } from "../commands/cli.ts";
import { behindNorthwind } from "../commands/manifests-scene.ts";
import { forgeRecord } from "./forged-record.ts";
import { type MigrateScene, openMigrateScene } from "./migrate-scene.ts";
import { entry } from "./record-targets.ts";
import { content } from "./transform-scene.ts";

const CANDIDATE = { moduleKey: "staffing", objectKey: "candidate" };
const MEMBERS = 'export default { match: { forms: ["Matched"] }, form: (form) => ({ ...form, isActive: false }) };\n';
/** The same for a form that was renamed. */
const FORMER = MEMBERS.replace("Matched", "Former");
const CONTENT = `export default {
  match: { forms: ["Matched"] },
  layout: (content) => ({ ...content, blocks: content.blocks.map((b) => ({ ...b, config: { label: "New" } })) }),
};
`;

let scene: MigrateScene;
/** The role that the attacker wants to give access to. */
let roleId: string;
let otherRoleId: string;
type Made = { formId: string; layoutId: string };
let matched: Made;
let victim: Made;

const behind = <T>(use: (service: Service) => Promise<T>) => behindNorthwind(scene.cli, (service) => use(service));

beforeEach(async () => {
  scene = await openMigrateScene("a server");
  await behindNorthwind(scene.cli, async (service, local) => {
    const { roles } = (await local.show()).organizations.find(({ key }) => key === "northwind")!;
    [roleId, otherRoleId] = roles.map(({ id }) => id) as [string, string];
    const create = async (name: string): Promise<Made> => {
      const { id, viewLayoutId } = await service.createForm({ ...CANDIDATE, body: { name, types: ["VIEW"] } });
      for (const label of ["Old", "New"]) await publish(service, viewLayoutId, label);
      return { formId: id, layoutId: viewLayoutId };
    };
    matched = await create("Matched");
    victim = await create("Victim");
  });
});

async function publish(service: Service, layoutId: string, label: string): Promise<void> {
  const body = { ...content({ phone: label }), schemaVersion: 1 as const, clientMutationId: crypto.randomUUID() };
  const { draftVersionId } = await service.saveDraft({ layoutId, body });
  await service.publishLayout({ layoutId, body: { clientMutationId: crypto.randomUUID(), draftVersionId } });
}

const accessOf = ({ formId }: Made) => behind((service) => service.getFormAccess({ ...CANDIDATE, formId }));
const labelOf = ({ layoutId }: Made) =>
  behind(async (service) => {
    const versions = await service.listVersions({ layoutId });
    return versions.find(({ status }) => status === "PUBLISHED")?.blocks?.[0]?.config?.["label"];
  });

const ATTACKER = () => ({ users: [], roles: [{ roleId, types: ["VIEW"] }] });
const UNCHANGED = { users: [], roles: [] };

/** Returns the record of a form whose members had these former values. The other values are true. */
async function forgedMembers({ formId, layoutId }: Made, members: object, name = "Matched"): Promise<Replaced> {
  const now = await behind(async (service) => {
    const form = await service.getForm({ ...CANDIDATE, formId });
    const access = await service.getFormAccess({ ...CANDIDATE, formId });
    return memberDigests(membersOf(CANDIDATE, { form, listed: form, access, defaultFor: [] } as never, noNames));
  });
  return {
    address: `staffing/candidate/${name}`,
    kind: "Form",
    layoutId,
    formId,
    publishedVersionId: null,
    members: members as never,
    written: { members: Object.fromEntries(Object.keys(members).map((member) => [member, now[member]!])) },
  };
}

/** Returns the record of a layout whose first published version was the former one. */
async function forgedContent({ formId, layoutId }: Made): Promise<Replaced> {
  const versions = await behind((service) => service.listVersions({ layoutId }));
  const [first, now] = versions.filter(({ publishedAt }) => publishedAt).toSorted((a, b) => a.version! - b.version!);
  const ids = { address: "staffing/candidate/Matched", kind: "Form" as const, layoutId, formId };
  const sha256 = contentDigest(contentOf(first!));
  return { ...ids, publishedVersionId: first!.id, sha256, written: { sha256: contentDigest(contentOf(now!)) } };
}

/** Saves a record in which the migration of the file made this change. */
async function forge(file: string, replaced: Replaced[], members: Partial<MigrationEntry> = {}): Promise<void> {
  scene.cli.file("migrations/1-change.js", file);
  const checksum = checksumOf(Buffer.from(file));
  const text = JSON.stringify([entry("1-change", { checksum, replaced, ...members })]);
  await behind((service) => forgeRecord(service, text));
}

const migrate = (...words: string[]): Promise<Outcome> => scene.cli.run("migrate", ...words);

it("does not let a forged record change the access of a form that the migration does not match", async () => {
  await forge(MEMBERS, [await forgedMembers(victim, { access: ATTACKER() })]);
  const { code, stderr } = await migrate("down", "--yes", "--overwrite");
  expect(await accessOf(victim)).toEqual(UNCHANGED);
  expect([code, stderr]).toEqual([9, expect.stringContaining("the migration does not match it")]);
});

it("does not let a forged record change a member that the migration does not change", async () => {
  await forge(MEMBERS, [await forgedMembers(matched, { access: ATTACKER() })]);
  const { code, stderr } = await migrate("down", "--yes", "--overwrite");
  expect(await accessOf(matched)).toEqual(UNCHANGED);
  expect([code, stderr]).toEqual([9, expect.stringContaining("does not change its access as the record states")]);
});

it("does not let a forged record state that the migration wrote a forged member", async () => {
  const forged = await forgedMembers(matched, { access: ATTACKER(), isPublic: true });
  await forge(CONTENT, [{ ...forged, written: { members: memberDigests(forged.members!) } }]);
  const { code, stderr } = await migrate("down", "--yes", "--overwrite");
  expect(await accessOf(matched)).toEqual(UNCHANGED);
  expect([code, stderr]).toEqual([9, expect.stringContaining("does not change its access as the record states")]);
});

it("does not let a forged record change the default form of an object", async () => {
  await forge(CONTENT, [await forgedMembers(matched, { defaultFor: ["VIEW"] })]);
  const { code, stderr } = await migrate("down", "--yes");
  const { data } = await behind((service) => service.listForms({ ...CANDIDATE }));
  expect(data.find(({ id }) => id === matched.formId)).toMatchObject({ isDefaultView: false });
  expect([code, stderr]).toEqual([9, expect.stringContaining("does not change its defaultFor as the record states")]);
});

it("does not let a forged former name select another form", async () => {
  const file = FORMER.replace("isActive: false", 'name: "Renamed", isActive: true');
  await forge(file, [await forgedMembers(victim, { name: "Former", isActive: false })]);
  await migrate("down", "--yes", "--overwrite");
  const { name, isActive } = await behind((service) => service.getForm({ ...CANDIDATE, formId: victim.formId }));
  expect({ name, isActive }).toEqual({ name: "Victim", isActive: true });
});

it.each([
  ["another form", () => victim, MEMBERS],
  ["another form, named as the layout of the form", () => ({ ...matched, layoutId: victim.layoutId }), CONTENT],
  ["a form whose layout the migration does not change", () => matched, MEMBERS],
  ["a form whose layout the migration changes in another way", () => matched, CONTENT.replace("New", "Other")],
])("does not let a forged record publish an earlier layout of %s", async (_what, of, file) => {
  await forge(file, [await forgedContent(of())]);
  const { code } = await migrate("down", "--yes", "--overwrite", "--allow-replace");
  expect([await labelOf(matched), await labelOf(victim)]).toEqual(["New", "New"]);
  expect(code).toBe(9);
});

it("brings back the earlier layout that the migration changed", async () => {
  await forge(CONTENT, [await forgedContent(matched)]);
  expect((await migrate("down", "--yes")).code).toBe(0);
  expect([await labelOf(matched), await labelOf(victim)]).toEqual(["Old", "New"]);
});

it.each(["missing", "edited"])("reverts nothing from a record whose file is %s", async (what) => {
  await forge(CONTENT, [await forgedContent(matched)]);
  if (what === "missing") rmSync(join(scene.cli.cwd, "migrations/1-change.js"));
  else scene.cli.file("migrations/1-change.js", `${CONTENT}// Edited\n`);
  const { code, stderr } = await migrate("down", "--yes");
  expect(await labelOf(matched)).toBe("New");
  expect([code, stderr]).toEqual([6, expect.stringContaining(what === "missing" ? "file is missing" : "was edited")]);
});

const running = { state: "running" } as const;

it("does not let a forged interruption pass foreign access rows to the migration", async () => {
  const added = `access: { ...form.access, roles: [...form.access.roles, { roleId: "${otherRoleId}", types: ["VIEW"] }] }`;
  const file = MEMBERS.replace("isActive: false", added);
  await forge(file, [await forgedMembers(matched, { access: ATTACKER() })], running);
  const { code } = await migrate("run", "--yes");
  expect(await accessOf(matched)).toEqual(UNCHANGED);
  expect(code).toBe(9);
});

it("does not let a forged interruption select another form by its former name", async () => {
  await forge(FORMER, [await forgedMembers(victim, { name: "Former" })], running);
  await migrate("run", "--yes");
  const { isActive } = await behind((service) => service.getForm({ ...CANDIDATE, formId: victim.formId }));
  expect(isActive).toBe(true);
});

it("does not let a forged interruption select another form by the content that its layout had", async () => {
  const file = MEMBERS.replace('forms: ["Matched"]', 'showsField: "email"');
  await forge(file, [{ ...(await forgedContent(victim)), members: {} }], running);
  await migrate("run", "--yes");
  const { isActive } = await behind((service) => service.getForm({ ...CANDIDATE, formId: victim.formId }));
  expect(isActive).toBe(true);
});

it("quotes a forged name in the commands that hints suggest", async () => {
  const forgeState = (state: MigrationEntry["state"]) =>
    behind((service) => forgeRecord(service, JSON.stringify([entry("1; id $(id)", { state })])));
  for (const [command, state] of [
    ["run", "running"],
    ["down", "done"],
    ["down", "baseline"],
  ] as const) {
    await forgeState(state);
    expect((await migrate(command, "--yes")).stderr).toContain("formctl migrate repair '1; id $(id)'");
  }
});

it("does not let a forged lease block migrations: the hint names how to end it", async () => {
  await forge(MEMBERS, [], { ...running, heldUntil: "9999-12-31T23:59:59.999Z" });
  for (const command of [
    ["run", "--yes"],
    ["down", "--yes"],
  ]) {
    const refused = await migrate(...command);
    expect([refused.code, refused.stderr]).toEqual([
      6,
      expect.stringContaining("end the lease: formctl migrate repair 1-change\n"),
    ]);
    expect(refused.stderr).not.toContain("Wait until");
  }
  expect((await migrate("repair", "1-change", "--yes")).code).toBe(0);
  expect((await migrate("run", "--yes")).code).toBe(0);
});

const formNames = () => scene.forms();
const step = (name: string, answer: unknown) => ({ name, answer: answer as never, at: "2026-03-02T09:00:00.000Z" });

/** A script whose second step deletes the form of its first step. So does its function down. */
const MADE_AND_DELETED = `const path = { moduleKey: "staffing", objectKey: "candidate" };
const made = { ...path, body: { name: "Made", types: ["VIEW"] } };
export default {
  async run(service, step) {
    const formId = await step("create", async () => (await service.createForm(made)).id);
    await globalThis.afterCreation?.();
    await step("delete", () => service.deleteForm({ ...path, formId }));
  },
  down: (service, step, answers) => step("delete", () => service.deleteForm({ ...path, formId: answers.create })),
};
`;

it.each([
  ["run", running],
  ["down", {}],
] as const)("does not let a forged answer name the form that migrate %s deletes", async (command, state) => {
  await forge(MADE_AND_DELETED, [], { ...state, steps: [step("create", victim.formId)] });
  const refused = await migrate(command, "--yes");
  expect(refused.code).toBe(8);
  expect(refused.stderr).toContain("1-change uses answers that another folder recorded: step");
  expect(refused.stderr).toContain(`"create" answered "${victim.formId}"`);
  expect(refused.stderr).toContain("hint: To confirm, add --allow-answers.");
  expect(await formNames()).toEqual(["Matched", "Victim"]);
  const planned = (await migrate(command, "--dry-run", "-o", "json")).json() as { planned: [{ foreignAnswers: [] }] };
  expect(planned.planned[0].foreignAnswers).toEqual([step("create", victim.formId)]);
  expect((await migrate(command, "--yes", "--allow-answers")).code).toBe(0);
  expect(await formNames()).toEqual(["Matched"]);
});

it("continues with the answers that this folder recorded, without a confirmation", async () => {
  scene.cli.file("migrations/1-change.js", MADE_AND_DELETED);
  const stop = vi.fn<() => void>(() => {
    throw new Error("stopped");
  });
  vi.stubGlobal("afterCreation", stop);
  expect((await migrate("run", "--yes")).code).toBe(9);
  expect(await formNames()).toEqual(["Made", "Matched", "Victim"]);
  vi.unstubAllGlobals();
  expect((await migrate("run", "--yes")).code).toBe(0);
  expect(await formNames()).toEqual(["Matched", "Victim"]);
  expect(stop).toHaveBeenCalledOnce();
});

it("does not use an answer that is forged after the confirmation", async () => {
  const later = MADE_AND_DELETED.replace("await globalThis.afterCreation?.();", "");
  scene.cli.file("migrations/1-change.js", MADE_AND_DELETED);
  scene.cli.file("migrations/2-change.js", later);
  vi.stubGlobal("afterCreation", async () => {
    const checksum = checksumOf(Buffer.from(later));
    const forged = entry("2-change", { checksum, ...running, steps: [step("create", victim.formId)] });
    const text = JSON.stringify([...(await scene.entries()), forged]);
    await behind((service) => forgeRecord(service, text));
  });
  const { code, stderr } = await migrate("run", "--yes");
  vi.unstubAllGlobals();
  expect([code, stderr]).toEqual([9, expect.stringContaining("2-change uses answers that another folder recorded")]);
  expect(await formNames()).toEqual(["Matched", "Victim"]);
});

it("does not let a forged answer replace the ids of the addresses in YAML", async () => {
  const file = "steps:\n  - name: delete\n    deleteForm: { form: staffing/candidate/Matched }\n";
  scene.cli.file("migrations/1-change.yaml", file);
  const checksum = checksumOf(Buffer.from(file));
  const forgeIds = (formId: string) => {
    const steps = [step("delete: find", { ...CANDIDATE, formId })];
    const text = JSON.stringify([entry("1-change", { checksum, steps, ...running })]);
    return behind((service) => forgeRecord(service, text));
  };
  await forgeIds(victim.formId);
  const { code, stderr } = await migrate("run", "--yes");
  expect(await formNames()).toEqual(["Matched", "Victim"]);
  expect([code, stderr]).toEqual([9, expect.stringContaining('the record of step "delete" has other ids')]);
  await forgeIds(matched.formId);
  expect((await migrate("run", "--yes")).code).toBe(0);
  expect(await formNames()).toEqual(["Victim"]);
});

it("does not let a forged record have the draft of another user published by a step in YAML", async () => {
  const layout = "staffing/candidate/Matched";
  const own = content({ phone: "Own" });
  const steps = [
    { name: "save", saveDraft: { layout, body: { ...own, schemaVersion: 1 } } },
    { name: "publish", publishLayout: { layout } },
  ];
  const file = JSON.stringify({ steps });
  scene.cli.file("migrations/1-change.yaml", file);
  const { layoutId } = matched;
  const forgeSaved = async (label: string) => {
    const body = { ...content({ phone: label }), schemaVersion: 1 as const, clientMutationId: crypto.randomUUID() };
    const { draftVersionId } = await behind((service) => service.saveDraft({ layoutId, body }));
    const done = [step("save: find", { layoutId }), step("save", { draftVersionId })];
    const checksum = checksumOf(Buffer.from(file));
    const text = JSON.stringify([entry("1-change", { checksum, steps: done, ...running })]);
    await behind((service) => forgeRecord(service, text));
  };
  await forgeSaved("Foreign");
  const { code, stderr } = await migrate("run", "--yes");
  expect(await labelOf(matched)).toBe("New");
  expect([code, stderr]).toEqual([9, expect.stringContaining('has another content than step "save" saves')]);
  await forgeSaved("Own");
  expect((await migrate("run", "--yes")).code).toBe(0);
  expect(await labelOf(matched)).toBe("Own");
});
